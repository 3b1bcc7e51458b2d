/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BPF_MAP_TYPE_HASH, _PERCPU_HASH, _LRU_HASH, _LRU_PERCPU_HASH: elements by key, all allocated with
 * the map. A lookup takes no lock: it may miss an element that is being moved, and never leaves the
 * map's memory.
 */
#include <linux/errno.h>
#include "arch/x86/cpu/percpu.h"
#include "bpf/map/inner.h"
#include "kernel/base/string.h"
#include "kernel/mem/memory.h"
#include "kernel/task/sched.h"

#define KEY_BYTES_MAX    4096
#define ELEMENTS_AT_ONCE 65536 /* without a pause */
#define EVICT_LOOKS      64    /* elements that are looked at for one to give up */

struct element {
	uint32_t next; /* in its bucket, or in the free list */
	uint32_t hash;
	bool used;
	bool wanted; /* looked up since it was considered last */
};

struct hash {
	struct spinlock lock;
	uint32_t nr_buckets, key_stride;
	uint32_t *buckets; /* first elements */
	struct element *elements;
	uint8_t *keys;
	uint32_t free; /* first of the list */
	uint32_t hand; /* position of the next search for an element to evict */
	bool lru;
};

static uint32_t hash_word(uint64_t word)
{
	return (uint32_t)(word * 0x9e3779b97f4a7c15ul >> 32);
}

/* Returns whether the key is one word (the usual case), and its value in 64 bits. */
static inline bool key_word(const struct bpf_map *map, const void *key, uint64_t *word)
{
	uint32_t half;

	if (map->key_size == sizeof(half)) {
		__builtin_memcpy(&half, key, sizeof(half));
		*word = half;
		return true;
	}
	if (map->key_size != sizeof(*word))
		return false;
	__builtin_memcpy(word, key, sizeof(*word));
	return true;
}

static uint32_t hash_of(const struct bpf_map *map, const void *key)
{
	uint32_t bytes = map->key_size;
	const uint8_t *at = key;
	uint64_t hash = bytes, word;

	if (key_word(map, key, &word))
		return hash_word(word);
	for (; bytes >= sizeof(word); bytes -= sizeof(word), at += sizeof(word)) {
		__builtin_memcpy(&word, at, sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15ul;
		hash ^= hash >> 32;
	}
	while (bytes--)
		hash = (hash ^ *at++) * 0x9e3779b97f4a7c15ul;
	return (uint32_t)(hash ^ hash >> 32);
}

static uint8_t *key_of(const struct hash *hash, uint32_t element)
{
	return hash->keys + (uint64_t)element * hash->key_stride;
}

static void hash_destroy(struct bpf_map *map)
{
	struct hash *hash = map->hash;

	kfree(hash->buckets);
	kfree(hash->elements);
	kfree(hash->keys);
	kfree(hash);
}

static bool hash_allocate(struct bpf_map *map, struct hash *hash)
{
	uint32_t n = map->max_entries;

	hash->buckets = object_span((size_t)hash->nr_buckets * sizeof(uint32_t));
	hash->elements = object_span((size_t)n * sizeof(struct element));
	hash->keys = object_span((uint64_t)n * hash->key_stride);
	if (!hash->buckets || !hash->elements || !hash->keys)
		return false;
	memset(hash->buckets, 0xff, hash->nr_buckets * sizeof(uint32_t));
	for (uint32_t i = 0; i < n; i++) {
		hash->elements[i].next = i + 1 < n ? i + 1 : NO_ELEMENT;
		if (i % ELEMENTS_AT_ONCE == ELEMENTS_AT_ONCE - 1)
			sched_pause();
	}
	return true;
}

static bool is_lru(const struct bpf_map *map)
{
	return map->type == BPF_MAP_TYPE_LRU_HASH || map->type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

static int hash_init(struct bpf_map *map)
{
	struct hash *hash;

	if (!map->key_size || !map->value_size || !map->max_entries)
		return -EINVAL;
	if (map->key_size > KEY_BYTES_MAX)
		return -E2BIG;
	if (map->flags & BPF_F_NO_PREALLOC && is_lru(map))
		return -ENOTSUPP;
	if ((uint64_t)map->key_size * map->max_entries > MAP_BYTES_MAX)
		return -ENOMEM;
	hash = map->hash = kalloc(sizeof(*hash));
	if (!hash)
		return -ENOMEM;
	hash->nr_buckets = 1;
	while (hash->nr_buckets < map->max_entries)
		hash->nr_buckets *= 2;
	hash->key_stride = (map->key_size + 7) & ~7u;
	hash->lru = is_lru(map);
	if (hash_allocate(map, hash))
		return 0;
	hash_destroy(map);
	return -ENOMEM;
}

static uint32_t search(struct bpf_map *map, const void *key, uint32_t sum)
{
	const struct hash *hash = map->hash;
	uint32_t at =
	    __atomic_load_n(&hash->buckets[sum & (hash->nr_buckets - 1)], __ATOMIC_ACQUIRE);

	/* During a change a chain may lead into another one, so the search is bounded by the number
	 * of elements. */
	for (uint32_t i = 0; at != NO_ELEMENT && i < map->max_entries; i++) {
		if (hash->elements[at].hash == sum && !memcmp(key_of(hash, at), key, map->key_size))
			return at;
		at = __atomic_load_n(&hash->elements[at].next, __ATOMIC_ACQUIRE);
	}
	return NO_ELEMENT;
}

/* As search(), for keys of one word, which are stored padded with zeros. */
static inline uint32_t search_word(const struct bpf_map *map, uint64_t word)
{
	const struct hash *hash = map->hash;
	uint32_t at = __atomic_load_n(&hash->buckets[hash_word(word) & (hash->nr_buckets - 1)],
				      __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; at != NO_ELEMENT && i < map->max_entries; i++) {
		if (((const uint64_t *)hash->keys)[at] == word)
			return at;
		at = __atomic_load_n(&hash->elements[at].next, __ATOMIC_ACQUIRE);
	}
	return NO_ELEMENT;
}

static uint32_t hash_find(struct bpf_map *map, const void *key)
{
	uint64_t word;
	uint32_t element = key_word(map, key, &word) ? search_word(map, word)
						     : search(map, key, hash_of(map, key));

	if (element != NO_ELEMENT && map->hash->lru)
		map->hash->elements[element].wanted = true;
	return element;
}

/* Unlinks the element from its bucket. With the lock. */
static void unlink_element(struct hash *hash, uint32_t element)
{
	uint32_t *link = &hash->buckets[hash->elements[element].hash & (hash->nr_buckets - 1)];

	while (*link != element)
		link = &hash->elements[*link].next;
	__atomic_store_n(link, hash->elements[element].next, __ATOMIC_RELEASE);
	hash->elements[element].used = false;
}

/* Returns an element for a new key, NO_ELEMENT: none is free. With the lock. */
static uint32_t take_element(struct bpf_map *map)
{
	struct hash *hash = map->hash;
	uint32_t element = hash->free;

	if (element != NO_ELEMENT) {
		hash->free = hash->elements[element].next;
		return element;
	}
	if (!hash->lru)
		return NO_ELEMENT;
	for (unsigned i = 0; i < EVICT_LOOKS; i++) {
		element = hash->hand = (hash->hand + 1) % map->max_entries;
		if (!hash->elements[element].wanted)
			break;
		hash->elements[element].wanted = false;
	}
	unlink_element(hash, element);
	return element;
}

static void clear_values(struct bpf_map *map, uint32_t element)
{
	for (uint32_t cpu = 0; cpu < (map->kind->per_cpu ? nr_cpus : 1); cpu++)
		memset(map_value(map, element, cpu), 0, map->stride);
}

static int add_element(struct bpf_map *map, const void *key, uint32_t sum, uint32_t *element)
{
	struct hash *hash = map->hash;
	uint32_t *bucket = &hash->buckets[sum & (hash->nr_buckets - 1)], at = take_element(map);

	if (at == NO_ELEMENT)
		return -E2BIG;
	memcpy(key_of(hash, at), key, map->key_size);
	clear_values(map, at);
	hash->elements[at] = (struct element){.next = *bucket, .hash = sum, .used = true};
	__atomic_store_n(bucket, at, __ATOMIC_RELEASE);
	*element = at;
	return 0;
}

static __attribute__((noinline)) int element_new(struct bpf_map *map, const void *key,
						 uint64_t flags, uint32_t *element)
{
	uint32_t sum = hash_of(map, key);
	uint64_t irq;
	int err = 0;

	if (!map_lock(&map->hash->lock, &irq))
		return -EBUSY;
	*element = search(map, key, sum);
	if (*element != NO_ELEMENT)
		err = flags == BPF_NOEXIST ? -EEXIST : 0;
	else
		err = flags == BPF_EXIST ? -ENOENT : add_element(map, key, sum, element);
	map_unlock(&map->hash->lock, irq);
	return err;
}

/* For an existing key only the value changes. */
static int hash_place(struct bpf_map *map, const void *key, uint64_t flags, uint32_t *element)
{
	uint64_t word;

	if (flags > BPF_EXIST)
		return -EINVAL;
	if (flags != BPF_NOEXIST) {
		*element = key_word(map, key, &word) ? search_word(map, word)
						     : search(map, key, hash_of(map, key));
		if (*element != NO_ELEMENT)
			return 0;
	}
	return element_new(map, key, flags, element);
}

static int hash_remove(struct bpf_map *map, const void *key)
{
	struct hash *hash = map->hash;
	uint32_t element;
	uint64_t irq;

	if (!map_lock(&hash->lock, &irq))
		return -EBUSY;
	element = search(map, key, hash_of(map, key));
	if (element != NO_ELEMENT) {
		unlink_element(hash, element);
		hash->elements[element].next = hash->free;
		hash->free = element;
	}
	map_unlock(&hash->lock, irq);
	return element == NO_ELEMENT ? -ENOENT : 0;
}

static int hash_next(struct bpf_map *map, const void *key, void *next)
{
	struct hash *hash = map->hash;
	uint32_t at = key ? search(map, key, hash_of(map, key)) : NO_ELEMENT;

	for (at = at == NO_ELEMENT ? 0 : at + 1; at < map->max_entries; at++)
		if (hash->elements[at].used) {
			memcpy(next, key_of(hash, at), map->key_size);
			return 0;
		}
	return -ENOENT;
}

static const void *hash_key_of(const struct bpf_map *map, uint32_t element)
{
	return map->hash->elements[element].used ? key_of(map->hash, element) : NULL;
}

#define FLAGS                                                                                      \
	(BPF_F_NO_PREALLOC | BPF_F_RDONLY | BPF_F_WRONLY | BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG | \
	 BPF_F_NUMA_NODE | BPF_F_ZERO_SEED)
#define LRU_FLAGS (FLAGS | BPF_F_NO_COMMON_LRU)

#define HASH(called, with, each)         \
	const struct map_kind called = { \
	    .per_cpu = each,             \
	    .in_values = true,           \
	    .flags = with,               \
	    .init = hash_init,           \
	    .destroy = hash_destroy,     \
	    .find = hash_find,           \
	    .place = hash_place,         \
	    .remove = hash_remove,       \
	    .key_of = hash_key_of,       \
	    .next = hash_next,           \
	}

HASH(hash_kind, FLAGS, false);
HASH(percpu_hash_kind, FLAGS & ~BPF_F_NUMA_NODE, true);
HASH(lru_hash_kind, LRU_FLAGS, false);
HASH(lru_percpu_hash_kind, LRU_FLAGS & ~BPF_F_NUMA_NODE, true);

static int maps_init(struct bpf_map *map)
{
	int err = map->value_size == sizeof(uint32_t) ? hash_init(map) : -EINVAL;

	if (err)
		return err;
	err = inner_init(map);
	if (err)
		hash_destroy(map);
	return err;
}

static void maps_destroy(struct bpf_map *map)
{
	inner_destroy(map);
	hash_destroy(map);
}

static int maps_remove(struct bpf_map *map, const void *key)
{
	int err = inner_remove(map, key);

	return err ? err : hash_remove(map, key);
}

const struct map_kind hash_of_maps_kind = {
    .of_maps = true,
    .flags = FLAGS,
    .init = maps_init,
    .destroy = maps_destroy,
    .find = hash_find,
    .place = hash_place,
    .remove = maps_remove,
    .next = hash_next,
    .get = inner_get,
    .put = inner_put,
};

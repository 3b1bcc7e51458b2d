/* SPDX-License-Identifier: BSD-2-Clause */
/* BPF_MAP_TYPE_STACK_TRACE: call chains by id, which is their hash. */
#include <linux/errno.h>
#include "bpf/map/map.h"
#include "kernel/base/string.h"
#include "kernel/mem/memory.h"
#include "pmu/base/limits.h"
#include "pmu/core/core.h"

#define STACKS_MAX 4096 /* that a map holds, however many numbers it has */

struct stack {
	uint32_t nr;
	uint32_t hash;
	uint64_t addresses[];
};

struct stacks {
	struct spinlock lock;
	uint32_t nr_buckets, capacity, used;
	size_t stride;
	uint16_t *buckets; /* number of a stack plus 1; 0: none */
	uint16_t *free;    /* numbers of stacks that are not used */
	uint8_t *all;
};

static struct stack *stack_at(const struct stacks *stacks, uint32_t number)
{
	return (struct stack *)(stacks->all + number * stacks->stride);
}

static void stacks_destroy(struct bpf_map *map)
{
	kfree(map->stacks->buckets);
	kfree(map->stacks->free);
	kfree(map->stacks->all);
	kfree(map->stacks);
	nr_callchain_events--;
}

static int stacks_init(struct bpf_map *map)
{
	struct stacks *stacks;
	uint32_t nr = 1;

	if (map->key_size != 4 || !map->max_entries || map->value_size < 8 || map->value_size % 8 ||
	    map->value_size / 8 > perf_limits.max_stack)
		return -EINVAL;
	if (map->max_entries > MAP_BYTES_MAX / sizeof(uint16_t))
		return -E2BIG;
	while (nr < map->max_entries)
		nr *= 2;
	stacks = map->stacks = kalloc(sizeof(*stacks));
	if (!stacks)
		return -ENOMEM;
	nr_callchain_events++;
	stacks->nr_buckets = nr;
	stacks->capacity = map->max_entries < STACKS_MAX ? map->max_entries : STACKS_MAX;
	stacks->stride = sizeof(struct stack) + map->value_size;
	stacks->buckets = kalloc(nr * sizeof(uint16_t));
	stacks->free = kalloc(stacks->capacity * sizeof(uint16_t));
	stacks->all = kalloc(stacks->capacity * stacks->stride);
	if (!stacks->buckets || !stacks->free || !stacks->all) {
		stacks_destroy(map);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < stacks->capacity; i++)
		stacks->free[i] = (uint16_t)i;
	return 0;
}

static uint32_t hash_of(const uint64_t *addresses, uint32_t nr)
{
	uint64_t hash = nr;

	while (nr--)
		hash = (hash ^ *addresses++) * 0x9e3779b97f4a7c15ul;
	return (uint32_t)(hash >> 32);
}

static bool is_same(const struct stack *stack, uint32_t hash, const uint64_t *addresses,
		    uint32_t nr, bool fast)
{
	return stack->hash == hash &&
	       (fast || (stack->nr == nr && !memcmp(stack->addresses, addresses, nr * 8ul)));
}

/* With the lock. */
static int64_t stacks_enter(struct stacks *stacks, uint32_t id, uint32_t hash,
			    const uint64_t *addresses, uint32_t nr)
{
	struct stack *stack;

	if (stacks->used == stacks->capacity)
		return -ENOMEM; /* also for one that takes another's place, as on Linux */
	if (!stacks->buckets[id])
		stacks->buckets[id] = stacks->free[stacks->used++] + 1;
	stack = stack_at(stacks, stacks->buckets[id] - 1u);
	stack->nr = nr;
	stack->hash = hash;
	memcpy(stack->addresses, addresses, nr * 8ul);
	return id;
}

int64_t stacks_id(struct bpf_map *map, const uint64_t *addresses, uint32_t nr, uint64_t flags)
{
	struct stacks *stacks = map->stacks;
	uint32_t most = map->value_size / 8, hash, id;
	const struct stack *there;
	int64_t result;
	uint64_t irq;

	nr = nr < most ? nr : most;
	hash = hash_of(addresses, nr);
	id = hash & (stacks->nr_buckets - 1);
	if (!map_lock(&stacks->lock, &irq))
		return -EBUSY;
	there = stacks->buckets[id] ? stack_at(stacks, stacks->buckets[id] - 1u) : NULL;
	if (there && is_same(there, hash, addresses, nr, flags & BPF_F_FAST_STACK_CMP))
		result = id;
	else if (there && !(flags & BPF_F_REUSE_STACKID))
		result = -EEXIST;
	else
		result = stacks_enter(stacks, id, hash, addresses, nr);
	map_unlock(&stacks->lock, irq);
	return result;
}

static uint16_t *bucket_of(struct bpf_map *map, const void *key)
{
	uint32_t id;

	memcpy(&id, key, sizeof(id));
	return id < map->stacks->nr_buckets && map->stacks->buckets[id] ? &map->stacks->buckets[id]
									: NULL;
}

static int stacks_get(struct bpf_map *map, const void *key, void *value)
{
	const uint16_t *bucket = bucket_of(map, key);
	const struct stack *stack;

	if (!bucket)
		return -ENOENT;
	stack = stack_at(map->stacks, *bucket - 1u);
	memset(value, 0, map->value_size);
	memcpy(value, stack->addresses, stack->nr * 8ul);
	return 0;
}

static int stacks_remove(struct bpf_map *map, const void *key)
{
	struct stacks *stacks = map->stacks;
	uint16_t *bucket;
	uint64_t irq;

	if (!map_lock(&stacks->lock, &irq))
		return -EBUSY;
	bucket = bucket_of(map, key);
	if (bucket) {
		stacks->free[--stacks->used] = *bucket - 1;
		*bucket = 0;
	}
	map_unlock(&stacks->lock, irq);
	return bucket ? 0 : -ENOENT;
}

static int stacks_next(struct bpf_map *map, const void *key, void *next)
{
	const struct stacks *stacks = map->stacks;
	uint32_t id = 0;

	if (key && bucket_of(map, key)) {
		memcpy(&id, key, sizeof(id));
		id++;
	}
	while (id < stacks->nr_buckets && !stacks->buckets[id])
		id++;
	if (id >= stacks->nr_buckets)
		return -ENOENT;
	memcpy(next, &id, sizeof(id));
	return 0;
}

/* Only helpers can store stacks. */
static int stacks_put(struct bpf_map *map, struct file *through, const void *key, const void *value,
		      uint64_t flags)
{
	(void)map;
	(void)through;
	(void)key;
	(void)value;
	(void)flags;
	return -EINVAL;
}

const struct map_kind stack_kind = {
    .flags = BPF_F_RDONLY | BPF_F_WRONLY | BPF_F_NUMA_NODE,
    .init = stacks_init,
    .destroy = stacks_destroy,
    .remove = stacks_remove,
    .next = stacks_next,
    .get = stacks_get,
    .put = stacks_put,
};

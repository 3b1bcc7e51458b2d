/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of probes: by number, by name, and by group. All operations take logarithmic time. */
#include <linux/errno.h>
#include "kernel/base/string.h"
#include "trace/base/syscalls.h"
#include "trace/probe/probe.h"

#define FIRST_ID (NR_POINTS + 1 + 2 * NR_TRACED_CALLS)
#define LAST_ID  UINT16_MAX

static uint64_t last_group; /* the numbers of groups are never used again */

/* ---- orders ---- */

/* A search key: an id, a group's number and an id, or names. */
struct key {
	uint64_t id, group;
	const char *system, *name;
};

static int by_id(const struct probe *probe, const struct key *key)
{
	return probe->event.id < key->id ? -1 : probe->event.id > key->id;
}

static int by_group(const struct probe *probe, const struct key *key)
{
	if (probe->group != key->group)
		return probe->group < key->group ? -1 : 1;
	return by_id(probe, key);
}

static int by_name(const struct probe *probe, const struct key *key)
{
	int way = strcmp(probe->system, key->system);

	return way ? way : strcmp(probe->name, key->name);
}

static struct key key_of(const struct probe *probe)
{
	return (struct key){probe->event.id, probe->group, probe->system, probe->name};
}

#define ORDER(order)                                                                     \
	static struct probe *order##_probe(const struct tree_node *node)                 \
	{                                                                                \
		return container_of(node, struct probe, order##_node);                   \
	}                                                                                \
	static bool order##_before(const struct tree_node *a, const struct tree_node *b) \
	{                                                                                \
		struct key key = key_of(order##_probe(b));                               \
                                                                                         \
		return by_##order(order##_probe(a), &key) < 0;                           \
	}                                                                                \
	static struct tree order##_tree = {.before = order##_before};                    \
	/* The first that does not sort before the key, NULL: none. */                   \
	static struct probe *order##_from(const struct key *key)                         \
	{                                                                                \
		struct tree_node *node = order##_tree.root;                              \
		struct probe *found = NULL;                                              \
                                                                                         \
		while (node) {                                                           \
			bool is_before = by_##order(order##_probe(node), key) < 0;       \
                                                                                         \
			found = is_before ? found : order##_probe(node);                 \
			node = is_before ? node->right : node->left;                     \
		}                                                                        \
		return found;                                                            \
	}

ORDER(id)
ORDER(group)
ORDER(name)

/* ---- numbers ---- */

static uint64_t taken[(LAST_ID + 64) / 64]; /* ids from FIRST_ID on, a bit each */

static int take_id(struct probe *probe)
{
	for (unsigned word = 0; word < sizeof(taken) / sizeof(taken[0]); word++) {
		unsigned bit = ~taken[word] ? (unsigned)__builtin_ctzll(~taken[word]) : 64;
		uint64_t id = FIRST_ID + word * 64 + bit;

		if (bit == 64 || id > LAST_ID)
			continue;
		taken[word] |= 1ul << bit;
		probe->event.id = (uint16_t)id;
		return 0;
	}
	return -ENOSPC;
}

static void give_id_back(const struct probe *probe)
{
	unsigned at = probe->event.id - FIRST_ID;

	taken[at / 64] &= ~(1ul << at % 64);
}

/* ---- comings and goings ---- */

int probe_enter(struct probe *probe)
{
	int err = take_id(probe);

	if (err)
		return err;
	tree_insert(&id_tree, &probe->id_node);
	if (!probe->is_named)
		return 0;
	probe->group = probe_group(probe->system, strlen(probe->system));
	if (!probe->group)
		probe->group = ++last_group;
	tree_insert(&group_tree, &probe->group_node);
	tree_insert(&name_tree, &probe->name_node);
	return 0;
}

void probe_leave(struct probe *probe)
{
	if (!tree_holds(&probe->id_node))
		return;
	tree_remove(&id_tree, &probe->id_node);
	give_id_back(probe);
	if (!probe->is_named)
		return;
	tree_remove(&group_tree, &probe->group_node);
	tree_remove(&name_tree, &probe->name_node);
}

/* ---- who is there ---- */

struct trace_event *probe_by_id(uint64_t id)
{
	struct probe *probe = id_from(&(struct key){.id = id});

	return probe && probe->event.id == id && probe->is_named ? &probe->event : NULL;
}

struct probe *probe_next(uint64_t *at)
{
	struct probe *probe = id_from(&(struct key){.id = FIRST_ID + *at});

	while (probe && !probe->is_named) {
		struct tree_node *node = tree_next(&probe->id_node);

		probe = node ? id_probe(node) : NULL;
	}
	if (probe)
		*at = probe->event.id - FIRST_ID + 1u;
	return probe;
}

struct probe *probe_by_name(const char *system, const char *name)
{
	struct probe *probe = name_from(&(struct key){.system = system, .name = name});

	return probe && strcmp(probe->system, system) == 0 && strcmp(probe->name, name) == 0 ? probe
											     : NULL;
}

/* ---- groups ---- */

uint64_t probe_group(const char *name, size_t length)
{
	char system[PROBE_NAME];
	const struct probe *probe;

	if (length >= sizeof(system))
		return 0;
	memcpy(system, name, length);
	system[length] = 0;
	probe = name_from(&(struct key){.system = system, .name = ""});
	return probe && strcmp(probe->system, system) == 0 ? probe->group : 0;
}

const char *probe_group_next(uint64_t *group)
{
	const struct probe *probe = group_from(&(struct key){.group = *group});

	if (!probe)
		return NULL;
	*group = probe->group;
	return probe->system;
}

struct probe *probe_in_group(uint64_t group, uint64_t *at)
{
	struct probe *probe = group_from(&(struct key){.group = group, .id = FIRST_ID + *at});

	if (!probe || probe->group != group)
		return NULL;
	*at = probe->event.id - FIRST_ID + 1u;
	return probe;
}

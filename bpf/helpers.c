/* SPDX-License-Identifier: BSD-2-Clause */
/* Helper functions: maps, ring buffers, tasks, time. helpers_trace.c has the ones for memory and
 * stacks. */
#include <linux/errno.h>
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/cpu.h"
#include "bpf/helper_body.h"
#include "bpf/map/inner.h"
#include "kernel/base/string.h"
#include "kernel/task/membership/cgroup.h"
#include "kernel/task/membership/namespaces.h"
#include "kernel/task/task.h"

#define NS_PER_JIFFY 4000000ul /* HZ is 250, as Debian's */

static struct bpf_map *map_argument(struct run *run, uint64_t pointer)
{
	struct bpf_map *map = run_map(run, pointer);

	run->failed |= !map;
	return map;
}

/* Returns a pointer to the element's value for a processor. */
static uint64_t value_pointer(uint64_t number, const struct bpf_map *map, const uint8_t *value)
{
	return run_pointer(REGION_MAPS + (uint32_t)number, (uint32_t)(value - map->values));
}

/* Returns a pointer to an inner map; inner maps that a run finds are numbered after the program's
 * maps. */
static uint64_t inner_pointer(struct run *run, struct bpf_map *map, uint64_t key)
{
	struct bpf_map *inner = inner_at(map, MEMORY(key, map->key_size, false));
	uint32_t i = 0;

	while (i < run->nr_inner && run->inner[i] != inner)
		i++;
	if (!inner || i == INNER_MAX)
		return 0;
	run->inner[i] = inner;
	if (i == run->nr_inner)
		run->nr_inner++;
	return run_pointer(REGION_MAP_NAMES + PROGRAM_MAPS + i, 0);
}

uint64_t helper_lookup(struct bpf_map *map, uint64_t number, const void *key)
{
	uint32_t element = map->kind->find(map, key);

	return element == NO_ELEMENT ? 0 : value_pointer(number, map, map_value_here(map, element));
}

HELPER(map_lookup_elem)
{
	uint64_t number = run_map_number(a[0]);
	struct bpf_map *map = run_map_at(run, number);

	if (!map || !map->kind->in_values) {
		run->failed = !map || !map->kind->of_maps;
		return run->failed ? 0 : inner_pointer(run, map, a[1]);
	}
	if (map->kind == &array_kind)
		return array_pointer(map, number, MEMORY(a[1], sizeof(uint32_t), false));
	return helper_lookup(map, number, MEMORY(a[1], map->key_size, false));
}

HELPER(map_lookup_percpu_elem)
{
	struct bpf_map *map = map_argument(run, a[0]);
	uint32_t element, cpu = (uint32_t)a[2];

	if (!map || !map->kind->in_values || !map->kind->per_cpu) {
		run->failed = true;
		return 0;
	}
	element = map->kind->find(map, MEMORY(a[1], map->key_size, false));
	return element == NO_ELEMENT || cpu >= nr_cpus
		   ? 0
		   : value_pointer(run_map_number(a[0]), map, map_value(map, element, cpu));
}

/* Values are usually one word. */
static void copy_value(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
	uint64_t word;

	if (bytes != sizeof(word)) {
		memmove(to, from, bytes);
		return;
	}
	__builtin_memcpy(&word, from, sizeof(word));
	__builtin_memcpy(to, &word, sizeof(word));
}

uint64_t helper_update(struct bpf_map *map, const void *key, const void *value, uint64_t flags)
{
	uint32_t element;
	int err = map->kind->place(map, key, flags, &element);

	if (err)
		return ERROR(-err);
	copy_value(map_value_here(map, element), value, map->value_size);
	return 0;
}

HELPER(map_update_elem)
{
	struct bpf_map *map = run_map(run, a[0]);
	const void *key;

	if (!map || !map->kind->in_values || map->flags & BPF_F_RDONLY_PROG) {
		run->failed = true;
		return 0;
	}
	key = MEMORY(a[1], map->key_size, false);
	return helper_update(map, key, MEMORY(a[2], map->value_size, false), a[3]);
}

HELPER(map_delete_elem)
{
	struct bpf_map *map = map_argument(run, a[0]);

	if (!map || !map->kind->in_values || map->flags & BPF_F_RDONLY_PROG) {
		run->failed = true;
		return 0;
	}
	return (uint64_t)(int64_t)map->kind->remove(map, MEMORY(a[1], map->key_size, false));
}

/* ---- ring buffers ---- */

static struct bpf_map *ring_argument(struct run *run, uint64_t pointer)
{
	struct bpf_map *map = map_argument(run, pointer);

	if (map && map->type == BPF_MAP_TYPE_RINGBUF)
		return map;
	run->failed = true;
	return NULL;
}

HELPER(ringbuf_output)
{
	struct bpf_map *map = ring_argument(run, a[0]);
	const void *data;
	void *record;

	if (!map)
		return 0;
	if (a[3] & ~(uint64_t)(BPF_RB_NO_WAKEUP | BPF_RB_FORCE_WAKEUP))
		return ERROR(EINVAL);
	data = MEMORY(a[1], a[2], false);
	record = ring_record_reserve(map, (uint32_t)a[2]);
	if (!record)
		return ERROR(EAGAIN);
	memcpy(record, data, a[2]);
	ring_record_commit(map, record, a[3], false);
	return 0;
}

HELPER(ringbuf_reserve)
{
	struct bpf_map *map = ring_argument(run, a[0]);
	unsigned i = 0;

	while (i < RECORDS_MAX && run->records[i].record)
		i++;
	if (!map || a[2] || i == RECORDS_MAX || a[1] > UINT32_MAX)
		return 0;
	run->records[i].record = ring_record_reserve(map, (uint32_t)a[1]);
	if (!run->records[i].record)
		return 0;
	run->has_records = true;
	run->records[i].map = map;
	run->records[i].bytes = (uint32_t)a[1];
	return run_pointer(REGION_RECORDS + i, 0);
}

static uint64_t give_back(struct run *run, const uint64_t a[5], bool discard)
{
	uint64_t i = (a[0] >> REGION_SHIFT & 0xffff) - REGION_RECORDS;

	if (a[0] >> 48 != POINTER_TAG || (uint32_t)a[0] || i >= RECORDS_MAX ||
	    !run->records[i].record) {
		run->failed = true;
		return 0;
	}
	ring_record_commit(run->records[i].map, run->records[i].record, a[1], discard);
	run->records[i].record = NULL;
	return 0;
}

HELPER(ringbuf_submit)
{
	return give_back(run, a, false);
}

HELPER(ringbuf_discard)
{
	return give_back(run, a, true);
}

HELPER(ringbuf_query)
{
	struct bpf_map *map = ring_argument(run, a[0]);

	return map ? ring_record_query(map, a[1]) : 0;
}

/* ---- tasks, time, processors ---- */

HELPER(ktime_get_ns)
{
	(void)run;
	(void)a;
	return clock_ns();
}

HELPER(jiffies64)
{
	(void)run;
	(void)a;
	return clock_ns() / NS_PER_JIFFY;
}

/* Linux's jiffies start five minutes before they wrap; ours start at 0. */
HELPER(get_smp_processor_id)
{
	(void)run;
	(void)a;
	return this_cpu_read(id);
}

HELPER(get_current_pid_tgid)
{
	(void)run;
	(void)a;
	return (uint64_t)(uint32_t)current_task()->tgid << 32 | (uint32_t)current_task()->pid;
}

HELPER(get_current_uid_gid)
{
	(void)run;
	(void)a;
	return (uint64_t)current_task()->cred.gid.real << 32 | current_task()->cred.uid.real;
}

HELPER(get_current_comm)
{
	char *to = MEMORY(a[0], a[1], true);

	if (!a[1])
		return ERROR(EINVAL);
	memset(to, 0, a[1]);
	strlcpy(to, current_task()->comm, a[1]);
	return 0;
}

HELPER(get_current_task)
{
	(void)run;
	(void)a;
	return (uint64_t)current_task();
}

/* Programs read through the pointer with probe_read_kernel, as for any kernel memory. */
HELPER(get_current_task_btf)
{
	return help_get_current_task(run, a);
}

/* There is one pid namespace: another device and inode yield an error. */
HELPER(get_ns_current_pid_tgid)
{
	uint32_t *numbers = MEMORY(a[2], a[3], true);

	if (a[3] != 2 * sizeof(numbers[0]) || a[0] != NAMESPACE_DEVICE ||
	    a[1] != namespaces[NAMESPACE_PID].number) {
		memset(numbers, 0, a[3]);
		return ERROR(EINVAL);
	}
	numbers[0] = (uint32_t)current_task()->pid;
	numbers[1] = (uint32_t)current_task()->tgid;
	return 0;
}

HELPER(get_current_cgroup_id)
{
	(void)run;
	(void)a;
	return cgroup_of(current_task())->id;
}

HELPER(current_task_under_cgroup)
{
	struct bpf_map *map = map_argument(run, a[0]);

	return map ? (uint64_t)(int64_t)cgroup_array_holds(map, a[1], current_task()) : 0;
}

HELPER(get_numa_node_id)
{
	(void)run;
	(void)a;
	return 0;
}

/* xorshift is sufficient. */
HELPER(get_prandom_u32)
{
	static uint64_t state = 0x9e3779b97f4a7c15ul;
	uint64_t x = __atomic_load_n(&state, __ATOMIC_RELAXED) ^ clock_ns();

	(void)run;
	(void)a;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	__atomic_store_n(&state, x, __ATOMIC_RELAXED);
	return (uint32_t)(x >> 16);
}

HELPER(get_attach_cookie)
{
	(void)a;
	return run_context(run)->cookie;
}

HELPER(get_func_ip)
{
	(void)a;
	return run_context(run)->function;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers that observe: perf events, stacks, memory of ring 3 and the kernel. */
#include <linux/errno.h>
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/cpu.h"
#include "bpf/helper_body.h"
#include "kernel/base/string.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/task.h"
#include "pmu/base/context.h"
#include "pmu/base/hardware.h"
#include "pmu/base/limits.h"
#include "pmu/core/core.h"
#include "pmu/record/branch.h"
#include "pmu/record/callchain.h"
#include "pmu/record/raw.h"
#include "pmu/record/sample.h"
#include "trace/base/perf.h"

/* ---- perf events ---- */

#define DATA_MAX 0xf000 /* bytes of one output: a record has at most 64 KiB */

/* Returns the map of perf events of the pointer, NULL: an error of the program. */
static struct bpf_map *perf_array(struct run *run, uint64_t pointer)
{
	struct bpf_map *map = run_map(run, pointer);

	if (map && map->type == BPF_MAP_TYPE_PERF_EVENT_ARRAY)
		return map;
	run->failed = true;
	return NULL;
}

/* Finds the event for the map and flags: 0, or the error. */
static inline int find_event(struct bpf_map *map, uint64_t flags, struct perf_event **event)
{
	uint64_t index = flags & BPF_F_INDEX_MASK;

	if (flags & ~(uint64_t)BPF_F_INDEX_MASK)
		return EINVAL;
	if (index == BPF_F_CURRENT_CPU)
		index = this_cpu_read(id);
	if (index >= map->max_entries)
		return E2BIG;
	*event = perf_array_event(map, (uint32_t)index);
	return *event ? 0 : ENOENT;
}

/* True if it counts on this processor. */
static inline bool is_here(const struct perf_event *event)
{
	return event->state == EVENT_ACTIVE && event->ctx->active &&
	       event->ctx->cpu == this_cpu_read(id);
}

/* Slow path of sample_write_raw(): 0 or the error. */
static __attribute__((noinline)) uint64_t output_any(struct run *run, struct perf_event *event,
						     const struct raw_data *data)
{
	const struct raw_data *outer = event->hw.raw;
	uint64_t lost = event->lost;

	if (event->attr.type != PERF_TYPE_SOFTWARE ||
	    event->attr.config != PERF_COUNT_SW_BPF_OUTPUT)
		return ERROR(EINVAL);
	if (!is_here(event))
		return ERROR(EOPNOTSUPP);
	event->hw.raw = data;
	sample_write(event, (struct frame *)run_context(run)->frame, 0, 0);
	event->hw.raw = outer;
	/* Events of maps are opened ones, not inherited. */
	return event->lost != lost || !event_origin(event)->ring ? ERROR(ENOSPC) : 0;
}

/* Returns the context's registers, without filling in the rest. */
static inline const struct frame *run_frame(const struct run *run)
{
	const struct bpf_context *context = &run->context;

	if (!context->fill)
		return context->frame;
	return run->program->type == BPF_PROG_TYPE_PERF_EVENT
		   ? context->hit
		   : ((const struct trace_record *)context->hit)->frame;
}

uint64_t helper_output(struct run *run, struct bpf_map *map, uint64_t flags,
		       const struct raw_data *data)
{
	struct perf_event *event;
	int err = find_event(map, flags, &event);

	if (err)
		return ERROR(err);
	if (event->raw_output && is_here(event) && sample_write_raw(event, run_frame(run), data))
		return 0;
	return output_any(run, event, data);
}

HELPER(perf_event_output)
{
	struct bpf_map *map = perf_array(run, a[1]);
	struct raw_data raw = {.bytes = (uint32_t)a[4]};

	if (!map)
		return 0;
	raw.data = MEMORY(a[3], a[4], false);
	return a[4] > DATA_MAX ? ERROR(E2BIG) : helper_output(run, map, a[2], &raw);
}

static void fill_value(const struct perf_event *event, struct bpf_perf_event_value *value)
{
	uint64_t enabled, running;

	event_times(event, clock_ns(), &enabled, &running);
	*value = (struct bpf_perf_event_value){event_count(event), enabled, running};
}

/* Reads its value and times, if possible on this processor: 0, or the error. */
static int read_event(struct run *run, const uint64_t a[5], struct bpf_perf_event_value *value)
{
	struct bpf_map *map = perf_array(run, a[0]);
	struct perf_event *event;
	int err = map ? find_event(map, a[1], &event) : EINVAL;

	if (err)
		return err;
	if (event->attr.inherit)
		return EOPNOTSUPP;
	if ((!event->ctx->of_cpu && event->ctx->task != current_task()) ||
	    (event->cpu >= 0 && event->cpu != (int)this_cpu_read(id)))
		return EINVAL;
	if (event->state == EVENT_ACTIVE)
		event->pmu->read(event);
	fill_value(event, value);
	return 0;
}

HELPER(perf_event_read)
{
	struct bpf_perf_event_value value;
	int err = read_event(run, a, &value);

	return err ? ERROR(err) : value.counter;
}

HELPER(perf_event_read_value)
{
	struct bpf_perf_event_value *to = MEMORY(a[2], a[3], true);
	int err = a[3] == sizeof(*to) ? read_event(run, a, to) : EINVAL;

	if (err)
		memset(to, 0, a[3]);
	return err ? ERROR(err) : 0;
}

HELPER(perf_prog_read_value)
{
	struct bpf_perf_event_value *to = MEMORY(a[1], a[2], true);

	if (a[2] != sizeof(*to)) {
		memset(to, 0, a[2]);
		return ERROR(EINVAL);
	}
	fill_value(run_context(run)->event, to);
	return 0;
}

HELPER(read_branch_records)
{
	const struct perf_event *event = run_context(run)->event;
	const struct branch_stack *stack =
	    event->pmu->branches ? event->pmu->branches(event) : NULL;
	uint64_t bytes = stack ? stack->nr * sizeof(struct perf_branch_entry) : 0;

	if (a[3] & ~(uint64_t)BPF_F_GET_BRANCH_RECORDS_SIZE)
		return ERROR(EINVAL);
	if (!stack)
		return ERROR(ENOENT);
	if (a[3])
		return bytes;
	if (!a[1] || a[2] % sizeof(struct perf_branch_entry))
		return ERROR(EINVAL);
	bytes = bytes < a[2] ? bytes : a[2];
	memcpy(MEMORY(a[1], a[2], true), stack->entries, bytes);
	return bytes;
}

/* ---- stacks ---- */

#define STACK_FLAGS (BPF_F_SKIP_FIELD_MASK | BPF_F_USER_STACK)

/* Collects the addresses of one ring after the skipped ones. False: fewer frames than `skip`. */
static bool collect_stack(struct run *run, uint64_t flags, const uint64_t **addresses,
			  uint32_t *left)
{
	struct context ctx = {.of_cpu = true};
	struct perf_event event = {.ctx = &ctx};
	bool user = flags & BPF_F_USER_STACK;
	uint32_t nr, skip = flags & BPF_F_SKIP_FIELD_MASK;
	const uint64_t *chain;

	event.attr.sample_max_stack =
	    perf_limits.max_stack < UINT16_MAX ? (uint16_t)perf_limits.max_stack : UINT16_MAX;
	event.attr.exclude_callchain_kernel = user;
	event.attr.exclude_callchain_user = !user;
	nr = callchain_collect(&event, run_context(run)->frame, &chain);
	/* The first entry is the marker. */
	nr = nr ? nr - 1 : 0;
	*addresses = chain + 1 + skip;
	*left = nr - skip;
	return skip <= nr;
}

HELPER(get_stackid)
{
	struct bpf_map *map = run_map(run, a[1]);
	const uint64_t *addresses;
	uint32_t nr;

	if (!map || map->type != BPF_MAP_TYPE_STACK_TRACE) {
		run->failed = true;
		return 0;
	}
	if (a[2] & ~(uint64_t)(STACK_FLAGS | BPF_F_FAST_STACK_CMP | BPF_F_REUSE_STACKID))
		return ERROR(EINVAL);
	return collect_stack(run, a[2], &addresses, &nr) && nr
		   ? (uint64_t)stacks_id(map, addresses, nr, a[2])
		   : ERROR(EFAULT);
}

HELPER(get_stack)
{
	uint64_t *to = MEMORY(a[1], a[2], true);
	const uint64_t *addresses;
	uint32_t nr, most = (uint32_t)a[2] / 8;

	if (a[3] & ~(uint64_t)STACK_FLAGS || a[2] % 8) {
		memset(to, 0, a[2]);
		return ERROR(EINVAL);
	}
	if (!collect_stack(run, a[3], &addresses, &nr)) {
		memset(to, 0, a[2]);
		return ERROR(EFAULT);
	}
	nr = nr < most ? nr : most;
	memcpy(to, addresses, nr * 8ul);
	memset(to + nr, 0, a[2] - nr * 8ul);
	return nr * 8ul;
}

/* ---- memory ---- */

size_t helper_peek(struct run *run, void *to, uint64_t from, size_t bytes, bool user)
{
	const void *own = user ? NULL : run_memory(run, from, bytes, false);

	if (own)
		memmove(to, own, bytes);
	if (own)
		return bytes;
	return user ? peek_user(to, from, bytes) : peek_kernel(to, from, bytes);
}

#define KERNEL_BEGIN 0xffff800000000000ul /* lowest kernel address */

/* True if it is neither a kernel address nor the program's own: Linux has another error for
 * that. */
static bool is_foreign(uint64_t address, bool user)
{
	return !user && address < KERNEL_BEGIN && address >> 48 != POINTER_TAG;
}

static uint64_t read_bytes(struct run *run, const uint64_t a[5], bool user)
{
	void *to = MEMORY(a[0], a[1], true);
	bool foreign = is_foreign(a[2], user);

	if (!foreign && helper_peek(run, to, a[2], a[1], user) == a[1])
		return 0;
	memset(to, 0, a[1]);
	return foreign ? ERROR(ERANGE) : ERROR(EFAULT);
}

HELPER(probe_read)
{
	return read_bytes(run, a, a[2] < USER_END);
}

HELPER(probe_read_user)
{
	return read_bytes(run, a, true);
}

HELPER(probe_read_kernel)
{
	return read_bytes(run, a, false);
}

/* Reads a string with its NUL: returns the bytes written; 0 for an empty user string, as Linux
 * does. */
static uint64_t read_string(struct run *run, const uint64_t a[5], bool user)
{
	char *to = MEMORY(a[0], a[1], true);
	uint64_t done = 0, own = run_memory(run, a[2], 1, false) != NULL;

	while (done < a[1]) {
		uint64_t at = a[2] + done, room = own ? 1 : PAGE_SIZE - at % PAGE_SIZE;
		size_t part = a[1] - done < room ? a[1] - done : room,
		       got = helper_peek(run, to + done, at, part, user);

		for (size_t i = 0; i < got; i++)
			if (!to[done + i])
				return user && !(done + i) ? 0 : done + i + 1;
		done += got;
		if (got < part) {
			memset(to, 0, a[1]);
			return is_foreign(a[2], user) ? ERROR(ERANGE) : ERROR(EFAULT);
		}
	}
	if (a[1])
		to[a[1] - 1] = 0;
	return a[1];
}

HELPER(probe_read_str)
{
	return read_string(run, a, a[2] < USER_END);
}

HELPER(probe_read_user_str)
{
	return read_string(run, a, true);
}

HELPER(probe_read_kernel_str)
{
	return read_string(run, a, false);
}

/* ---- which there are ---- */

/* Kinds of programs that may call a helper. */
enum { AT_SAMPLES = 1, AT_RAW_POINTS = 2, ELSEWHERE = 4, EVERYWHERE = 7 };

static unsigned kind_of(uint32_t type)
{
	return type == BPF_PROG_TYPE_PERF_EVENT ? AT_SAMPLES
	       : type == BPF_PROG_TYPE_RAW_TRACEPOINT || type == BPF_PROG_TYPE_TRACING
		   ? AT_RAW_POINTS
		   : ELSEWHERE;
}

#define ALL(name, arguments)     [BPF_FUNC_##name] = {help_##name, EVERYWHERE, arguments},
#define SAMPLED(name, arguments) [BPF_FUNC_##name] = {help_##name, AT_SAMPLES, arguments},
#define NOT_RAW(name, arguments) \
	[BPF_FUNC_##name] = {help_##name, EVERYWHERE - AT_RAW_POINTS, arguments},

static const struct {
	helper_fn *call;
	uint8_t kinds, arguments;
} helpers[] = {
    HELPERS(ALL, SAMPLED, NOT_RAW)[BPF_FUNC_ktime_get_boot_ns] = {help_ktime_get_ns, EVERYWHERE, 0},
    [BPF_FUNC_tail_call] = {help_get_func_ip, EVERYWHERE, 3}, /* the interpreter's own */
};

helper_fn *helper_find(uint32_t number, uint32_t type)
{
	if (number >= sizeof(helpers) / sizeof(helpers[0]))
		return NULL;
	return helpers[number].kinds & kind_of(type) ? helpers[number].call : NULL;
}

unsigned helper_arguments(uint32_t number)
{
	return helpers[number].arguments;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The files /proc/sys/kernel/perf_*: root's limits on perf_event_open(2); and /proc/kallsyms, which
 * obeys them. */
#include <linux/errno.h>
#include "api/perf/perf.h"
#include "kernel/base/number.h"
#include "kernel/base/symbols.h"
#include "kernel/fs/synthetic.h"
#include "kernel/task/task.h"
#include "pmu/base/cpu.h"
#include "pmu/base/limits.h"
#include "pmu/core/core.h"
#include "pmu/record/callchain.h"

#define FRAMES_LARGEST (640 * 1024)

static int free_to_set(int64_t value)
{
	(void)value;
	return 0;
}

/* The depth is fixed while events collect call chains. */
static int no_callchains(int64_t value)
{
	(void)value;
	return nr_callchain_events ? -EBUSY : 0;
}

static int have_room(int64_t frames)
{
	int err = no_callchains(frames);

	return err ? err : callchain_reserve((uint32_t)frames);
}

/* Without a limit of time the rate has no limit either. */
static int limits_time(int64_t rate)
{
	(void)rate;
	return perf_limits.cpu_percent % 100 ? 0 : -EINVAL;
}

/* A file for a limit: values from `least` to `most`, if `may` agrees. */
#define LIMIT(field, least, most, may)                                   \
	static void make_##field(struct text *out, uint64_t id)          \
	{                                                                \
		(void)id;                                                \
		text_print(out, "%d\n", (int)perf_limits.field);         \
	}                                                                \
	static int store_##field(const char *text, uint64_t id)          \
	{                                                                \
		int64_t value;                                           \
		int err = number_read_sysctl(text, least, most, &value); \
                                                                         \
		(void)id;                                                \
		if (!err)                                                \
			err = may(value);                                \
		if (!err) {                                              \
			perf_limits.field = (int)value;                  \
			throttle_limits_changed();                       \
		}                                                        \
		return err;                                              \
	}

LIMIT(paranoid, INT32_MIN, INT32_MAX, free_to_set)
LIMIT(sample_rate, 1, INT32_MAX, limits_time)
LIMIT(mlock_kb, INT32_MIN, INT32_MAX, free_to_set)
LIMIT(max_stack, 0, FRAMES_LARGEST, have_room)
LIMIT(max_contexts, 0, 1000, no_callchains)
LIMIT(cpu_percent, 0, 100, free_to_set)

/* Visibility of kernel pointers, together with perf_event_paranoid. */
static int kptr_restrict;

static void make_kptr_restrict(struct text *out, uint64_t id)
{
	(void)id;
	text_print(out, "%d\n", kptr_restrict);
}

static int store_kptr_restrict(const char *text, uint64_t id)
{
	int64_t value;
	int err = number_read_sysctl(text, 0, 2, &value);

	(void)id;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (!err)
		kptr_restrict = (int)value;
	return err;
}

/* True if the opener may see addresses of functions. */
static bool shows_addresses(void)
{
	if (!kptr_restrict && perf_limits.paranoid <= 1)
		return true;
	return kptr_restrict <= 1 && capable(CAP_SYSLOG);
}

extern const char text_start[], text_end[]; /* linker.ld */

static void make_kallsyms(struct text *out, uint64_t id)
{
	uint64_t address, mask = shows_addresses() ? UINT64_MAX : 0;
	const char *name;

	(void)id;
	text_print(out, "%016lx T _stext\n", (uint64_t)text_start & mask);
	for (uint32_t i = 0; i < symbols_count(); i++) {
		name = symbols_get(i, &address);
		text_print(out, "%016lx %c %s\n", address & mask, symbols_global(i) ? 'T' : 't',
			   name);
	}
	text_print(out, "%016lx T _etext\n", (uint64_t)text_end & mask);
}

#define KERNEL "/proc/sys/kernel/"

static const struct synthetic files[] = {
    {.path = KERNEL "perf_event_paranoid", .make = make_paranoid, .store = store_paranoid},
    {.path = KERNEL "perf_event_max_sample_rate",
     .make = make_sample_rate,
     .store = store_sample_rate},
    {.path = KERNEL "perf_event_mlock_kb", .make = make_mlock_kb, .store = store_mlock_kb},
    {.path = KERNEL "perf_event_max_stack", .make = make_max_stack, .store = store_max_stack},
    {.path = KERNEL "perf_event_max_contexts_per_stack",
     .make = make_max_contexts,
     .store = store_max_contexts},
    {.path = KERNEL "perf_cpu_time_max_percent",
     .make = make_cpu_percent,
     .store = store_cpu_percent},
    {.path = KERNEL "kptr_restrict", .make = make_kptr_restrict, .store = store_kptr_restrict},
    {.path = "/proc/kallsyms", .make = make_kallsyms},
};

void limits_init(void)
{
	for (unsigned i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		synthetic_add(&files[i]);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The clocks for records of tracefs's buffer, with Linux's names in its order. */
#include <linux/errno.h>
#include "arch/x86/apic/tsc.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/time/clock.h"
#include "trace/buffer/clock.h"

#define NS_PER_TICK 10000000ul /* of `uptime`: USER_HZ is 100 */

static uint64_t clock_count(void)
{
	static uint64_t last;

	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

static uint64_t ticks(void)
{
	return clock_ns() / NS_PER_TICK;
}

static uint64_t real_ns(void)
{
	return (uint64_t)clock_real_ns();
}

static uint64_t stamp(void)
{
	return rdtsc();
}

/* There is one nanosecond clock, which counts from start and never stops. */
static const struct trace_clock {
	const char *name;
	uint64_t (*now)(void);
	bool is_ns;
} clocks[] = {
    {"local", clock_ns, true},    {"global", clock_ns, true}, {"counter", clock_count, false},
    {"uptime", ticks, false},     {"perf", clock_ns, true},   {"mono", clock_ns, true},
    {"mono_raw", clock_ns, true}, {"boot", clock_ns, true},   {"tai", real_ns, true},
    {"x86-tsc", stamp, false},
};

#define NR_CLOCKS (sizeof(clocks) / sizeof(clocks[0]))

const struct trace_clock *trace_clock_first(void)
{
	return &clocks[5];
}

uint64_t trace_clock_now(const struct trace_clock *clock)
{
	return clock->now();
}

bool trace_clock_is_ns(const struct trace_clock *clock)
{
	return clock->is_ns;
}

const struct trace_clock *trace_clock_find(const char *name)
{
	for (unsigned i = 0; i < NR_CLOCKS; i++)
		if (line_is(name, clocks[i].name))
			return &clocks[i];
	return NULL;
}

void trace_clock_list(struct text *out, const struct trace_clock *chosen)
{
	for (unsigned i = 0; i < NR_CLOCKS; i++)
		text_print(out, &clocks[i] == chosen ? "%s[%s]" : "%s%s", i ? " " : "",
			   clocks[i].name);
	text_char(out, '\n');
}

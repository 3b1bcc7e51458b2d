/* SPDX-License-Identifier: BSD-2-Clause */
/* The files /proc/sys/kernel/perf_event_*: what perf_event_open(2) permits, as root sets it. */
#include <limits.h>
#include <linux/errno.h>
#include "api/perf.h"
#include "kernel/synthetic.h"
#include "pmu/core.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* One decimal number, with blanks around it, of at least `least`: 0 or -EINVAL. */
static int parse(const char *text, int least, int *value)
{
	bool negative;
	long number = 0;

	while (is_blank(*text))
		text++;
	negative = *text == '-';
	text += negative;
	if (*text < '0' || *text > '9')
		return -EINVAL;
	for (; *text >= '0' && *text <= '9' && number <= INT_MAX; text++)
		number = number * 10 + (*text - '0');
	while (is_blank(*text))
		text++;
	number = negative ? -number : number;
	if (*text || number > INT_MAX || number < least)
		return -EINVAL;
	*value = (int)number;
	return 0;
}

#define SHOW(field)                                              \
	static void make_##field(struct text *out, uint64_t id)  \
	{                                                        \
		(void)id;                                        \
		text_print(out, "%d\n", (int)perf_limits.field); \
	}

/* A file that can be written as well; no value below `least` is one. */
#define LIMIT(field, least)                                  \
	SHOW(field)                                          \
	static int store_##field(const char *text)           \
	{                                                    \
		int value, err = parse(text, least, &value); \
                                                             \
		if (!err)                                    \
			perf_limits.field = value;           \
		return err;                                  \
	}

LIMIT(paranoid, INT_MIN)
LIMIT(sample_rate, 1)
LIMIT(mlock_kb, 0)
SHOW(max_stack) /* call chains are collected in places of this size */

static const struct synthetic files[] = {
    {"/proc/sys/kernel/perf_event_paranoid", make_paranoid, store_paranoid},
    {"/proc/sys/kernel/perf_event_max_sample_rate", make_sample_rate, store_sample_rate},
    {"/proc/sys/kernel/perf_event_mlock_kb", make_mlock_kb, store_mlock_kb},
    {"/proc/sys/kernel/perf_event_max_stack", make_max_stack, NULL},
};

void limits_init(void)
{
	for (unsigned i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		synthetic_add(&files[i]);
}

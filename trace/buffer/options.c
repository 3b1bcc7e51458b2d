/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracefs's options: Linux's options that belong to no tracer, in its order. */
#include <linux/errno.h>
#include "kernel/base/string.h"
#include "trace/buffer/options.h"
#include "trace/buffer/pids.h"

/* `bit`: of an option that can be changed. */
static const struct {
	const char *name;
	uint32_t bit;
	bool is_set; /* of the others */
} options[] = {
    {"print-parent", 0, true},
    {"sym-offset", 0, false},
    {"sym-addr", 0, false},
    {"verbose", 0, false},
    {"raw", 0, false},
    {"hex", 0, false},
    {"bin", 0, false},
    {"block", 0, false},
    {"trace_printk", 0, true},
    {"annotate", 0, true},
    {"userstacktrace", 0, false},
    {"sym-userobj", 0, false},
    {"printk-msg-only", 0, false},
    {"context-info", OPTION_CONTEXT, true},
    {"latency-format", 0, false},
    {"record-cmd", OPTION_NAMES, true},
    {"record-tgid", 0, false},
    {"overwrite", OPTION_OVERWRITE, true},
    {"disable_on_free", 0, false},
    {"irq-info", OPTION_FLAGS, true},
    {"markers", OPTION_MARKERS, true},
    {"event-fork", OPTION_FORK, false},
    {"pause-on-trace", 0, false},
    {"hash-ptr", 0, true},
    {"stacktrace", 0, false},
};

#define NR_OPTIONS (sizeof(options) / sizeof(options[0]))

const char *option_name(unsigned at)
{
	return at < NR_OPTIONS ? options[at].name : NULL;
}

static bool is_on(const struct trace_instance *instance, unsigned at)
{
	return options[at].bit ? instance->options & options[at].bit : options[at].is_set;
}

static int set(struct trace_instance *instance, unsigned at, bool on)
{
	uint32_t bit = options[at].bit;

	if (!bit)
		return on == options[at].is_set ? 0 : -EINVAL;
	if (bit == OPTION_FORK && on != is_on(instance, at))
		pids_follow(on);
	__atomic_store_n(&instance->options,
			 on ? instance->options | bit : instance->options & ~bit, __ATOMIC_RELAXED);
	return 0;
}

void options_show(struct text *out, uint64_t id)
{
	const struct trace_instance *instance = instance_find(id);

	for (unsigned i = 0; instance && i < NR_OPTIONS; i++)
		text_print(out, "%s%s\n", is_on(instance, i) ? "" : "no", options[i].name);
}

int options_store(const char *text, uint64_t id)
{
	struct trace_instance *instance = instance_find(id);
	bool on;

	if (!instance)
		return -ENODEV;
	while (*text == ' ')
		text++;
	on = text[0] != 'n' || text[1] != 'o';
	text += on ? 0 : 2;
	for (unsigned i = 0; i < NR_OPTIONS; i++)
		if (line_is(text, options[i].name))
			return set(instance, i, on);
	return -EINVAL;
}

void option_show(struct text *out, uint64_t id)
{
	const struct trace_instance *instance = instance_find(id);

	if (instance)
		text_print(out, "%u\n", is_on(instance, (unsigned)instance_of(id)));
}

int option_store(const char *text, uint64_t id)
{
	struct trace_instance *instance = instance_find(id);

	if (!instance)
		return -ENODEV;
	if (!line_is(text, "0") && !line_is(text, "1"))
		return -EINVAL;
	return set(instance, (unsigned)instance_of(id), text[0] == '1');
}

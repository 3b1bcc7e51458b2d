/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMUs `kprobe` and `uprobe`: probes of a single perf event. */
#include <linux/errno.h>
#include <linux/stat.h>
#include "kernel/base/string.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/path.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "pmu/base/limits.h"
#include "pmu/core/core.h"
#include "pmu/core/sysfs.h"
#include "pmu/soft/software.h"
#include "trace/base/perf.h"
#include "trace/probe/base/words.h"
#include "trace/probe/probe.h"

#define KPROBE_TYPE     6 /* as on Linux */
#define UPROBE_TYPE     7
#define KSYM_LONGEST    512
#define RETURNS         1ul /* of config */
#define SEMAPHORE_SHIFT 32

static const struct pmu kprobe_pmu, uprobe_pmu;

/* The path's file. */
static int find_program(struct probe *probe, const struct perf_event_attr *attr)
{
	char *path = kalloc(PATH_SIZE);
	long length;
	int err;

	if (!attr->uprobe_path)
		err = -EINVAL;
	else if (!path)
		err = -ENOMEM;
	else if ((length = copy_string_from_user(path, attr->uprobe_path, PATH_SIZE)) < 0)
		err = length == -ENAMETOOLONG ? -E2BIG : (int)length;
	else
		err = length ? path_lookup(NULL, path, 0, &probe->inode) : -EINVAL;
	kfree(path);
	if (err)
		return err;
	probe->offset = attr->probe_offset;
	probe->semaphore = attr->config >> SEMAPHORE_SHIFT;
	return S_ISREG(probe->inode->mode) ? 0 : -EINVAL;
}

/* A function and an offset, or an address. */
static int find_function(struct probe *probe, const struct perf_event_attr *attr)
{
	char name[KSYM_LONGEST];
	long length = 0;
	uint64_t start = 0;

	if (attr->kprobe_func) {
		length = copy_string_from_user(name, attr->kprobe_func, sizeof(name));
		if (length < 0)
			return length == -ENAMETOOLONG ? -EINVAL : (int)length;
	}
	if (length && (strchr(name, '+') || strchr(name, '-') || !word_symbol(name, &start)))
		return -ENOENT;
	probe->offset = length ? attr->probe_offset : 0;
	probe->address = start + attr->probe_offset;
	return kprobe_check(probe->address);
}

static int make(struct perf_event *event, bool of_program, struct probe **made)
{
	struct probe *probe = probe_new();
	int err;

	if (!probe)
		return -ENOMEM;
	probe->of_program = of_program;
	probe->returns = event->attr.config & RETURNS;
	err = of_program ? find_program(probe, &event->attr) : find_function(probe, &event->attr);
	strlcpy(probe->name, of_program ? "uprobe" : "kprobe", sizeof(probe->name));
	if (!err)
		err = probe_publish(probe);
	if (err)
		probe_free(probe);
	*made = probe;
	return err;
}

/* An inherited event shares its parent's probe, which outlives it. */
static int probe_event_init(struct perf_event *event)
{
	struct probe *probe;
	int err;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (event->parent)
		return tracepoint_open(event, event->parent->hw.trace);
	if (!perf_privileged())
		return -EACCES;
	if (event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
		return -EOPNOTSUPP;
	err = make(event, event->attr.type == UPROBE_TYPE, &probe);
	if (err)
		return err;
	err = tracepoint_open(event, &probe->event);
	if (err)
		probe_free(probe);
	return err;
}

static void probe_event_destroy(struct perf_event *event)
{
	struct probe *probe = container_of(event->hw.trace, struct probe, event);

	tracepoint_destroy(event);
	if (!event->parent)
		probe_free(probe);
}

#define OPERATIONS                                                                  \
	.caps = PMU_SOFTWARE | PMU_NO_NMI, .event_init = probe_event_init,          \
	.destroy = probe_event_destroy, .add = tracepoint_add, .del = software_del, \
	.start = software_start, .stop = software_stop, .read = software_read,      \
	.set_filter = tracepoint_set_filter

static const struct pmu kprobe_pmu = {.type = KPROBE_TYPE, OPERATIONS},
			uprobe_pmu = {.type = UPROBE_TYPE, OPERATIONS};

void probe_pmus_init(void)
{
	pmu_register(&kprobe_pmu);
	sysfs_add_pmu("kprobe", KPROBE_TYPE);
	sysfs_add_word("kprobe", "format/retprobe", "config:0");
	pmu_register(&uprobe_pmu);
	sysfs_add_pmu("uprobe", UPROBE_TYPE);
	sysfs_add_word("uprobe", "format/retprobe", "config:0");
	sysfs_add_word("uprobe", "format/ref_ctr_offset", "config:32-63");
}

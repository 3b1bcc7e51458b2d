/* SPDX-License-Identifier: BSD-2-Clause */
/* The files in /sys that PMUs of any kind have: types, intervals, texts, lists of processors. */
#include <linux/errno.h>
#include "kernel/base/number.h"
#include "kernel/base/text.h"
#include "kernel/fs/cpu_list.h"
#include "kernel/fs/synthetic.h"
#include "kernel/procfs/proc.h"
#include "pmu/core/core.h"
#include "pmu/core/sysfs.h"

#define PATH_LONGEST 96
#define NS_PER_MS    1000000ul

static void make_number(struct text *out, uint64_t number)
{
	text_print(out, "%lu\n", number);
}

const struct synthetic sysfs_number_file = {.make = make_number};

/* Software events are never multiplexed: their PMUs have no interval before one is set. */
#define PMU_TYPES 32
static uint64_t own_intervals[PMU_TYPES]; /* ms, by type */

/* Returns the multiplexing interval; NULL: the PMU's events do not take turns. */
static uint64_t *interval_of(uint64_t type)
{
	if (pmu_takes_turns((uint32_t)type))
		return NULL;
	return &own_intervals[type % PMU_TYPES];
}

static void make_interval(struct text *out, uint64_t type)
{
	const uint64_t *own = interval_of(type);

	text_print(out, "%lu\n", own ? *own : mux_interval_ns / NS_PER_MS);
}

/* Milliseconds. */
static int store_interval(const char *text, uint64_t type)
{
	uint64_t *own = interval_of(type), ms;
	int err = number_read(text, 0, INT32_MAX, &ms);

	if (err)
		return err;
	if (!ms)
		return -EINVAL;
	if (own)
		*own = ms;
	else
		mux_interval_ns = ms * NS_PER_MS;
	return 0;
}

static const struct synthetic interval_file = {.make = make_interval, .store = store_interval};

static void make_nothing(struct text *out, uint64_t id)
{
	(void)out, (void)id;
}

static int store_nothing(const char *text, uint64_t id)
{
	(void)text, (void)id;
	return 0;
}

static const struct synthetic empty_file = {.make = make_nothing, .store = store_nothing};

/* Writes the processors of a kind. */
static void make_cpus(struct text *out, uint64_t id)
{
	cpu_list_add(out, (const struct cpu_mask *)id);
}

static const struct synthetic cpus_file = {.make = make_cpus};

void sysfs_add_file(const char *pmu, const char *name, const struct synthetic *file, uint64_t id)
{
	char path[PATH_LONGEST];
	struct text text;

	text_init(&text, path, sizeof(path));
	text_print(&text, "/sys/devices/%s/%s", pmu, name);
	synthetic_add_at(path, file, id);
}

/* Adds the link on the bus, which keeps the target's string, and the device's to the bus. */
static void add_to_bus(const char *name)
{
	char path[PATH_LONGEST];
	struct text text;

	text_init(&text, path, sizeof(path));
	text_print(&text, "/sys/bus/event_source/devices/%s", name);
	synthetic_link(path, "../../../devices/", name);
	text_init(&text, path, sizeof(path));
	text_print(&text, "/sys/devices/%s/subsystem", name);
	synthetic_link(path, "../../bus/", "event_source");
}

static void add_power(const char *pmu)
{
	char path[PATH_LONGEST];
	struct text text;

	text_init(&text, path, sizeof(path));
	text_print(&text, "/sys/devices/%s", pmu);
	proc_add_power(path);
}

void sysfs_add_pmu(const char *name, uint32_t type)
{
	sysfs_add_file(name, "type", &sysfs_number_file, type);
	sysfs_add_file(name, "perf_event_mux_interval_ms", &interval_file, type);
	sysfs_add_file(name, "uevent", &empty_file, 0);
	add_power(name);
	add_to_bus(name);
}

static void make_text(struct text *out, uint64_t text)
{
	text_print(out, "%s\n", (const char *)text);
}

static const struct synthetic text_file = {.make = make_text};

void sysfs_add_word(const char *pmu, const char *name, const char *text)
{
	sysfs_add_file(pmu, name, &text_file, (uint64_t)text);
}

void sysfs_add_cpus(const char *pmu, const char *name, const struct cpu_mask *mask)
{
	sysfs_add_file(pmu, name, &cpus_file, (uint64_t)mask);
}

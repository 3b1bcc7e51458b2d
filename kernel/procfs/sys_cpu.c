/* SPDX-License-Identifier: BSD-2-Clause */
/* /sys/devices/system/cpu: the processors, how they share cores and packages, their caches. */
#include "arch/x86/cpu/cpu_mask.h"
#include "arch/x86/cpu/percpu.h"
#include "arch/x86/cpu/topology.h"
#include "kernel/base/string.h"
#include "kernel/fs/cpu_list.h"
#include "kernel/fs/synthetic.h"
#include "kernel/procfs/proc.h"

#define DIRECTORY "/sys/devices/system/cpu"

/* The id of a cache's file: the processor's number and, above it, the cache's index. */
#define CACHE_SHIFT 16
#define CPU_MASK    ((1u << CACHE_SHIFT) - 1)

/* Words of 32 bits in hexadecimal, as many digits as the processors need: "1,000000ff". */
void proc_add_processor_mask(struct text *out, const struct cpu_mask *mask)
{
	for (unsigned digit = (nr_cpus + 3) / 4; digit--;) {
		text_print(out, "%x", (unsigned)(mask->words[digit / 16] >> digit % 16 * 4 & 0xf));
		if (digit && digit % 8 == 0)
			text_char(out, ',');
	}
	text_char(out, '\n');
}

static void make_all(struct text *out, uint64_t id)
{
	struct cpu_mask online = cpus_online();

	(void)id;
	cpu_list_add(out, &online);
}

static void make_none(struct text *out, uint64_t id)
{
	(void)id;
	text_char(out, '\n');
}

static void make_kernel_max(struct text *out, uint64_t id)
{
	(void)id;
	text_print(out, "%u\n", MAX_CPUS - 1);
}

static const struct synthetic files[] = {
    {.path = DIRECTORY "/online", .make = make_all},
    {.path = DIRECTORY "/possible", .make = make_all},
    {.path = DIRECTORY "/present", .make = make_all},
    {.path = DIRECTORY "/offline", .make = make_none},
    {.path = DIRECTORY "/kernel_max", .make = make_kernel_max},
};

#define NUMBER(name, expression)                               \
	static void make_##name(struct text *out, uint64_t id) \
	{                                                      \
		text_print(out, "%u\n", expression);           \
	}

NUMBER(core, topology_core(cpus[id]->apic_id))
NUMBER(package, topology_package(cpus[id]->apic_id))

#define SHARED(name, level)                                                \
	static void make_##name(struct text *out, uint64_t id)             \
	{                                                                  \
		struct cpu_mask mask = topology_mask((unsigned)id, level); \
                                                                           \
		proc_add_processor_mask(out, &mask);                       \
	}                                                                  \
	static void make_##name##_list(struct text *out, uint64_t id)      \
	{                                                                  \
		struct cpu_mask mask = topology_mask((unsigned)id, level); \
                                                                           \
		cpu_list_add(out, &mask);                                  \
	}

SHARED(core_cpus, TOPOLOGY_CORE)
SHARED(package_cpus, TOPOLOGY_PACKAGE)

static const struct synthetic topology[] = {
    {.path = "core_id", .make = make_core},
    {.path = "physical_package_id", .make = make_package},
    {.path = "die_id", .text = "0"},
    {.path = "core_cpus", .make = make_core_cpus},
    {.path = "core_cpus_list", .make = make_core_cpus_list},
    {.path = "thread_siblings", .make = make_core_cpus},
    {.path = "thread_siblings_list", .make = make_core_cpus_list},
    {.path = "die_cpus", .make = make_package_cpus},
    {.path = "die_cpus_list", .make = make_package_cpus_list},
    {.path = "package_cpus", .make = make_package_cpus},
    {.path = "package_cpus_list", .make = make_package_cpus_list},
    {.path = "core_siblings", .make = make_package_cpus},
    {.path = "core_siblings_list", .make = make_package_cpus_list},
};

static struct cache cache_of(uint64_t id)
{
	struct cache cache;

	topology_cache((unsigned)(id >> CACHE_SHIFT), &cache);
	return cache;
}

#define CACHE(name, expression, format)                        \
	static void make_##name(struct text *out, uint64_t id) \
	{                                                      \
		struct cache cache = cache_of(id);             \
                                                               \
		text_print(out, format "\n", expression);      \
	}

static const char *const cache_types[] = {"", "Data", "Instruction", "Unified"};

CACHE(level, cache.level, "%u")
CACHE(type, cache_types[cache.type], "%s")
CACHE(line, cache.line, "%u")
CACHE(sets, cache.sets, "%u")
CACHE(ways, cache.ways, "%u")
CACHE(partitions, cache.partitions, "%u")
CACHE(size, cache.ways *cache.partitions *cache.line *cache.sets / 1024, "%uK")
CACHE(id, cpus[id & CPU_MASK]->apic_id >> cache.shift, "%u")

static void make_shared(struct text *out, uint64_t id)
{
	struct cache cache = cache_of(id);
	struct cpu_mask mask = topology_cache_mask(id & CPU_MASK, &cache);

	proc_add_processor_mask(out, &mask);
}

static void make_shared_list(struct text *out, uint64_t id)
{
	struct cache cache = cache_of(id);
	struct cpu_mask mask = topology_cache_mask(id & CPU_MASK, &cache);

	cpu_list_add(out, &mask);
}

static const struct synthetic caches[] = {
    {.path = "id", .make = make_id},
    {.path = "level", .make = make_level},
    {.path = "type", .make = make_type},
    {.path = "size", .make = make_size},
    {.path = "coherency_line_size", .make = make_line},
    {.path = "number_of_sets", .make = make_sets},
    {.path = "ways_of_associativity", .make = make_ways},
    {.path = "physical_line_partition", .make = make_partitions},
    {.path = "shared_cpu_map", .make = make_shared},
    {.path = "shared_cpu_list", .make = make_shared_list},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void add_cache(unsigned cpu, unsigned index)
{
	char path[96];
	struct text text;

	text_init(&text, path, sizeof(path));
	text_print(&text, DIRECTORY "/cpu%u/cache/index%u", cpu, index);
	synthetic_add_all(path, caches, COUNT(caches), cpu | (uint64_t)index << CACHE_SHIFT);
}

/* The processor as a device: its bus, its memory node, its power. */
static void add_device(unsigned cpu)
{
	char path[96], name[16], node[16];
	struct text text;

	text_init(&text, name, sizeof(name));
	text_print(&text, "cpu%u", cpu);
	text_init(&text, path, sizeof(path));
	text_print(&text, "/sys/bus/cpu/devices/%s", name);
	synthetic_link(path, "../../../devices/system/cpu/", name);
	text_init(&text, path, sizeof(path));
	text_print(&text, DIRECTORY "/%s/subsystem", name);
	synthetic_link(path, "../../../../bus/", "cpu");
	text_init(&text, node, sizeof(node));
	text_print(&text, "node%u", cpus[cpu]->node);
	text_init(&text, path, sizeof(path));
	text_print(&text, DIRECTORY "/%s/%s", name, node);
	synthetic_link(path, "../../node/", node);
	text_init(&text, path, sizeof(path));
	text_print(&text, DIRECTORY "/%s", name);
	proc_add_power(path);
}

static void add_processor(unsigned cpu)
{
	char path[96];
	struct text text;
	struct cache cache;

	add_device(cpu);
	text_init(&text, path, sizeof(path));
	text_print(&text, DIRECTORY "/cpu%u/topology", cpu);
	synthetic_add_all(path, topology, COUNT(topology), cpu);
	for (unsigned index = 0; topology_cache(index, &cache); index++)
		add_cache(cpu, index);
}

void proc_processors_init(void)
{
	for (unsigned i = 0; i < COUNT(files); i++)
		synthetic_add(&files[i]);
	proc_add_power(DIRECTORY);
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		add_processor(cpu);
}

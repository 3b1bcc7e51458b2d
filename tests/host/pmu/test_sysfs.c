/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of PMUs in /sys: their contents, compared with Linux's, for every model, and the
 * values that may be written. */
#include <stdio.h>
#include "arch/x86/cpu/cpu.h"
#include "tests/host/fake/fake_files.h"
#include "tests/host/pmu/intel_test.h"

#define CPU      "/sys/devices/cpu/"
#define INTERVAL "perf_event_mux_interval_ms"

static uint32_t model;  /* of family 6; 0: the personality's own */
static uint32_t unlike; /* bits of leaf 0AH's EDX that are turned */

static void set_model(uint32_t leaf, uint32_t regs[4])
{
	if (leaf == 1 && model)
		regs[0] = (model & 0xf) << 4 | 6 << 8 | (model >> 4) << 16;
	if (leaf == 0xa)
		regs[3] ^= unlike;
}

static void boot(const char *personality, uint32_t number)
{
	model = number;
	fake_cpuid = set_model;
	fake_boot(personality);
}

static void finish(void)
{
	fake_cpuid = NULL;
	end();
}

static bool has(const char *name)
{
	char path[96];

	snprintf(path, sizeof(path), CPU "%s", name);
	return fake_sys_read(path) != NULL;
}

static void shows(const char *path, const char *text)
{
	const char *found = fake_sys_read(path);

	if (!found || strcmp(found, text) != 0)
		fail_msg("%s: %s, not %s", path, found ? found : "not there", text);
}

/* Linux's names, and which events' names come with them (arch/x86/events/intel/core.c). */
static void models(void **state)
{
	static const struct {
		const char *personality;
		uint32_t model;
		const char *name;
		bool load_latency, frontend, topdown;
	} cases[] = {
	    {"intel-v1", 0x0e, "core\n", false, false, false},
	    {"intel-v2", 0x0f, "core2\n", false, false, false},
	    {"intel-v3", 0x1a, "nehalem\n", true, false, false},
	    {"intel-v3", 0x25, "westmere\n", true, false, false},
	    {"intel-v3", 0x2a, "sandybridge\n", true, false, true},
	    {"intel-v3", 0x3a, "ivybridge\n", true, false, true},
	    {"intel-v3", 0x3c, "haswell\n", true, false, true},
	    {"intel-v3", 0x3d, "broadwell\n", true, false, true},
	    {"intel-v4", 0x5e, "skylake\n", true, true, true},
	    {"intel-v5", 0x7e, "icelake\n", true, true, false},
	    {"intel-v5", 0x8f, "sapphire_rapids\n", true, true, false},
	    {"intel-v5", 0xbe, "gracemont\n", true, false, false},
	    {"intel-v1", 0xff, "generic_arch_v1\n", false, false, false},
	    {"intel-v2", 0xff, "generic_arch_v2+\n", false, false, false},
	    {"intel-v4", 0xff, "generic_arch_v2+\n", false, false, false},
	    {"intel-v5", 0xff, "generic_arch_v5+\n", false, false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		boot(cases[i].personality, cases[i].model);
		shows(CPU "caps/pmu_name", cases[i].name);
		assert_int_equal(has("format/ldlat"), cases[i].load_latency);
		assert_int_equal(has("format/frontend"), cases[i].frontend);
		assert_int_equal(has("events/topdown-total-slots"), cases[i].topdown);
		shows(CPU "events/cpu-cycles", "event=0x3c\n");
		finish();
	}
}

static void caps(void **state)
{
	(void)state;
	boot("intel-v4", 0);
	shows(CPU "caps/max_precise", "3\n");
	shows(CPU "caps/branches", "32\n");
	finish();
	boot("intel-v3", 0);
	shows(CPU "caps/max_precise", "2\n");
	finish();
	boot("intel-v2", 0x0f); /* Merom, whose records are not used */
	shows(CPU "caps/max_precise", "0\n");
	shows(CPU "caps/errata", "AJ106\n");
	finish();
	boot("intel-v5", 0);
	shows(CPU "caps/max_precise", "3\n");
	finish();
	boot("intel-v2", 0);
	shows(CPU "caps/max_precise", "2\n");
	shows(CPU "caps/branches", "4\n");
	finish();
	boot("intel-v1", 0);
	shows(CPU "caps/max_precise", "0\n");
	assert_false(has("caps/branches"));
	finish();
	boot("amd-v2", 0);
	shows(CPU "caps/max_precise", "0\n");
	shows(CPU "caps/branches", "16\n");
	shows(CPU "events/cpu-cycles", "event=0x76\n");
	finish();
}

/* The names that perf mem uses, where there is PEBS. */
static void memory_events(void **state)
{
	static const struct {
		const char *personality;
		uint32_t model;
		const char *loads, *stores; /* NULL: there are none */
	} cases[] = {
	    {"intel-v1", 0, NULL, NULL},
	    {"intel-v2", 0, NULL, NULL},
	    {"intel-v3", 0, "event=0x0b,umask=0x10,ldlat=3\n", NULL},
	    {"intel-v3", 0x25, "event=0x0b,umask=0x10,ldlat=3\n", NULL},
	    {"intel-v3", 0x2a, "event=0xcd,umask=0x1,ldlat=3\n", "event=0xcd,umask=0x2\n"},
	    {"intel-v3", 0x3a, "event=0xcd,umask=0x1,ldlat=3\n", "event=0xcd,umask=0x2\n"},
	    {"intel-v4", 0x3c, "event=0xcd,umask=0x1,ldlat=3\n", "event=0xd0,umask=0x82\n"},
	    {"intel-v4", 0, "event=0xcd,umask=0x1,ldlat=3\n", "event=0xd0,umask=0x82\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		boot(cases[i].personality, cases[i].model);
		assert_int_equal(has("events/mem-loads"), cases[i].loads != NULL);
		assert_int_equal(has("events/mem-stores"), cases[i].stores != NULL);
		if (cases[i].loads)
			shows(CPU "events/mem-loads", cases[i].loads);
		if (cases[i].stores)
			shows(CPU "events/mem-stores", cases[i].stores);
		finish();
	}
}

/* AnyThread came with version 2, and goes where CPUID says so. */
static void any_thread(void **state)
{
	(void)state;
	boot("intel-v1", 0);
	assert_false(has("format/any"));
	finish();
	boot("intel-v3", 0);
	assert_true(has("format/any"));
	finish();
	unlike = 1u << 15;
	boot("intel-v3", 0);
	assert_false(has("format/any"));
	finish();
	unlike = 0;
}

/* Numbers as sysfs takes them. */
static void intervals(void **state)
{
	static const struct {
		const char *text, *shown; /* NULL: as before */
		int err;
	} cases[] = {
	    {"7", "7\n", 0},         {"12\n", "12\n", 0},
	    {"0x1F", "31\n", 0},     {"0Xa\n", "10\n", 0},
	    {"010", "8\n", 0},       {"2147483647", "2147483647\n", 0},
	    {"0", NULL, -EINVAL},    {"", NULL, -EINVAL},
	    {"0x", NULL, -EINVAL},   {"-1", NULL, -EINVAL},
	    {"08", NULL, -EINVAL},   {"5 ", NULL, -EINVAL},
	    {"5\n6", NULL, -EINVAL}, {"0xg", NULL, -EINVAL},
	    {"ten", NULL, -EINVAL},  {"2147483648", NULL, -ERANGE},
	};
	static const char *const files[] = {CPU INTERVAL, "/sys/devices/software/" INTERVAL,
					    "/sys/devices/msr/" INTERVAL};

	(void)state;
	boot("intel-v4", 0);
	for (size_t f = 0; f < 3; f++)
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			assert_int_equal(fake_sys_write(files[f], "99"), 0);
			assert_int_equal(fake_sys_write(files[f], cases[i].text), cases[i].err);
			shows(files[f], cases[i].shown ? cases[i].shown : "99\n");
		}
	/* Each PMU that takes no turns has its own. */
	assert_int_equal(fake_sys_write(files[0], "4"), 0);
	assert_int_equal(fake_sys_write(files[1], "5"), 0);
	shows(files[0], "4\n");
	shows(files[1], "5\n");
	shows(files[2], "99\n");
	finish();
}

static void events_of_software(void **state)
{
	(void)state;
	boot("none", 0);
	shows("/sys/devices/software/type", "1\n");
	shows("/sys/devices/software/uevent", "");
	assert_int_equal(fake_sys_write("/sys/devices/software/uevent", "add"), 0);
	shows("/sys/devices/msr/events/tsc", "event=0x00\n");
	assert_false(has("type"));
	finish();
}

/* /sys/devices/cpu/rdpmc: 0 no program, 1 programs with an event, 2 all. */
static void rdpmc_modes(void **state)
{
	static const char *const bad[] = {"", "3", "-1", "x", "11", "1\nx", "1 "};

	(void)state;
	boot("intel-v4", 0);
	shows(CPU "rdpmc", "1\n");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(fake_sys_write(CPU "rdpmc", bad[i]), -EINVAL);
	shows(CPU "rdpmc", "1\n");
	assert_int_equal(fake_sys_write(CPU "rdpmc", "2\n"), 0);
	assert_true(read_cr4() & 1 << 8); /* CR4.PCE: everybody may */
	assert_int_equal(fake_sys_write(CPU "rdpmc", "0"), 0);
	assert_false(read_cr4() & 1 << 8);
	assert_int_equal(fake_sys_write(CPU "rdpmc", "1"), 0);
	finish();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(models),
    cmocka_unit_test(caps),
    cmocka_unit_test(memory_events),
    cmocka_unit_test(any_thread),
    cmocka_unit_test(intervals),
    cmocka_unit_test(rdpmc_modes),
    cmocka_unit_test(events_of_software),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}

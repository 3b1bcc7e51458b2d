/* SPDX-License-Identifier: BSD-2-Clause */
/* PMUs of free-running registers: energy, idle states, and the registers of `msr`. */
#include <stdio.h>
#include <stdlib.h>
#include "pmu/free/free.h"
#include "tests/host/fake/fake_files.h"
#include "tests/host/pmu/intel_test.h"

#define JOULE (1ull << 32) /* in counts */

static uint32_t type_of(const char *pmu)
{
	char path[64];
	const char *text;

	snprintf(path, sizeof(path), "/sys/devices/%s/type", pmu);
	text = fake_sys_read(path);
	return text ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

static bool has(const char *pmu, const char *file)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/devices/%s/%s", pmu, file);
	return fake_sys_read(path);
}

static void shows(const char *path, const char *text)
{
	const char *found = fake_sys_read(path);

	if (!found || strcmp(found, text) != 0)
		fail_msg("%s: %s, not %s", path, found ? found : "not there", text);
}

/* The domains of each personality: what the emulated registers have, as Linux names it. */
static void domains(void **state)
{
	static const struct {
		const char *personality;
		bool package, cores, memory;
	} cases[] = {
	    {"intel-v4", true, true, true},    {"intel-v5", true, true, true},
	    {"amd-core", true, false, false},  {"amd-v2", true, false, false},
	    {"intel-v3", false, false, false}, {"amd-k7", false, false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fake_boot(cases[i].personality);
		assert_int_equal(has("power", "events/energy-pkg"), cases[i].package);
		assert_int_equal(has("power", "events/energy-cores"), cases[i].cores);
		assert_int_equal(has("power", "events/energy-ram"), cases[i].memory);
		assert_false(has("power", "events/energy-gpu"));
		if (cases[i].package) {
			shows("/sys/devices/power/events/energy-pkg", "event=0x02\n");
			shows("/sys/devices/power/events/energy-pkg.unit", "Joules\n");
			shows("/sys/devices/power/events/energy-pkg.scale",
			      "2.3283064365386962890625e-10\n");
			shows("/sys/devices/power/format/event", "config:0-7\n");
			shows("/sys/devices/power/cpumask", "0\n");
		}
		end();
	}
}

static int open_energy(uint64_t config, int pid, int cpu)
{
	struct perf_event_attr attr = fake_attr(type_of("power"), config);

	return fake_open(&attr, pid, cpu, -1, 0);
}

/* The package takes a watt when nothing counts: docs/emulated-pmu.md. A read is in units of 2^-14
 * J, the count in units of 2^-32 J. */
static void energy_is_counted(void **state)
{
	uint64_t value;

	(void)state;
	fake_boot("intel-v4");
	int fd = open_energy(2, -1, 0);

	assert_true(fd >= 0);
	fake_pass(1000000000); /* a second */
	value = value_of(fd);
	assert_in_range(value, JOULE - JOULE / 1000, JOULE + JOULE / 1000);
	assert_int_equal(value & ((1ul << 18) - 1), 0);
	/* An instruction without a core: 300 pJ; 1 ns is 1000 pJ. */
	fake_ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	fake_run(1000000000, MODEL_USER);
	value = value_of(fd);
	assert_in_range(value, 13 * (JOULE / 10) - JOULE / 1000, 13 * (JOULE / 10) + JOULE / 1000);
	fake_close(fd);
	end();
}

/* A register of 32 bits wraps at 262,144 J: the timer reads it before. */
static void energy_survives_wraps(void **state)
{
	(void)state;
	fake_boot("intel-v4");
	int fd = open_energy(2, -1, 0);

	fake_pass(600000ul * 1000000000); /* 600,000 J at a watt */
	assert_in_range(value_of(fd), 599999 * JOULE, 600001 * JOULE);
	fake_close(fd);
	end();
}

/* As Linux refuses them. */
static void refusals(void **state)
{
	struct perf_event_attr attr;

	(void)state;
	fake_boot("intel-v4");
	assert_int_equal(open_energy(2, 0, -1), -EINVAL); /* of a task */
	assert_int_equal(open_energy(2, 0, 0), -EINVAL);
	assert_int_equal(open_energy(0, -1, 0), -EINVAL); /* no such domain */
	assert_int_equal(open_energy(4, -1, 0), -EINVAL); /* no graphics */
	assert_int_equal(open_energy(0x102, -1, 0), -EINVAL);
	attr = fake_attr(type_of("power"), 2);
	attr.sample_period = 1000;
	assert_int_equal(fake_open(&attr, -1, 0, -1, 0), -EINVAL);
	attr.sample_period = 0;
	attr.exclude_kernel = 1;
	assert_int_equal(fake_open(&attr, -1, 0, -1, 0), -EINVAL);
	end();
}

/* Only states that the processor has: C1 on Sapphire Rapids, none of a package. */
static void idle_states(void **state)
{
	(void)state;
	fake_boot("intel-v5");
	assert_true(has("cstate_core", "events/c1-residency"));
	assert_false(has("cstate_core", "events/c6-residency"));
	assert_int_equal(type_of("cstate_pkg"), 0);
	shows("/sys/devices/cstate_core/events/c1-residency", "event=0x00\n");
	struct perf_event_attr attr = fake_attr(type_of("cstate_core"), 0);
	int fd = fake_open(&attr, -1, 0, -1, 0);

	assert_true(fd >= 0);
	model_halted(&fake_model, 12345);
	assert_int_equal(value_of(fd), 12345);
	fake_close(fd);
	end();
	fake_boot("intel-v4");
	assert_int_equal(type_of("cstate_core"), 0);
	end();
}

/* The TSC, also of a task. */
static void time_stamps(void **state)
{
	struct perf_event_attr attr;

	(void)state;
	fake_boot("intel-v4");
	attr = fake_attr(type_of("msr"), 0);
	int fd = open_ok(&attr, -1);

	fake_pass(777);
	assert_int_equal(value_of(fd), 777);
	fake_close(fd);
	attr.config = 1; /* APERF, which CPUID does not announce */
	assert_int_equal(fake_open(&attr, 0, -1, -1, 0), -EINVAL);
	end();
}

static void says_thermal(uint32_t leaf, uint32_t regs[4])
{
	if (leaf == 6)
		regs[0] |= 1;
}

/* The margin is a state, not a count: bits 16 to 21 of IA32_THERM_STATUS where bit 31 says that
 * they are valid (SDM volume 4). */
static void thermal_margin(void **state)
{
	struct perf_event_attr attr;

	(void)state;
	fake_cpuid = says_thermal;
	fake_thermal = 1u << 31 | 42 << 16 | 0x800;
	fake_boot("intel-v4");
	shows("/sys/devices/msr/events/cpu_thermal_margin", "event=0x07\n");
	shows("/sys/devices/msr/events/cpu_thermal_margin.snapshot", "1\n");
	shows("/sys/devices/msr/events/cpu_thermal_margin.unit", "C\n");
	attr = fake_attr(type_of("msr"), 7);
	int fd = open_ok(&attr, -1);

	assert_int_equal(value_of(fd), 42);
	fake_thermal = 1u << 31 | 7 << 16;
	assert_int_equal(value_of(fd), 7);
	fake_thermal = 7 << 16;
	assert_int_equal(value_of(fd), -1);
	fake_close(fd);
	end();
	fake_cpuid = NULL;
	fake_thermal = 0;
	fake_boot("intel-v4");
	assert_false(has("msr", "events/cpu_thermal_margin"));
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(domains),
	    cmocka_unit_test(energy_is_counted),
	    cmocka_unit_test(energy_survives_wraps),
	    cmocka_unit_test(refusals),
	    cmocka_unit_test(idle_states),
	    cmocka_unit_test(time_stamps),
	    cmocka_unit_test(thermal_margin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

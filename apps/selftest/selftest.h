/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared interface of the files of the self-test. */
#ifndef APPS_SELFTEST_H
#define APPS_SELFTEST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "abi/machine_report.h"

/* ---- report.c: what was found ---- */

/* Adds a fact about the machine, in printf's form. */
void report_fact(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds the result of a check of the PMU ("": of the machine). */
void report_check(const char *pmu, const char *check, enum report_result result, const char *format,
		  ...) __attribute__((format(printf, 4, 5)));
/* Returns the number of checks with this result. */
int report_count(enum report_result result);
void report_text(FILE *to);
void report_json(FILE *to);

/* ---- machine.c ---- */

/* Reports facts: processor, microcode, clocks, memory, board, and measurements of one second. */
void machine_identify(void);

/* ---- registers.c: of the processor that it runs on ---- */

#define MSR_PERF_CAPABILITIES 0x345

/* False: the register does not exist, or access is denied. */
bool msr_get(uint32_t msr, uint64_t *value);
bool msr_set(uint32_t msr, uint64_t value);

/* A PMU of the machine: "cpu", or on hybrid machines "cpu_core" and "cpu_atom". */
struct pmu {
	const char *name;
	uint32_t type;
	uint64_t which;          /* for generic events' config: 0, or the type in the upper half */
	unsigned version;        /* Intel: of architectural performance monitoring. AMD: 1, or 2 */
	unsigned general, fixed; /* counters that CPUID announces */
	unsigned general_bits, fixed_bits; /* and their widths; 0: none announced */
	bool amd, core_counters;           /* AMD: six at MSRs of their own */
	unsigned precise, branches; /* the highest precise_ip; branch records: as sysfs says */
};

/* Reads CPUID on the current processor; false: no known PMU. */
bool pmu_query(struct pmu *pmu);

/* Checks counters' widths, and the effects of a PMI. */
void registers_check(const struct pmu *pmu);

/* ---- counters.c ---- */

/* Checks that every counter takes an event, counts the same, and raises its PMIs. */
void counters_check(const struct pmu *pmu);

/* ---- sampling.c ---- */

/* Checks the distance of samples from the counted instruction, for each precise_ip, and branch
 * records. */
void sampling_check(const struct pmu *pmu);

/* ---- events.c: one event of this thread, in ring 3 ---- */

struct opened {
	int fd;
	struct perf_event_mmap_page *page;
};

struct perf_event_attr;
/* Returns the attr of a generic event of the PMU, disabled. */
struct perf_event_attr event_generic(const struct pmu *pmu, uint64_t id);
/* Opens the event, with a ring of RING_PAGES if it samples; false: errno has the reason. */
bool event_open(struct opened *event, struct perf_event_attr *attr, int leader);
void event_close(struct opened *event);
/* Start and stop the event and its group. */
void event_start(const struct opened *event);
void event_stop(const struct opened *event);
uint64_t event_count(const struct opened *event);
/* Returns the event's counter as RDPMC's operand; -1: none. */
int event_counter(const struct opened *event);
/* Returns the ring's next sample after *at (0: the first), without its header, or NULL. */
const uint64_t *event_sample(const struct opened *event, uint64_t *at, uint16_t *misc);

#define RING_PAGES  8
#define RDPMC_FIXED (1 << 30)

/* ---- code.asm ---- */

void counted_loop(unsigned long iterations);
unsigned long skid_block(unsigned counter);
#define SKID_BETWEEN    3
#define SKID_UNIT       63 /* instructions of a unit, the last of which is its jump */
#define SKID_UNIT_BYTES 64
extern const char skid_first[], skid_end[];
void branch_chain(unsigned long rounds);
struct chain_pair {
	uint64_t from, to;
};
extern const struct chain_pair chain_pairs[];
extern const uint64_t chain_nr;

#endif

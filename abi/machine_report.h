/* SPDX-License-Identifier: BSD-2-Clause */
/* The keys of a self-test's report, which the application writes and the host command reads: JSON,
 * {"format": REPORT_FORMAT, "machine": {NAME: TEXT...}, "checks": [{"pmu", "check", "result",
 * "says"}...]}. */
#ifndef ABI_MACHINE_REPORT_H
#define ABI_MACHINE_REPORT_H

#define REPORT_FORMAT "barepmu machine report 1"

enum report_result { REPORT_OK, REPORT_NOT_HERE, REPORT_WRONG, REPORT_RESULTS };

/* By enum report_result. */
#define REPORT_WORDS                      \
	{                                 \
		"ok", "not here", "WRONG" \
	}

/* Facts that appear in a row of docs/hardware.md. */
#define FACT_PROCESSOR "processor"
#define FACT_CPUID     "CPUID"
#define FACT_PMU       "PMU"
#define FACT_BOARD     "board"
#define FACT_KERNEL    "kernel"

/* The environment variable in which a stick's loader passes the machine's name. */
#define REPORT_BOARD_VARIABLE "BAREPMU_MACHINE"

#endif

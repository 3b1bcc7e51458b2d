/* SPDX-License-Identifier: BSD-2-Clause */
/* selftest: identifies the machine, and checks the properties of its PMU that the driver needs.
 * Writes report.txt and report.json into a directory. */
#define _GNU_SOURCE
#include "apps/lib/event/pmu_files.h"
#include "apps/selftest/selftest.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/lib/event/pmu_id.h"

#define OURS 2 /* exit status: the report could not be written */

/* Reads the first line of one of the PMU's files; "": there is none. */
static const char *read_word(const char *pmu, const char *name, char word[64])
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), PMU_DEVICES "/%s/%s", pmu, name);
	file = fopen(path, "r");
	if (!file || !fgets(word, 64, file))
		word[0] = '\0';
	if (file)
		fclose(file);
	word[strcspn(word, "\n")] = '\0';
	return word;
}

static unsigned read_number(const char *pmu, const char *name)
{
	char word[64];

	return (unsigned)strtoul(read_word(pmu, name, word), NULL, 10);
}

/* Moves to the PMU's first processor. */
static bool go_to(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

static bool counts_are_estimates(void)
{
	struct pmu_id id;

	pmu_identify(&id);
	return id.emulated && !id.exact && !*id.core;
}

static void check_errata(const char *pmu)
{
	char word[64];

	if (*read_word(pmu, "caps/errata", word))
		report_check(pmu, "errata", REPORT_OK, "the driver works around %s", word);
	else
		report_check(pmu, "errata", REPORT_NOT_HERE, "the driver knows none");
}

static bool check_pmu(const char *name)
{
	char path[64];
	struct pmu pmu = {.name = name, .type = read_number(name, "type")};

	snprintf(path, sizeof(path), PMU_DEVICES "/%s", name);
	if (access(path, F_OK) || !go_to(read_number(name, "cpus")))
		return false;
	if (strcmp(name, "cpu"))
		pmu.which = (uint64_t)pmu.type << 32;
	pmu.precise = read_number(name, "caps/max_precise");
	pmu.branches = read_number(name, "caps/branches");
	if (!pmu_query(&pmu))
		return false;
	registers_check(&pmu);
	check_errata(name);
	if (counts_are_estimates()) {
		report_check(name, "counts", REPORT_NOT_HERE,
			     "an emulated PMU's estimates, with several processors");
		return true;
	}
	counters_check(&pmu);
	sampling_check(&pmu);
	return true;
}

static void check_all(void)
{
	static const char *const names[] = {"cpu", "cpu_core", "cpu_atom"};
	bool any = false;

	for (unsigned i = 0; i < 3; i++)
		any |= check_pmu(names[i]);
	if (!any)
		report_check("", "PMU", REPORT_NOT_HERE, "none that the kernel drives");
}

static void write_report(const char *directory, const char *name, void (*write)(FILE *))
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "w");
	if (file)
		write(file);
	if (!file || fclose(file)) {
		fprintf(stderr, "selftest: cannot write %s: %s\n", path, strerror(errno));
		exit(OURS);
	}
}

int main(int argc, char **argv)
{
	const char *directory = argc > 1 ? argv[1] : access("/out", W_OK) ? "." : "/out";

	if (argc > 2 || *directory == '-') {
		fputs("usage: selftest [DIRECTORY]    (of its report; default /out, or here)\n",
		      stderr);
		return OURS;
	}
	go_to(0);
	machine_identify();
	check_all();
	report_text(stdout);
	write_report(directory, "report.txt", report_text);
	write_report(directory, "report.json", report_json);
	return report_count(REPORT_WRONG) ? 1 : 0;
}

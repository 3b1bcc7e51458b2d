/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes docs/tables/processors.md: a row for each processor of the drivers' tables, with the
 * features that the tables show. */
#include <stdio.h>
#include "pmu/amd/amd.h"
#include "pmu/intel/tables/intel_tables.h"

static const char *separator;

static void say(const char *what)
{
	printf("%s%s", separator, what);
	separator = ", ";
}

static void say_if(bool has, const char *what)
{
	if (has)
		say(what);
}

static unsigned constraints_of(const struct hw_model *model)
{
	unsigned count = 0;

	for (const struct hw_constraint *c = model->constraints; c->counters; c++)
		count++;
	return count;
}

static bool has_register(const struct intel_model *model, enum intel_extra reg)
{
	const struct intel_extra_event *event = model->extra;

	while (event && event->code && event->reg != reg)
		event++;
	return event && event->code;
}

static bool has_stalls(const struct intel_model *model)
{
	const struct intel_generic *generic = model->generic;

	while (generic && generic->code && generic->id != PERF_COUNT_HW_STALLED_CYCLES_FRONTEND)
		generic++;
	return generic && generic->code;
}

static void print_intel_model(const struct intel_model *model)
{
	printf("| %s | ", model->events.name);
	if (constraints_of(&model->events))
		printf("%u ", constraints_of(&model->events));
	printf("| ");
	separator = "";
	say_if(has_stalls(model), "stalled cycles");
	say_if(has_register(model, EXTRA_OFFCORE1), "off-core (2)");
	say_if(has_register(model, EXTRA_OFFCORE0) && !has_register(model, EXTRA_OFFCORE1),
	       "off-core (1)");
	say_if(has_register(model, EXTRA_SNOOP0), "snoops");
	say_if(has_register(model, EXTRA_LATENCY), "load latency");
	say_if(has_register(model, EXTRA_FRONTEND), "front end");
	say_if((model->precise || model->most_precise || model->two_latencies) &&
		   !model->broken_records,
	       "PEBS");
	say_if(model->metrics == 4, "topdown metrics, level 1");
	say_if(model->metrics == 8, "topdown metrics, levels 1 and 2");
	say_if(model->fixed, "more fixed counters");
	printf(" | ");
	separator = "";
	say_if(model->errata, model->errata ? model->errata : "");
	say_if(model->events.registers_shared, "threads share off-core registers");
	printf(" |\n");
}

static void print_intel(void)
{
	for (unsigned i = 0; i < intel_processors_count; i++) {
		const struct intel_processor *row = &intel_processors[i];

		for (unsigned kind = 0; kind < HW_KINDS && row->kinds[kind]; kind++) {
			if (kind)
				printf("| | ");
			else
				printf("| %s | %02X_%02XH ", row->name, row->family, row->number);
			print_intel_model(row->kinds[kind]);
		}
	}
}

static void print_amd(void)
{
	for (unsigned i = 0; i < amd_processors_count; i++) {
		const struct amd_processor *row = &amd_processors[i];
		const struct amd_model *model = row->model;

		printf("| %s | %02XH from %02XH | %s | ", row->name, row->family, row->first,
		       model->events.name);
		if (constraints_of(&model->events))
			printf("%u ", constraints_of(&model->events));
		printf("| ");
		separator = "";
		say_if(model->generic[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND], "stalled cycles");
		say_if(model->generic[PERF_COUNT_HW_REF_CPU_CYCLES], "ref-cycles");
		printf(" | ");
		separator = "";
		say_if(model->pairs, "003H takes two counters");
		say_if(model->events.exclusive, "cores share northbridge counters");
		printf(" |\n");
	}
}

int main(void)
{
	puts(
	    "# Processors of the drivers' tables\n\n"
	    "Written by `make docs/tables/processors.md` from the rows of "
	    "`pmu/intel/tables/intel_models.c` and\n"
	    "`pmu/amd/amd_models.c`; `tests/host/pmu/test_processors.c` asks for each by made-up\n"
	    "CPUID values. None was seen on hardware: [hardware.md](../hardware.md). Any other\n"
	    "Intel processor has the architectural events. \"limits\" are events that only some\n"
	    "counters count. Counters, branch records, IBS, PEBS formats and PerfMonV2 are\n"
	    "discovered, not listed.\n\n"
	    "| processor | family, model | events | limits | beside the generic events | quirks |\n"
	    "|---|---|---|---|---|---|");
	print_intel();
	print_amd();
	return 0;
}

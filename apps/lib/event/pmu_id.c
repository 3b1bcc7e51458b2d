/* SPDX-License-Identifier: BSD-2-Clause */
/* Identifies the PMU by CPUID (Intel SDM vol. 2A, CPUID; AMD APM vol. 3, appendix E; the visor's
 * leaves: docs/protocols.md). */
#include "apps/lib/event/pmu_id.h"

#include <cpuid.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "abi/visor_cpuid.h"

#define LEAF_PERFMON       0x0a
#define LEAF_EXTENDED      0x80000000u
#define LEAF_EXTENDED_INFO 0x80000001u
#define LEAF_BRAND         0x80000002u
#define HYPERVISOR_PRESENT (1u << 31) /* leaf 1, ECX */
#define PERFCTR_CORE       (1u << 23) /* leaf 80000001H, ECX: AMD's core counters */

struct registers {
	uint32_t a, b, c, d;
};

static struct registers cpuid(uint32_t leaf)
{
	struct registers r;

	__cpuid_count(leaf, 0, r.a, r.b, r.c, r.d);
	return r;
}

/* Copies the text of registers EAX, EBX, ECX, EDX, 16 bytes. */
static void copy_text(char *to, struct registers r)
{
	memcpy(to, &r, sizeof(r));
}

static bool under_hypervisor(void)
{
	return cpuid(1).c & HYPERVISOR_PRESENT;
}

static bool under_visor(void)
{
	struct registers r = cpuid(VISOR_LEAF);

	return under_hypervisor() && !memcmp(&r.b, VISOR_SIGNATURE, 12) && r.a >= VISOR_LEAF_NAME;
}

static void read_brand(struct pmu_id *id)
{
	size_t skip;

	if (cpuid(LEAF_EXTENDED).a >= LEAF_BRAND + 2) {
		for (uint32_t i = 0; i < 3; i++)
			copy_text(id->brand + 16 * i, cpuid(LEAF_BRAND + i));
	}
	skip = strspn(id->brand, " ");
	memmove(id->brand, id->brand + skip, strlen(id->brand + skip) + 1);
	if (!*id->brand)
		strcpy(id->brand, "x86-64 processor");
}

/* Reads vendor, family, model and stepping (SDM vol. 2A, figure 3-6: extended family and model). */
static void read_cpuid(struct pmu_id *id, char vendor[13])
{
	struct registers r = cpuid(0);
	uint32_t signature = cpuid(1).a;
	uint32_t family = signature >> 8 & 0xf, model = signature >> 4 & 0xf;

	if (family >= 6)
		model |= (signature >> 16 & 0xf) << 4;
	if (family == 15)
		family += signature >> 20 & 0xff;
	memcpy(vendor, &r.b, 4);
	memcpy(vendor + 4, &r.d, 4);
	memcpy(vendor + 8, &r.c, 4);
	vendor[12] = '\0';
	snprintf(id->cpuid, sizeof(id->cpuid), "%s,%u,%u,%u", vendor, family, model,
		 signature & 0xf);
}

static void identify_emulated(struct pmu_id *id)
{
	uint32_t state = cpuid(VISOR_LEAF_FLAGS).a;
	char name[17] = "";

	copy_text(name, cpuid(VISOR_LEAF_NAME));
	snprintf(id->name, sizeof(id->name), "%s", name);
	id->present = id->emulated = state & VISOR_FLAG_EMULATED;
	id->exact = state & VISOR_FLAG_EXACT;
	id->stepping = state & VISOR_FLAG_STEPPED;
	id->repeats = state & VISOR_FLAG_REPEATS;
	id->stand_in = state & VISOR_FLAG_STAND_IN;
	id->time = state & VISOR_FLAG_CLOCK ? "cycles"
		   : id->repeats            ? "instructions"
					    : "the host's";
	if (cpuid(VISOR_LEAF).a >= VISOR_LEAF_ERROR)
		id->cycle_error = cpuid(VISOR_LEAF_ERROR).a / 10000.0;
	for (uint32_t i = 0; state & VISOR_FLAG_CORE && i < VISOR_CORE_BYTES / 16; i++)
		copy_text(id->core + 16 * i, cpuid(VISOR_LEAF_CORE + i));
}

static void identify_hardware(struct pmu_id *id, const char *vendor)
{
	uint32_t version = cpuid(0).a >= LEAF_PERFMON ? cpuid(LEAF_PERFMON).a & 0xff : 0;

	if (version) {
		id->present = true;
		snprintf(id->name, sizeof(id->name), "%s (PerfMon v%u)", id->brand, version);
	} else if (!strcmp(vendor, "AuthenticAMD")) {
		id->present = !under_hypervisor() || cpuid(LEAF_EXTENDED_INFO).c & PERFCTR_CORE;
		snprintf(id->name, sizeof(id->name), "%s", id->brand);
	}
}

void pmu_identify(struct pmu_id *id)
{
	char vendor[13];

	memset(id, 0, sizeof(*id));
	read_brand(id);
	read_cpuid(id, vendor);
	if (under_visor())
		identify_emulated(id);
	else
		identify_hardware(id, vendor);
	if (!id->present)
		strcpy(id->name, "none");
}

void pmu_describe_core(const struct pmu_id *id, char *text)
{
	snprintf(text, PMU_CORE_SIZE, "core: %s (simulated%s; time: %s)", id->core,
		 id->stand_in ? ", in place of its own" : "", id->time);
}

void pmu_describe(const struct pmu_id *id, char *line)
{
	const char *what = "counts are estimates, cycles, branches and cache events a model's";

	if (!id->present)
		what = "software events only";
	else if (!id->emulated)
		what = "hardware";
	if (*id->core) {
		char core[PMU_CORE_SIZE];

		pmu_describe_core(id, core);
		snprintf(line, PMU_DESCRIPTION_SIZE, "%s, emulated; %s", id->name, core);
		return;
	} else if (id->stepping)
		what = "instructions and branches are exact, cycles and cache events a model's";
	else if (id->exact)
		what =
		    "instructions are exact, but each repetition of a string instruction is one; "
		    "cycles, branches and cache events a model's";
	snprintf(line, PMU_DESCRIPTION_SIZE, "%s%s: %s", id->name, id->emulated ? ", emulated" : "",
		 what);
}

void pmu_measures(bool begins)
{
	uint32_t a, b, c, d;

	if (under_visor() && cpuid(VISOR_LEAF).a >= VISOR_LEAF_MEASURE)
		__cpuid_count(VISOR_LEAF_MEASURE, begins ? VISOR_MEASURE_BEGIN : VISOR_MEASURE_END,
			      a, b, c, d);
}

const char *pmu_line(void)
{
	static char line[PMU_DESCRIPTION_SIZE];
	struct pmu_id pmu;

	pmu_identify(&pmu);
	pmu_describe(&pmu, line);
	return line;
}

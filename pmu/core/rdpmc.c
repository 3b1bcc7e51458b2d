/* SPDX-License-Identifier: BSD-2-Clause */
/* CR4.PCE, set for each address space: SDM volume 2, "RDPMC". */
#include <linux/errno.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/trap/remote.h"
#include "kernel/base/assert.h"
#include "kernel/vm/vm.h"
#include "pmu/base/cpu.h"
#include "pmu/base/hardware.h"
#include "pmu/core/rdpmc.h"

enum { RDPMC_NOBODY, RDPMC_MAPPED, RDPMC_EVERYBODY };

static int mode = RDPMC_MAPPED;

static bool permitted(const struct mm *mm)
{
	return mode == RDPMC_EVERYBODY || (mode == RDPMC_MAPPED && mm && mm->rdpmc_users);
}

void rdpmc_switch(const struct mm *mm)
{
	struct pmu_cpu *cpu = this_pmu_cpu();
	bool wanted = permitted(mm);

	if (wanted && hardware_pmu && hardware_pmu->forget)
		hardware_pmu->forget();
	if (cpu->rdpmc == wanted)
		return;
	cpu->rdpmc = wanted;
	write_cr4(wanted ? read_cr4() | CR4_PCE : read_cr4() & ~(uint64_t)CR4_PCE);
}

static void look_again(void *unused)
{
	(void)unused;
	rdpmc_switch(current_task()->mm);
}

static void look_again_everywhere(void)
{
	remote_call_all(look_again, NULL);
}

bool rdpmc_offered(void)
{
	return mode != RDPMC_NOBODY;
}

void rdpmc_mapped(struct mm *mm)
{
	if (mm->rdpmc_users++ == 0)
		look_again_everywhere();
}

void rdpmc_unmapped(struct mm *mm)
{
	KASSERT(mm->rdpmc_users > 0);
	if (--mm->rdpmc_users == 0)
		look_again_everywhere();
}

static void make(struct text *out, uint64_t id)
{
	(void)id;
	text_print(out, "%d\n", mode);
}

static int store(const char *text, uint64_t id)
{
	(void)id;
	if (text[0] < '0' || text[0] > '2' || (text[1] && (text[1] != '\n' || text[2])))
		return -EINVAL;
	mode = text[0] - '0';
	look_again_everywhere();
	return 0;
}

const struct synthetic rdpmc_file = {.make = make, .store = store, .mode = 0600};

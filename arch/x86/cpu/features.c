/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets the control registers: Intel SDM volume 3, "Control Registers" and "Page Attribute
 * Table". */
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/features.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/cpu/percpu.h"

/* Write-back, write-combining (instead of write-through), uncached-, uncached; repeated. */
#define PAT_VALUE 0x0007010600070106ul

static uint64_t cr4_wanted(void)
{
	uint64_t cr4 = CR4_PAE | CR4_MCE | CR4_PGE | CR4_OSFXSR | CR4_OSXMMEXCPT;

	if (cpuid_has(CPUID_SMEP))
		cr4 |= CR4_SMEP;
	if (cpuid_has(CPUID_SMAP))
		cr4 |= CR4_SMAP;
	if (cpuid_has(CPUID_UMIP))
		cr4 |= CR4_UMIP;
	return cr4;
}

void features_deny_tsc(bool deny)
{
	uint64_t cr4 = read_cr4();

	write_cr4(deny ? cr4 | CR4_TSD : cr4 & ~CR4_TSD);
	this_cpu()->tsc_off = deny;
}

void features_init(void)
{
	write_cr0((read_cr0() & ~(CR0_EM | CR0_TS)) | CR0_MP | CR0_NE | CR0_WP | CR0_AM);
	write_cr4(cr4_wanted());
	if (cpuid_has(CPUID_NX))
		wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_NXE);
	if (cpuid_has(CPUID_PAT))
		wrmsr(MSR_PAT, PAT_VALUE);
}

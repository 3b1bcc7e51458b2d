/* SPDX-License-Identifier: BSD-2-Clause */
/* The emulated x2APIC. Intel SDM vol. 3, 10.12. */
#include "tests/bare/machine/guest.h"

#define APIC_BASE    0x1b
#define BASE_EXTD    (1ull << 10)
#define BASE_ENABLE  (1ull << 11)
#define X2(offset)   (0x800u + (offset) / 16)
#define SELF_VECTOR  0x61
#define CPUID_X2APIC (1u << 21)

static unsigned arrived;

static void on_self(struct trap_frame *frame)
{
	(void)frame;
	arrived++;
	wrmsr(X2(0xb0), 0);
}

static void rules(void)
{
	uint64_t value;

	is(try_rdmsr(X2(0x20), &value), 0, "x2APIC: the id reads");
	is(value, 0, "x2APIC: and is 0");
	is(try_rdmsr(X2(0xd0), &value), 0, "x2APIC: the logical id reads");
	is(value, 1, "x2APIC: and follows from the id");
	is(try_wrmsr(X2(0x20), 0), GP_FAULT, "x2APIC: the id is read-only");
	is(try_rdmsr(X2(0xb0), &value), GP_FAULT, "x2APIC: EOI is write-only");
	is(try_wrmsr(X2(0xb0), 1), GP_FAULT, "x2APIC: EOI takes 0 only");
	is(try_wrmsr(X2(0x80), 0x100), GP_FAULT, "x2APIC: TPR's reserved bits");
	is(try_rdmsr(X2(0x310), &value), GP_FAULT, "x2APIC: no upper ICR");
	is(try_rdmsr(X2(0xe0), &value), GP_FAULT, "x2APIC: no DFR");
	is(try_wrmsr(X2(0x340), 0x10400), 0, "x2APIC: LVTPC takes an NMI");
	is(try_rdmsr(X2(0x340), &value), 0, "x2APIC: LVTPC reads");
	is(value, 0x10400, "x2APIC: as it was written");
	is(try_rdmsr(0x8ff, &value), GP_FAULT, "x2APIC: nothing at the end of its range");
}

static void self_ipi(void)
{
	on_interrupt(SELF_VECTOR, on_self);
	wrmsr(X2(0xf0), 0x1ff);
	irq_enable();
	wrmsr(X2(0x3f0), SELF_VECTOR);
	spin(10);
	is(arrived, 1, "x2APIC: the self IPI arrives");
	wrmsr(X2(0x300), 0x40000 | SELF_VECTOR);
	spin(10);
	is(arrived, 2, "x2APIC: and one by ICR");
	irq_disable();
}

void test_x2apic(bool offered)
{
	uint32_t regs[4];
	uint64_t value, base = rdmsr(APIC_BASE);

	cpuid_words(1, 0, regs);
	is(!!(regs[2] & CPUID_X2APIC), offered, "CPUID tells whether there is an x2APIC");
	is(try_rdmsr(X2(0x20), &value), GP_FAULT, "x2APIC's MSRs fault before it is enabled");
	is(try_wrmsr(APIC_BASE, base | BASE_EXTD), offered ? 0 : GP_FAULT,
	   "APIC_BASE.EXTD can be set if it is there");
	is(try_wrmsr(APIC_BASE, base | 1), GP_FAULT, "APIC_BASE's reserved bits");
	if (!offered)
		return;
	is(rdmsr(APIC_BASE) & BASE_EXTD, BASE_EXTD, "x2APIC: APIC_BASE.EXTD reads");
	is(try_wrmsr(APIC_BASE, base), GP_FAULT, "x2APIC: there is no way back to the xAPIC");
	rules();
	self_ipi();
	is(try_wrmsr(APIC_BASE, base & ~BASE_ENABLE), 0, "x2APIC: it can be disabled");
	is(try_wrmsr(APIC_BASE, base), 0, "x2APIC: and from there be an xAPIC");
}

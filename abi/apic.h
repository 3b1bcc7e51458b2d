/* SPDX-License-Identifier: BSD-2-Clause */
/* The local APIC's registers, by their xAPIC offsets; as x2APIC MSR 800H + offset / 16: Intel SDM
 * volume 3, chapter "APIC". */
#ifndef ABI_APIC_H
#define ABI_APIC_H

enum apic_register {
	APIC_ID = 0x020,
	APIC_VERSION = 0x030,
	APIC_TPR = 0x080,
	APIC_PPR = 0x0a0,
	APIC_EOI = 0x0b0,
	APIC_LDR = 0x0d0,
	APIC_DFR = 0x0e0,
	APIC_SVR = 0x0f0,
	APIC_ISR = 0x100, /* in service, 8 registers */
	APIC_IRR = 0x200, /* requested, 8 registers */
	APIC_ESR = 0x280,
	APIC_LVT_CMCI = 0x2f0,
	APIC_ICR = 0x300,
	APIC_ICR_HIGH = 0x310, /* xAPIC only */
	APIC_LVT_TIMER = 0x320,
	APIC_LVT_THERMAL = 0x330,
	APIC_LVT_PMC = 0x340,
	APIC_LVT_LINT0 = 0x350,
	APIC_LVT_LINT1 = 0x360,
	APIC_LVT_ERROR = 0x370,
	APIC_TIMER_INITIAL = 0x380,
	APIC_TIMER_CURRENT = 0x390,
	APIC_TIMER_DIVIDE = 0x3e0,
	APIC_SELF_IPI = 0x3f0, /* x2APIC only */
	/* AMD's extended space: AMD APM volume 2, "Extended Interrupts". */
	APIC_EXTENDED_FEATURE = 0x400, /* bits 23:16: entries of the extended LVT */
	APIC_EXTENDED_LVT = 0x500,     /* 16 bytes each */
};

#define APIC_LVT_MASKED (1u << 16)

#endif

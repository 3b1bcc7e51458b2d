/* SPDX-License-Identifier: BSD-2-Clause */
/* The local APIC, as xAPIC (memory) or x2APIC (MSRs): Intel SDM volume 3, "APIC". */
#ifndef ARCH_X86_APIC_H
#define ARCH_X86_APIC_H

#include <stdbool.h>
#include <stdint.h>

/* Vectors that the kernel uses. */
enum {
	VECTOR_TIMER = 0xf0,      /* LVT timer, one-shot */
	VECTOR_IRQ_WORK = 0xf1,   /* self-IPI: work deferred out of an NMI */
	VECTOR_HOST = 0xf4,       /* the host command rings */
	VECTOR_RESCHEDULE = 0xf2, /* from here on: without the kernel lock */
	VECTOR_CALL = 0xf3,
	VECTOR_KEYS = 0xf5,   /* keyboard and serial line; with the lock again */
	VECTOR_BUTTON = 0xf6, /* the power button */
	VECTOR_SPURIOUS = 0xff,
};

/*
 * Chooses the mode (x2APIC if CPUID offers it), enables the APIC, and masks every LVT entry except
 * LINT1 (the machine's own NMIs) and the one-shot timer, which it calibrates against the TSC.
 * Context: start, after tsc_init().
 */
void apic_init(void);
/* As apic_init(), for another processor, with the first one's settings. Context: its start. */
void apic_init_processor(void);
/* Restores the first processor's APIC and the legacy controllers for a loader that keeps the
 * firmware. Context: any, once, at the end, interrupts masked. */
void apic_restore(void);
bool apic_is_x2apic(void);
uint32_t apic_id(void);
void apic_eoi(void);
/* True if an interrupt is pending. Context: any. */
bool apic_is_requested(void);
/* Acknowledges all interrupts in service. Context: interrupts masked, no handler running. */
void apic_end_all(void);

/* Sends `vector`, or an NMI, to the processor with that APIC ID. Context: interrupts masked, not
 * NMI. */
void apic_ipi(uint32_t apic_id, uint8_t vector);
void apic_nmi(uint32_t apic_id);
/* Sends INIT, and the start-up IPI with the address page << 12. Context: start. */
void apic_init_ipi(uint32_t apic_id);
void apic_startup_ipi(uint32_t apic_id, uint8_t page);

/* Sends `vector` to this processor. Context: any, NMI included. */
void apic_self_ipi(uint8_t vector);

/*
 * Programs LVTPC to deliver counter overflows as NMIs, unmasked. The PMI path calls it again,
 * because delivery masks the entry. Context: any, NMI included.
 */
void apic_pmi_arm(void);

/*
 * Makes an entry of AMD's extended local vector table deliver NMIs. False: it does not exist, or is
 * in use. Context: start.
 */
bool apic_extended_nmi(unsigned entry);

/* Raises VECTOR_TIMER once after `ns` nanoseconds (clamped to the timer's maximum); 0 cancels.
 * Context: task or interrupt. */
void apic_timer_oneshot(uint64_t ns);

/* The settings of the local APIC's own interrupts. */
#define APIC_OWN_INTERRUPTS 6
struct apic_quiet {
	uint32_t entries[APIC_OWN_INTERRUPTS];
};

/* Masks them all at their source, including the NMIs of LINT1 and of the counters; apic_unquiet()
 * restores them. Interrupts in between are lost: the timer must be armed again. Context: task,
 * interrupts masked. */
void apic_quiet(struct apic_quiet *saved);
void apic_unquiet(const struct apic_quiet *saved);

#endif

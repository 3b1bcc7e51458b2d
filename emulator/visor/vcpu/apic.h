/* SPDX-License-Identifier: BSD-2-Clause */
/* The local APIC: the real one's registers, and the x2APIC that the visor emulates over it. */
#ifndef VISOR_APIC_H
#define VISOR_APIC_H

#include "abi/apic.h"
#include "emulator/visor/vcpu/vcpu.h"

#define APIC_BASE      0xfee00000ull
#define APIC_BASE_EXTD (1ull << 10) /* IA32_APIC_BASE: x2APIC mode */

#define LVT_VECTOR     0xffu
#define LVT_MODE       (7u << 8)
#define LVT_MODE_FIXED (0u << 8)
#define LVT_MODE_NMI   (4u << 8)

/* The interrupt command register. */
#define ICR_MODE(icr)      ((icr) >> 8 & 7)
#define ICR_LOGICAL        (1u << 11)
#define ICR_BUSY           (1u << 12)
#define ICR_ASSERT         (1u << 14)
#define ICR_LEVEL          (1u << 15) /* level-triggered */
#define ICR_SHORTHAND(icr) ((icr) >> 18 & 3)

enum icr_mode { ICR_MODE_NMI = 4, ICR_MODE_INIT = 5, ICR_MODE_SIPI = 6 };
enum icr_shorthand { ICR_TO_ONE, ICR_TO_SELF, ICR_TO_ALL, ICR_TO_OTHERS };

uint32_t apic_read(enum apic_register reg);
void apic_write(enum apic_register reg, uint32_t value);
/* This processor's id. */
uint32_t apic_id(void);
/* Handles the guest's write to a register of its APIC: the visor emulates interrupts between
 * processors, the machine's APIC does the rest. */
void apic_store(struct vcpu *vcpu, enum apic_register reg, uint32_t value);
/* True if the guest's APIC is enabled and has its registers in its page; as x2APIC it has MSRs
 * instead. */
bool apic_page_answers(const struct vcpu *vcpu);
/* Maps that page accordingly, from the guest's next entry on. */
void apic_map(struct vcpu *vcpu);
/* Resets the registers as an INIT does. */
void apic_reset(void);
/* Sends an interrupt command to the processor with this id; the upper half of the guest's ICR does
 * not change. */
void apic_send(uint32_t id, uint32_t icr);
/* Sends an NMI to the processor with this id. */
void apic_send_nmi(uint32_t id);
/* Makes a fixed interrupt pending on this processor; the guest's ICR does not change. */
void apic_interrupt_self(unsigned vector);

/* IA32_APIC_BASE and the x2APIC's MSRs: MODEL_NOT_PMU if the machine must answer. */
enum model_result apic_rdmsr(struct vcpu *vcpu, uint32_t msr, uint64_t *value);
enum model_result apic_wrmsr(struct vcpu *vcpu, uint32_t msr, uint64_t value);
/* CPUID's x2APIC bit and the x2APIC id in leaf 0BH. */
void apic_cpuid(const struct vcpu *vcpu, uint32_t leaf, uint32_t regs[4]);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* INIT, SIPI and NMI between processors of the guest. Intel SDM vol. 3, table 9-1 (state after
 * INIT). */
#include "emulator/visor/vcpu/startup.h"

#include "emulator/visor/base/cpu.h"
#include "emulator/visor/base/lib.h"
#include "emulator/visor/vcpu/apic.h"
#include "emulator/visor/vcpu/eilvt.h"
#include "emulator/visor/vcpu/host.h"
#include "emulator/visor/vcpu/hpet.h"
#include "emulator/visor/vcpu/processors.h"

enum { MAIL_INIT = 1, MAIL_SIPI = 2, MAIL_NMI = 4 };

void (*startup_idle)(struct vcpu *vcpu);

#define BROADCAST_XAPIC  0xffu
#define BROADCAST_X2APIC 0xffffffffu
#define DFR_FLAT         0xfu /* bits 31:28 */

static bool is_logical_x2apic(const struct vcpu *vcpu, uint32_t destination)
{
	return destination >> 16 == vcpu->apic_id >> 4 &&
	       (destination & 1u << (vcpu->apic_id & 0xf));
}

bool startup_addressed(const struct vcpu *vcpu, bool logical, uint32_t destination)
{
	uint8_t own = (uint8_t)(vcpu->ldr >> 24); /* LDR: the id is in bits 24 to 31 */

	if (destination == (vcpu->apic_base & APIC_BASE_EXTD ? BROADCAST_X2APIC : BROADCAST_XAPIC))
		return true;
	if (!logical)
		return destination == vcpu->apic_id;
	if (vcpu->apic_base & APIC_BASE_EXTD)
		return is_logical_x2apic(vcpu, destination);
	if (vcpu->dfr >> 28 == DFR_FLAT) /* DFR: the model is in bits 28 to 31 */
		return own & destination;
	return own >> 4 == destination >> 4 && (own & destination & 0xf);
}

static bool receives(const struct vcpu *vcpu, const struct vcpu *from, uint32_t icr,
		     uint32_t destination)
{
	switch (ICR_SHORTHAND(icr)) {
	case ICR_TO_SELF:
		return vcpu == from;
	case ICR_TO_ALL:
		return true;
	case ICR_TO_OTHERS:
		return vcpu != from;
	default:
		return startup_addressed(vcpu, icr & ICR_LOGICAL, destination);
	}
}

static uint32_t mail_of(uint32_t icr)
{
	switch (ICR_MODE(icr)) {
	case ICR_MODE_NMI:
		return MAIL_NMI;
	case ICR_MODE_INIT:
		return MAIL_INIT;
	case ICR_MODE_SIPI:
		return MAIL_SIPI;
	default:
		return 0;
	}
}

/* Makes a processor check its mail. */
static void kick(struct vcpu *to)
{
	__atomic_fetch_add(&to->kicks_begun, 1, __ATOMIC_SEQ_CST);
	apic_send_nmi(to->apic_id);
	__atomic_fetch_add(&to->kicks_done, 1, __ATOMIC_SEQ_CST);
}

bool startup_took_kick(struct vcpu *vcpu)
{
	uint32_t done = __atomic_load_n(&vcpu->kicks_done, __ATOMIC_SEQ_CST);
	bool took = __atomic_load_n(&vcpu->kicks_begun, __ATOMIC_SEQ_CST) != vcpu->kicks_taken;

	vcpu->kicks_taken = done;
	return took;
}

void startup_absorb_nmi(struct vcpu *vcpu)
{
	startup_took_kick(vcpu);
	cpu_take_nmi();
	if (__atomic_load_n(&vcpu->mail, __ATOMIC_SEQ_CST))
		kick(vcpu);
}

static void post(struct vcpu *to, const struct vcpu *from, uint32_t mail, uint32_t icr)
{
	if (mail == MAIL_SIPI)
		__atomic_store_n(&to->sipi, icr & 0xff, __ATOMIC_SEQ_CST); /* the vector */
	__atomic_fetch_or(&to->mail, mail, __ATOMIC_SEQ_CST);
	if (to != from)
		kick(to);
}

bool startup_sends(struct vcpu *from, uint32_t icr, uint32_t destination)
{
	uint32_t mail = mail_of(icr);
	bool posted = false;
	struct vcpu *to;

	if (!mail)
		return false;
	for (unsigned i = 0; (to = visor_processor(i)); i++) {
		if (!__atomic_load_n(&to->online, __ATOMIC_SEQ_CST) ||
		    !receives(to, from, icr, destination))
			continue;
		posted = true;
		if (mail != MAIL_INIT || !(icr & ICR_LEVEL) || (icr & ICR_ASSERT))
			post(to, from, mail, icr);
	}
	return posted;
}

void startup_come_online(struct vcpu *vcpu)
{
	vcpu->apic_id = apic_id();
	vcpu->ldr = apic_read(APIC_LDR);
	vcpu->dfr = apic_read(APIC_DFR);
	__atomic_store_n(&vcpu->online, true, __ATOMIC_SEQ_CST);
}

void startup_wait(struct vcpu *vcpu)
{
	vcpu->waiting = true;
	vcpu->nmi_pending = vcpu->nmi_blocked = false;
	vcpu->shadow = vcpu->pass_interrupt = vcpu->halted = vcpu->step_over = false;
	vcpu->syscall_enabled = false;
	apic_reset();
	eilvt_reset(vcpu);
}

#define REAL_CODE  0x09b
#define REAL_DATA  0x093
#define REAL_LIMIT 0xffff
#define LDT        0x082

static struct vmcb_segment real_segment(uint16_t attributes)
{
	return (struct vmcb_segment){.attributes = attributes, .limit = REAL_LIMIT};
}

static void set_real_mode(struct vcpu *vcpu, uint32_t vector)
{
	struct vmcb *vmcb = vcpu->vmcb;
	uint32_t signature[4];

	cpu_vmsave((uint64_t)vmcb);
	vmcb->ds = vmcb->es = vmcb->ss = vmcb->fs = vmcb->gs = real_segment(REAL_DATA);
	vmcb->cs = real_segment(REAL_CODE);
	/* The vector is the page of its first instruction. */
	vmcb->cs.selector = (uint16_t)(vector << 8);
	vmcb->cs.base = vector << 12;
	vmcb->ldtr = real_segment(LDT);
	vmcb->tr = real_segment(TSS32_BUSY);
	vmcb->gdtr = vmcb->idtr = real_segment(0);
	cpu_vmload((uint64_t)vmcb);
	vmcb->cpl = 0;
	vmcb->cr0 = CR0_RESET;
	vmcb->cr2 = vmcb->cr3 = vmcb->cr4 = 0;
	vmcb->efer = EFER_SVME;
	vmcb->dr6 = DR6_RESET;
	vmcb->dr7 = DR7_RESET;
	vmcb->rflags = RFLAGS_FIXED;
	vmcb->rip = vmcb->rsp = vmcb->rax = 0;
	vmcb->event = 0;
	memset(vcpu->gpr, 0, sizeof(vcpu->gpr));
	cpuid_words(1, 0, signature);
	vcpu->gpr[RDX] = signature[0];
}

static void open_letters(struct vcpu *vcpu, uint32_t mail)
{
	if (mail & MAIL_INIT)
		startup_wait(vcpu);
	if ((mail & MAIL_SIPI) && vcpu->waiting) {
		vcpu->waiting = false;
		startup_took_kick(vcpu);
		cpu_take_nmi();
		set_real_mode(vcpu, __atomic_load_n(&vcpu->sipi, __ATOMIC_SEQ_CST));
	}
	if ((mail & MAIL_NMI) && !vcpu->waiting)
		vcpu->nmi_pending = true;
}

void startup_open_mail(struct vcpu *vcpu)
{
	if (!vcpu->waiting && !__atomic_load_n(&vcpu->mail, __ATOMIC_RELAXED))
		return;
	do {
		uint32_t mail = __atomic_exchange_n(&vcpu->mail, 0, __ATOMIC_SEQ_CST);

		open_letters(vcpu, mail);
		if (vcpu->waiting && !mail)
			startup_idle(vcpu);
	} while (vcpu->waiting);
}

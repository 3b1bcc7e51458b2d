/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps by the trap flag. QEMU's target/i386/tcg: a #DB follows each instruction that started with
 * TF set, including one that loads RFLAGS. */
#include "emulator/visor/count/precise.h"

#include "emulator/visor/base/cpu.h"
#include "emulator/visor/count/count.h"
#include "emulator/visor/count/events.h"
#include "emulator/visor/count/exact.h"
#include "emulator/visor/vcpu/apic.h"
#include "emulator/visor/vcpu/guest.h"
#include "emulator/visor/vcpu/host.h"
#include "emulator/visor/vcpu/startup.h"

#define PAUSE_LENGTH 2

enum { OPCODE_PUSHF = 0x9c, OPCODE_POPF = 0x9d, OPCODE_IRET = 0xcf };
enum { OPCODE_INT3 = 0xcc, OPCODE_INT = 0xcd };
enum { VECTOR_BP = 3, VECTOR_OF = 4 };

static uint8_t first_opcode(const uint8_t *code, unsigned bytes, enum decode_mode mode)
{
	unsigned at = guest_prefixes(code, bytes, mode);

	return at < bytes ? code[at] : 0;
}

void precise_prepare(struct vcpu *vcpu, const uint8_t *code, unsigned bytes)
{
	if (vcpu->delivering) {
		vcpu->self_nmi = true;
		apic_send_nmi(vcpu->apic_id);
		return;
	}
	vcpu->opcode = first_opcode(code, bytes, guest_mode(vcpu));
	vcpu->trapping = true;
	vcpu->guest_traps = vcpu->vmcb->rflags & RFLAGS_TF;
	vcpu->guest_dr6 = vcpu->vmcb->dr6;
	vcpu->vmcb->rflags |= RFLAGS_TF;
}

/* Clears the trap flag, bit 0 of the second byte, in the image of RFLAGS that PUSHF stored. */
static void clean_pushed(struct vcpu *vcpu)
{
	uint64_t address = guest_stack(vcpu) + 1;
	uint8_t byte;

	if (!guest_read(vcpu, address, &byte, 1))
		return;
	byte &= ~1;
	guest_write(vcpu, address, &byte, 1);
}

void precise_finish(struct vcpu *vcpu)
{
	bool loads = vcpu->opcode == OPCODE_POPF || vcpu->opcode == OPCODE_IRET;

	if (vcpu->self_nmi && vcpu->vmcb->exit_code != EXIT_NMI) {
		vcpu->self_nmi = false;
		startup_absorb_nmi(vcpu);
	}
	if (!vcpu->trapping || vcpu->guest_traps)
		return;
	if (!exact_stepped(vcpu) || !loads)
		vcpu->vmcb->rflags &= ~RFLAGS_TF;
	if (exact_stepped(vcpu) && vcpu->opcode == OPCODE_PUSHF)
		clean_pushed(vcpu);
}

bool precise_behind_iret(const struct vcpu *vcpu)
{
	return vcpu->precise && vcpu->opcode == OPCODE_IRET;
}

void precise_interrupt(struct vcpu *vcpu)
{
	struct host_events *events = vcpu->host_events;
	uint32_t nmis = events->nmis;

	events->vector = 0;
	cpu_take_interrupt();
	if (events->vector)
		vcpu->vmcb->event = EVENT_VALID | EVENT_INTERRUPT | events->vector;
	if (events->nmis != nmis)
		event_nmi(vcpu);
}

void precise_software_interrupt(struct vcpu *vcpu)
{
	uint8_t code[DECODE_MAX], opcode, vector;
	unsigned bytes = guest_fetch(vcpu, vcpu->vmcb->rip, code, sizeof(code));
	struct insn insn = decode(code, bytes, guest_mode(vcpu));

	if (!insn.length) {
		event_inject(vcpu, VECTOR_UD, 0);
		return;
	}
	opcode = first_opcode(code, bytes, guest_mode(vcpu));
	vector = opcode == OPCODE_INT ? code[insn.length - 1]
				      : (opcode == OPCODE_INT3 ? VECTOR_BP : VECTOR_OF);
	vcpu->soft_rip = vcpu->vmcb->rip;
	vcpu->vmcb->rip += insn.length;
	vcpu->vmcb->event = EVENT_VALID | EVENT_SOFTWARE | vector;
}

void precise_pause(struct vcpu *vcpu)
{
	cpu_relax();
	count_emulated(vcpu, PAUSE_LENGTH);
}

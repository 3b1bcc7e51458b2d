/* SPDX-License-Identifier: BSD-2-Clause */
/* Executes PTWRITE for the guest: reads its operand, and puts it into the trace. Intel SDM vol. 2,
 * PTWRITE. */
#include "emulator/visor/count/ptwrite.h"
#include "emulator/visor/model/model.h"

#include "emulator/visor/base/cpu.h"
#include "emulator/visor/base/lib.h"
#include "emulator/visor/count/count.h"
#include "emulator/visor/count/events.h"
#include "emulator/visor/count/trace.h"
#include "emulator/visor/model/insn/ptwrite.h"
#include "emulator/visor/vcpu/guest.h"

#define FAULT_PROTECTION (1u << 0) /* error code of #PF */
#define FAULT_USER       (1u << 2)
#define PREFIX_FS        0x64
#define PREFIX_GS        0x65
#define CANONICAL(a)     (((int64_t)(a) << 16) >> 16 == (int64_t)(a))

/* The other segments are flat in long mode, and where Linux runs programs of 32 bits. */
static uint64_t segment_base(uint8_t prefix)
{
	if (prefix == PREFIX_FS)
		return rdmsr(MSR_FS_BASE);
	return prefix == PREFIX_GS ? rdmsr(MSR_GS_BASE) : 0;
}

static void read_registers(const struct vcpu *vcpu, uint64_t registers[GPRS])
{
	memcpy(registers, vcpu->gpr, sizeof(vcpu->gpr));
	registers[RAX] = vcpu->vmcb->rax;
	registers[RSP] = vcpu->vmcb->rsp;
}

static void page_fault(struct vcpu *vcpu, uint64_t address)
{
	vcpu->vmcb->cr2 = address;
	event_inject(vcpu, VECTOR_PF,
		     (guest_is_mapped(vcpu, address) ? FAULT_PROTECTION : 0) |
			 (vcpu->vmcb->cpl ? FAULT_USER : 0));
}

/* Reads the operand. False: its exception was raised. */
static bool read_operand(struct vcpu *vcpu, const struct ptwrite *insn, uint64_t *value)
{
	uint64_t registers[GPRS], address;
	unsigned bytes;

	read_registers(vcpu, registers);
	if (insn->kind == PTWRITE_REGISTER) {
		*value = registers[insn->base];
		return true;
	}
	address = ptwrite_offset(insn, registers, vcpu->vmcb->rip + insn->length) +
		  segment_base(insn->segment);
	if (guest_mode(vcpu) != DECODE_64)
		address = (uint32_t)address;
	if (!CANONICAL(address)) {
		event_inject(vcpu, VECTOR_GP, 0);
		return false;
	}
	bytes = guest_load(vcpu, address, value, insn->bytes);
	if (bytes < insn->bytes)
		page_fault(vcpu, address + bytes);
	return bytes == insn->bytes;
}

bool ptwrite_emulate(struct vcpu *vcpu, const uint8_t *code, unsigned bytes)
{
	struct ptwrite insn;
	uint64_t value = 0;

	if (!model_has_ptwrite(&vcpu->model) ||
	    !ptwrite_decode(code, bytes, guest_mode(vcpu), &insn))
		return false;
	if (!read_operand(vcpu, &insn, &value))
		return true;
	count_undefined(vcpu, 0);
	trace_value(vcpu, value, insn.bytes);
	vcpu->vmcb->rip += insn.length;
	vcpu->vmcb->rflags &= ~RFLAGS_RF;
	event_trap(vcpu);
	return true;
}

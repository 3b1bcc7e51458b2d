/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Separation of rings: while a counter counts in one ring only, every transition between rings ends
 * a run. Into the kernel: SYSCALL (made undefined by clearing EFER.SCE, and emulated), exceptions,
 * interrupts, INT n. Out of it: SYSRET (likewise) and IRET. SYSENTER is not covered outside of long
 * mode. AMD APM vol. 3, SYSCALL, SYSRET.
 */
#include "emulator/visor/count/split.h"
#include "emulator/visor/model/model.h"

#include "emulator/visor/base/cpu.h"
#include "emulator/visor/count/branches.h"
#include "emulator/visor/count/count.h"
#include "emulator/visor/count/events.h"
#include "emulator/visor/count/ptwrite.h"
#include "emulator/visor/count/sysenter.h"
#include "emulator/visor/count/trace.h"
#include "emulator/visor/vcpu/guest.h"

#define ALL_EXCEPTIONS (~(1u << VECTOR_NMI))
/* Instructions that would see or clear the trap flag. */
#define FLAG_READERS (INTERCEPT_PUSHF | INTERCEPT_POPF | INTERCEPT_IRET | INTERCEPT_INTN)
#define ALWAYS                                                                                \
	(INTERCEPT_NMI | INTERCEPT_INIT | INTERCEPT_RDPMC | INTERCEPT_CPUID | INTERCEPT_HLT | \
	 INTERCEPT_INVLPGA | INTERCEPT_MSR | INTERCEPT_SHUTDOWN)

/* Segments as SYSCALL and SYSRET load them: flat, whatever the descriptors say. */
#define CODE64_KERNEL 0xa9b
#define CODE64_USER   0xafb
#define CODE32_USER   0xcfb
#define DATA_KERNEL   0xc93
#define DATA_USER     0xcf3

#define OPCODE_BYTES 2 /* of SYSCALL and SYSRET */
#define PREFIX_LOCK  0xf0
#define REX_W        0x48 /* with R, X and B, or without */

static void intercept_rings(struct vcpu *vcpu, uint32_t *exceptions, uint32_t *instructions)
{
	if (vcpu->entry_cpl && !vcpu->delivering) {
		*exceptions = ALL_EXCEPTIONS;
		*instructions |= INTERCEPT_INTR | INTERCEPT_INTN;
	} else {
		*exceptions = 1u << VECTOR_UD;
		*instructions |= INTERCEPT_IRET;
	}
}

/* True if SYSCALL would save the trap flag of a precise step in R11. */
static bool emulates_syscalls(const struct vcpu *vcpu)
{
	return vcpu->splits || vcpu->precise;
}

/* The record of an overflow is written before an interrupt is delivered, which might stop the
 * counter: interrupts may arise in the visor's own time in between. */
static bool holds_interrupts(const struct vcpu *vcpu)
{
	if (vcpu->shadow || vcpu->storing || vcpu->loading || (vcpu->precise && !vcpu->steps))
		return true;
	return vcpu->counts && vcpu->stepping && !vcpu->delivering &&
	       (model_pebs_is_next(&vcpu->model, ring_now(vcpu)) || model_ibs_waits(&vcpu->model));
}

void split_intercept(struct vcpu *vcpu)
{
	struct vmcb *vmcb = vcpu->vmcb;
	uint32_t exceptions = sysenter_offered(vcpu) ? 1u << VECTOR_UD : 0, instructions = ALWAYS;

	if (vcpu->nmi_blocked)
		instructions |= INTERCEPT_IRET;
	if (vcpu->icount && !vcpu->step_over)
		instructions |= INTERCEPT_IO;
	if (vcpu->steps) {
		exceptions = ALL_EXCEPTIONS;
		instructions |= vcpu->icount ? FLAG_READERS : 0;
		instructions |= vcpu->pass_interrupt ? 0 : INTERCEPT_INTR;
	} else if (vcpu->splits) {
		intercept_rings(vcpu, &exceptions, &instructions);
	}
	if (vcpu->step_over)
		instructions &= ~FLAG_READERS;
	if (vcpu->precise) {
		exceptions = ALL_EXCEPTIONS;
		instructions |= INTERCEPT_INTN | INTERCEPT_PAUSE;
	}
	if (vcpu->halted)
		instructions = (instructions & ~INTERCEPT_HLT) | INTERCEPT_INTR;
	vmcb->intercept1 = instructions;
	vmcb->intercept_exceptions = exceptions;
	vmcb->nested_control = NESTED_PAGING;
	vmcb->efer = (vmcb->efer & ~EFER_SCE) |
		     (vcpu->syscall_enabled && !emulates_syscalls(vcpu) ? EFER_SCE : 0);
	vmcb->interrupt_control = holds_interrupts(vcpu) ? INT_CONTROL_MASKING : 0;
}

static void load_flat(struct vmcb_segment *segment, unsigned selector, uint16_t attributes)
{
	*segment = (struct vmcb_segment){
	    .selector = (uint16_t)selector, .attributes = attributes, .limit = ~0u};
}

void split_load_rings(struct vcpu *vcpu, uint8_t cpl, unsigned code, unsigned stack, bool wide)
{
	struct vmcb *vmcb = vcpu->vmcb;

	load_flat(&vmcb->cs, code | cpl, !cpl ? CODE64_KERNEL : wide ? CODE64_USER : CODE32_USER);
	load_flat(&vmcb->ss, stack | cpl, cpl ? DATA_USER : DATA_KERNEL);
	vmcb->cpl = cpl;
}

/* The trap flag applies as it is after the instruction: SFMASK may have cleared it, SYSRET set
 * it. */
static void emulate_syscall(struct vcpu *vcpu, unsigned length)
{
	struct vmcb *vmcb = vcpu->vmcb;
	uint16_t selector = (uint16_t)(rdmsr(MSR_STAR) >> 32) & ~RPL_USER;
	bool long_mode = vmcb->cs.attributes & SEGMENT_LONG;
	uint64_t from = vmcb->rip;

	vcpu->gpr[RCX] = vmcb->rip + length;
	vcpu->gpr[R11] = vmcb->rflags & ~RFLAGS_RF;
	count_far_branch(vcpu);
	vmcb->rip = rdmsr(long_mode ? MSR_LSTAR : MSR_CSTAR);
	vmcb->rflags = (vmcb->rflags & ~(rdmsr(MSR_SFMASK) | RFLAGS_RF)) | RFLAGS_FIXED;
	split_load_rings(vcpu, 0, selector, selector + 8u, true);
	branches_emulated(vcpu, INSN_SYSCALL, from);
	trace_far(vcpu, from);
	event_trap(vcpu);
}

/* RFLAGS that SYSRET loads from R11: all except VIF and VIP, which it loads according to the
 * manual, but not in QEMU. */
#define SYSRET_FLAGS 0x247fd7
#define SYSRET_KEEPS 0x180000

static void emulate_sysret(struct vcpu *vcpu, bool to64)
{
	struct vmcb *vmcb = vcpu->vmcb;
	uint16_t selector = (uint16_t)(rdmsr(MSR_STAR) >> 48); /* SYSRET's */
	uint64_t from = vmcb->rip;

	count_far_branch(vcpu);
	vmcb->rip = to64 ? vcpu->gpr[RCX] : (uint32_t)vcpu->gpr[RCX];
	vmcb->rflags =
	    (vcpu->gpr[R11] & SYSRET_FLAGS) | (vmcb->rflags & SYSRET_KEEPS) | RFLAGS_FIXED;
	split_load_rings(vcpu, RPL_USER, selector + (to64 ? 16u : 0), selector + 8u, to64);
	branches_emulated(vcpu, INSN_SYSRET, from);
	trace_far(vcpu, from);
	event_trap(vcpu);
}

/* Prefixes end at the opcode: a LOCK makes it undefined, REX.W is the last one. */
static bool is_locked(const uint8_t *code, unsigned prefixes)
{
	while (prefixes--)
		if (code[prefixes] == PREFIX_LOCK)
			return true;
	return false;
}

/* True if the undefined instruction is one that the visor emulates now: SYSCALL or SYSRET. */
static bool emulates(const struct vcpu *vcpu, enum insn_kind kind)
{
	if (kind == INSN_SYSENTER || kind == INSN_SYSEXIT)
		return sysenter_offered(vcpu);
	return (kind == INSN_SYSCALL || kind == INSN_SYSRET) && vcpu->syscall_enabled &&
	       emulates_syscalls(vcpu);
}

/* Emulates the undefined instruction, or raises its exception. */
static bool emulated(struct vcpu *vcpu)
{
	uint8_t code[DECODE_MAX];
	unsigned bytes = guest_fetch(vcpu, vcpu->vmcb->rip, code, sizeof(code)), prefixes;
	struct insn insn = decode(code, bytes, guest_mode(vcpu));
	bool wide;

	if (!emulates(vcpu, insn.kind))
		return ptwrite_emulate(vcpu, code, bytes);
	prefixes = insn.length - OPCODE_BYTES;
	if (is_locked(code, prefixes))
		return false;
	wide = prefixes && (code[prefixes - 1] & REX_W) == REX_W && guest_mode(vcpu) == DECODE_64;
	if (insn.kind == INSN_SYSENTER || insn.kind == INSN_SYSEXIT)
		sysenter_emulate(vcpu, insn, wide);
	else if (insn.kind == INSN_SYSCALL)
		emulate_syscall(vcpu, insn.length);
	else if (vcpu->vmcb->cpl)
		event_inject(vcpu, VECTOR_GP, 0);
	else
		emulate_sysret(vcpu, wide);
	return true;
}

void split_exception(struct vcpu *vcpu, unsigned vector)
{
	if (vector != VECTOR_UD || !emulated(vcpu))
		event_reflect(vcpu, vector);
}

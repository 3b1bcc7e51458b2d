/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's end: its state on one screen. */
#include <stdarg.h>

#include "emulator/visor/base/console.h"
#include "emulator/visor/exit/exits.h"
#include "emulator/visor/vcpu/guest.h"

static void show_registers(const struct vcpu *vcpu)
{
	const struct vmcb *vmcb = vcpu->vmcb;
	const uint64_t *r = vcpu->gpr;

	say("rip %04x:%016lx  rflags %08lx  cpl %u  rsp %04x:%016lx\n", vmcb->cs.selector,
	    vmcb->rip, vmcb->rflags, vmcb->cpl, vmcb->ss.selector, vmcb->rsp);
	say("rax %016lx  rbx %016lx  rcx %016lx  rdx %016lx\n", vmcb->rax, r[RBX], r[RCX], r[RDX]);
	say("rsi %016lx  rdi %016lx  rbp %016lx  r8  %016lx\n", r[RSI], r[RDI], r[RBP], r[8]);
	say("r9  %016lx  r10 %016lx  r11 %016lx  r12 %016lx\n", r[9], r[10], r[11], r[12]);
	say("r13 %016lx  r14 %016lx  r15 %016lx  cr2 %016lx\n", r[13], r[14], r[15], vmcb->cr2);
	say("cr0 %08lx  cr3 %016lx  cr4 %08lx  efer %04lx  gdt %lx  idt %lx\n", vmcb->cr0,
	    vmcb->cr3, vmcb->cr4, vmcb->efer, vmcb->gdtr.base, vmcb->idtr.base);
}

static void show_code(const struct vcpu *vcpu)
{
	uint8_t code[16];
	unsigned bytes = guest_fetch(vcpu, vcpu->vmcb->rip, code, sizeof(code));

	say("code");
	for (unsigned i = 0; i < bytes; i++)
		say(" %02x", code[i]);
	say("%s\n", bytes ? "" : " not mapped");
}

void guest_died(const struct vcpu *vcpu, const char *why, ...)
{
	va_list arguments;

	say("visor: the guest died: ");
	va_start(arguments, why);
	console_print_list(why, arguments);
	va_end(arguments);
	say("\nexit %lx (%lx, %lx)  event %lx  nmi %s%s  tsc %lu\n", vcpu->vmcb->exit_code,
	    vcpu->vmcb->exit_info1, vcpu->vmcb->exit_info2, vcpu->vmcb->exit_event,
	    vcpu->nmi_blocked ? "blocked" : "open", vcpu->nmi_pending ? ", pending" : "",
	    vcpu->guest_tsc);
	show_registers(vcpu);
	show_code(vcpu);
	stop();
}

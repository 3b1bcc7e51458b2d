/* SPDX-License-Identifier: BSD-2-Clause */
/* The test guest's traps. */
#include "tests/bare/machine/guest.h"
#include "tests/bare/machine/gate.h"
#include "emulator/visor/base/console.h"

#define VECTORS     256
#define SYSTEM_CALL 0x80
#define NMI         2
#define NMI_STACK   1
#define STUB_BYTES  16
#define PIC_MASK    0x21
#define PIC2_MASK   0xa1

extern const char stubs[], syscall_entry[];
void trap(struct trap_frame *frame);

static struct gate gates[VECTORS];
struct trap_frame last_fault;
static trap_handler *handlers[VECTORS];

void on_nmi(trap_handler *handler)
{
	handlers[NMI] = handler;
}

void on_interrupt(unsigned vector, trap_handler *handler)
{
	handlers[vector] = handler;
}

void trap(struct trap_frame *frame)
{
	if (frame->vector == SYSTEM_CALL)
		leave_user(frame->rax);
	if (handlers[frame->vector]) {
		handlers[frame->vector](frame);
		return;
	}
	if (fixup && frame->vector < 32) {
		last_fault = *frame;
		frame->rax = frame->vector;
		frame->rip = fixup;
		return;
	}
	tap_print("# trap %lu, error %lx, at %lx\n", frame->vector, frame->error, frame->rip);
	ok(false, "no unexpected trap");
	done();
}

void traps_setup(void)
{
	struct table_register idt = {sizeof(gates) - 1, (uint64_t)gates};

	for (unsigned i = 0; i < VECTORS; i++) {
		uint64_t stub = (uint64_t)stubs + i * STUB_BYTES;

		gates[i] = gate_to(stub, i == NMI ? NMI_STACK : 0,
				   i == SYSTEM_CALL ? GATE_USER : GATE_KERNEL);
	}
	lidt(&idt);
	outb(PIC_MASK, 0xff);
	outb(PIC2_MASK, 0xff);
	wrmsr(0xc0000081, (uint64_t)0x1b << 48 | (uint64_t)KERNEL_CS << 32); /* STAR */
	wrmsr(0xc0000082, (uint64_t)syscall_entry);
	wrmsr(0xc0000084, 0);
}

/* It has no TSS: no stacks but the one it runs on. */
void traps_join(void)
{
	static struct gate shared[VECTORS];
	struct table_register idt = {sizeof(shared) - 1, (uint64_t)shared};

	for (unsigned i = 0; i < VECTORS; i++) {
		shared[i] = gates[i];
		shared[i].stack = 0;
	}
	lidt(&idt);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a trial: masks interrupt sources, and restores the state that the code may have changed. */
#include <stddef.h>
#include "arch/x86/apic/apic.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/cpu/percpu.h"
#include "arch/x86/cpu/trap_hooks.h"
#include "arch/x86/trap/trial.h"

#define TRIAL_AT(member, place) \
	_Static_assert(offsetof(struct trial, member) == (place), "trial.asm")
TRIAL_AT(code, 0);
TRIAL_AT(argument, 8);
TRIAL_AT(stack, 16);
TRIAL_AT(value, 24);
TRIAL_AT(ended, 32);
TRIAL_AT(frame, 40);
TRIAL_AT(cr2, 40 + sizeof(struct frame));

/* trial.asm */
void trial_enter(struct trial *trial);
extern const char trial_stubs[];
extern const uint64_t trial_stack_top;

/* Control registers that the code may change. */
struct control {
	uint64_t cr0, cr3, cr4, dr7;
};

static struct control save_control(void)
{
	return (struct control){read_cr0(), read_cr3(), read_cr4(), read_dr7()};
}

static void load_control(const struct control *saved)
{
	write_cr0(saved->cr0);
	write_cr4(saved->cr4);
	if (read_cr3() != saved->cr3)
		write_cr3(saved->cr3);
	if (read_dr7() != saved->dr7)
		write_dr7(saved->dr7);
	write_dr6(DR6_INITIAL);
}

/* Raises the vector that ended the trial again, for its own handler. */
static void repeat_vector(struct trial *trial)
{
	uint8_t vector = (uint8_t)trial->frame.vector;

	if (vector == EXCEPTION_NMI)
		apic_nmi(apic_id());
	if (vector == EXCEPTION_MC)
		trap_hooks.fatal(&trial->frame, "machine check");
	if (vector < FIRST_IRQ_VECTOR)
		return;
	if (vector != VECTOR_SPURIOUS)
		apic_eoi();
	apic_self_ipi(vector);
}

void trial_run(struct trial *trial)
{
	uint64_t flags = irq_save();
	struct control control = save_control();
	struct apic_quiet quiet;

	apic_quiet(&quiet);
	descriptors_trap_all(trial_stubs, trial_stack_top);
	write_cr4(control.cr4 & ~(CR4_SMEP | CR4_SMAP));
	trial_enter(trial);
	load_control(&control);
	descriptors_trap_again();
	if (trial->ended)
		repeat_vector(trial);
	apic_unquiet(&quiet);
	irq_restore(flags);
}

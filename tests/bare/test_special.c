/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts that are hard to get right: instructions that leave the guest, flags, shadows, faults,
 * the guest's own stepping, interrupts. */
#include "tests/bare/machine/guest.h"

#define CALL_BEFORE 2 /* counted_call's own instructions in front of the code, */
#define CALL_AROUND 6 /* and with those after it */

#define LEAVING 11
#define SHADOWS 15

#define VECTOR_DE     0
#define VECTOR_DB     1
#define VECTOR_UD     6
#define VECTOR_PF     14
#define VECTOR_TIMER  0x40
#define UD2_BYTES     2
#define PTWRITE_BYTES 5

#define RFLAGS_BASE 0x002
#define RFLAGS_TF   0x100
#define RFLAGS_IF   0x200

#define MSR_SFMASK      0xc0000084
#define GLOBAL_STATUS   0x38e
#define GLOBAL_OVF_CTRL 0x390

#define APIC(reg)      (0xfee00000ull + (reg))
#define EOI            APIC(0x0b0)
#define LVT_TIMER      APIC(0x320)
#define LVTPC          APIC(0x340)
#define INITIAL        APIC(0x380)
#define DIVIDE         APIC(0x3e0)
#define DIVIDE_BY_1    0xb
#define TIMER_PERIODIC (1u << 17)
#define TIMER_TICKS    200000 /* at shift 0: several handlers long, with the visor's part */
#define LVT_NMI        0x400u

static uint64_t interrupts, place, flags, period;

/* Acknowledges and, if there is a period, starts the next. */
static void on_pmi(struct trap_frame *frame)
{
	interrupts++;
	place = frame->rip;
	wrmsr(GLOBAL_OVF_CTRL, rdmsr(GLOBAL_STATUS));
	cpu_write_device(LVTPC, LVT_NMI);
	if (period)
		wrmsr(0x309, minus(period));
}

static void start_over(void)
{
	pmu_reset();
	interrupts = period = 0;
	on_nmi(on_pmi);
	pmi_by_nmi();
}

/* A period may end on an instruction that the visor emulates, or before one. */
static void test_leaving(void)
{
	unsigned placed = 0;

	start_over();
	fixed_start(0, OS, false, 0);
	counted_call(fixed_control(0), leaving, 0);
	is(fixed_read(0), CALL_AROUND + LEAVING, "instructions that leave the guest count once");
	for (unsigned i = 1; i < LEAVING; i++) {
		start_over();
		fixed_start(0, OS, true, minus(CALL_BEFORE + i));
		counted_call(fixed_control(0), leaving, 0);
		placed += interrupts == 1 && place == leaving_places[i];
	}
	is(placed, LEAVING - 1, "a period may end on any instruction that exits");
}

static uint64_t look(uint64_t argument)
{
	flags |= shadows(argument);
	return 0;
}

/* The visor steps by TF before an overflow: the guest cannot see it, and shadows lose no
 * instruction. look() adds a constant. */
static void test_shadows(void)
{
	uint64_t plain;

	start_over();
	flags = 0;
	fixed_start(0, OS, false, 0);
	counted_call(fixed_control(0), look, 0);
	plain = fixed_read(0);
	ok(plain >= CALL_AROUND + SHADOWS && plain < CALL_AROUND + SHADOWS + 20,
	   "flags and interrupt shadows are counted");
	fixed_start(0, OS, true, minus(300));
	counted_call(fixed_control(0), look, 0);
	is(fixed_read(0), minus(300 - plain),
	   "shadows shortly before an overflow lose no instruction");
	is(flags & RFLAGS_TF, 0, "where no trap flag is seen");
	is(interrupts, 0, "in shadows no PMI is early");
}

static unsigned faulting_bytes;

static void skip(struct trap_frame *frame)
{
	interrupts++;
	frame->rip += faulting_bytes;
}

static uint64_t (*faulting)(uint64_t n);

static uint64_t run_faults(uint64_t n)
{
	return in_user(faulting, n);
}

/* Ring 3's count over 100 faults of one kind, each skipped. */
static uint64_t count_faults(unsigned vector, uint64_t (*code)(uint64_t), unsigned bytes)
{
	start_over();
	on_interrupt(vector, skip);
	faulting = code;
	faulting_bytes = bytes;
	general_start(0, EVENT_INSTRUCTIONS, USR, false, 0);
	counted_call(general_control(0), run_faults, 100);
	is(interrupts, 100, "100 faults in ring 3");
	on_interrupt(vector, 0);
	return general_read(0);
}

/* An instruction that faults does not retire. */
static void test_faults(void)
{
	uint64_t undefined;

	is(count_faults(VECTOR_PF, user_page_faults, 3), 202 + IN_USER_EXTRA,
	   "page faults do not retire");
	is(count_faults(VECTOR_DE, user_divide_errors, 3), 202 + IN_USER_EXTRA,
	   "divisions by 0 do not retire");
	undefined = count_faults(VECTOR_UD, user_faults, UD2_BYTES);
	if (machine.stepped) /* QEMU counts them */
		is(undefined, 201 + IN_USER_EXTRA, "UD2 does not retire");
	undefined =
	    count_faults(has_ptwrite() ? VECTOR_PF : VECTOR_UD, user_ptwrites, PTWRITE_BYTES);
	if (machine.stepped)
		is(undefined, 202 + IN_USER_EXTRA, "PTWRITE that faults does not retire");
}

#define INT_BYTES    2
#define OTHER_GATES  255  /* all but in_user()'s */
#define ERROR_IN_IDT 0x2u /* the error code's bit beside 8 times the vector */

static unsigned refused;

/* QEMU 7 gives the byte offset of a gate in long mode (16 n) where a processor has 8
 * n. */
static void on_refusal(struct trap_frame *frame)
{
	unsigned n = *(const uint8_t *)(frame->rip + 1), at = (unsigned)frame->error - ERROR_IN_IDT;

	interrupts++;
	refused += at == n * 8 || at == n * 16;
	frame->rip += INT_BYTES;
}

/* INT n that a gate's privilege refuses is #GP, whatever n is: no exception n has happened before
 * it. */
static void test_refused_interrupts(void)
{
	start_over();
	refused = 0;
	on_interrupt(GP_FAULT, on_refusal);
	faulting = user_interrupts;
	general_start(0, EVENT_INSTRUCTIONS, USR, false, 0);
	counted_call(general_control(0), run_faults, 0);
	is(interrupts, OTHER_GATES, "ring 3 is refused each INT n");
	is(refused, OTHER_GATES, "#GP of INT n has n in its error code");
	if (machine.stepped) /* QEMU counts them */
		is(general_read(0), 1 + IN_USER_EXTRA, "a refused INT n does not retire");
	on_interrupt(GP_FAULT, 0);
}

static void count_only(struct trap_frame *frame)
{
	(void)frame;
	interrupts++;
}

static uint64_t run_user(uint64_t n)
{
	return in_user(spin, n);
}

/* The guest's own stepping: a trap for each instruction but INT, which count as without. */
static void test_single_step(void)
{
	start_over();
	on_interrupt(VECTOR_DB, count_only);
	general_start(0, EVENT_INSTRUCTIONS, USR, false, 0);
	user_flags = RFLAGS_BASE | RFLAGS_TF;
	counted_call(general_control(0), run_user, 50);
	user_flags = RFLAGS_BASE;
	is(interrupts, 102, "the guest's TF traps each instruction of ring 3");
	is(general_read(0), 101 + IN_USER_EXTRA, "a single-stepped instruction counts once");
	on_interrupt(VECTOR_DB, 0);
}

static uint64_t kernel_traps;

static void count_rings(struct trap_frame *frame)
{
	interrupts++;
	kernel_traps += !(frame->cs & 3);
}

static uint64_t run_syscalls(uint64_t n)
{
	return in_user(user_syscalls, n);
}

/* SFMASK keeps the trap out of ring 0, SYSRET brings it back: each SYSCALL traps once, after
 * it. */
static void stepped_system_calls(bool counted)
{
	start_over();
	kernel_traps = 0;
	on_interrupt(VECTOR_DB, count_rings);
	wrmsr(MSR_SFMASK, RFLAGS_TF);
	if (counted)
		general_start(0, EVENT_INSTRUCTIONS, USR, false, 0);
	user_flags = RFLAGS_BASE | RFLAGS_TF;
	counted_call(general_control(0), run_syscalls, 20);
	user_flags = RFLAGS_BASE;
	wrmsr(MSR_SFMASK, 0);
	is(interrupts, 3 * 20 + 3, "the guest's TF traps each instruction around SYSCALL");
	is(kernel_traps, 0, "stepping stops at none of the kernel's instructions");
	if (counted)
		is(general_read(0), 3 * 20 + 2 + IN_USER_EXTRA, "stepped system calls count once");
	on_interrupt(VECTOR_DB, 0);
}

static void on_timer(struct trap_frame *frame)
{
	(void)frame;
	interrupts++;
	cpu_write_device(EOI, 0);
}

/* Interrupts cost ring 3 no instruction. */
static void test_timer(void)
{
	uint64_t n = machine.stepped ? 2000 : 500000;

	start_over();
	on_interrupt(VECTOR_TIMER, on_timer);
	general_start(0, EVENT_INSTRUCTIONS, USR, false, 0);
	cpu_write_device(DIVIDE, DIVIDE_BY_1);
	cpu_write_device(LVT_TIMER, VECTOR_TIMER | TIMER_PERIODIC);
	cpu_write_device(INITIAL, TIMER_TICKS << machine.shift);
	user_flags = RFLAGS_BASE | RFLAGS_IF;
	counted_call(general_control(0), run_user, n);
	user_flags = RFLAGS_BASE;
	cpu_write_device(INITIAL, 0);
	ok(interrupts > 2, "a timer interrupts ring 3");
	is(general_read(0), 2 * n + 1 + IN_USER_EXTRA, "the APIC's timer changes no count");
	irq_enable(); /* one may be waiting */
	spin(10);
	irq_disable();
	on_interrupt(VECTOR_TIMER, 0);
}

/* Period 1: a PMI after every instruction of ring 3, including INT 80H. */
static void test_every_instruction(void)
{
	start_over();
	period = 1;
	fixed_start(0, USR, true, minus(period));
	counted_call(fixed_control(0), run_user, 100);
	is(interrupts, 201 + IN_USER_EXTRA, "period 1: a PMI for every instruction of ring 3");
}

void test_special(void)
{
	test_leaving();
	test_shadows();
	test_faults();
	test_refused_interrupts();
	test_single_step();
	stepped_system_calls(false);
	stepped_system_calls(true);
	test_timer();
	test_every_instruction();
	pmu_reset();
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Handlers of exceptions and interrupts, and SYSCALL's registers: Intel SDM volume 3, chapters 5
 * and 6. */
#include <stddef.h>
#include "arch/x86/apic/apic.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/idle.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/cpu/percpu.h"
#include "arch/x86/paging/paging.h"
#include "arch/x86/trap/kernel_lock.h"
#include "arch/x86/trap/traps.h"

#define USER_ADDRESSES (1ul << 47)
#define NR_VECTORS     256

/* Last bytes of the instructions that smap_patch() knows: 0f 1f xx and 0f 01 xx. */
enum { NOP_RAX = 0x00, CLAC = 0xca, STAC = 0xcb };

/* Entries of entry.asm. */
extern const char syscall_entry[], syscall_entry_locking[];
extern const char interrupt_ignored[];
extern const char syscall_entry_traced[], syscall_entry_traced_locking[];
extern char nmi_stack_top[], fault_stack_top[], check_stack_top[], debug_stack_top[];

/* The linker's tables. */
struct extable_entry {
	int32_t fault, fixup; /* relative to their own addresses */
};
extern const struct extable_entry extable_start[], extable_end[];
extern const uint64_t smap_sites_start[], smap_sites_end[];

struct trap_hooks trap_hooks;
long (*syscall_traced)(struct frame *frame);

static irq_handler *irq_handlers[NR_VECTORS];

/* Exceptions. */

static void fatal(struct frame *frame, const char *why)
{
	trap_hooks.fatal(frame, why);
	for (;;)
		halt();
}

static const char *exception_name(uint64_t vector)
{
	static const char *const names[] = {
	    [EXCEPTION_DE] = "divide error",
	    [EXCEPTION_DB] = "debug exception",
	    [EXCEPTION_NMI] = "NMI",
	    [EXCEPTION_BP] = "breakpoint",
	    [EXCEPTION_OF] = "overflow",
	    [EXCEPTION_BR] = "bound range exceeded",
	    [EXCEPTION_UD] = "invalid opcode",
	    [EXCEPTION_NM] = "device not available",
	    [EXCEPTION_DF] = "double fault",
	    [EXCEPTION_TS] = "invalid TSS",
	    [EXCEPTION_NP] = "segment not present",
	    [EXCEPTION_SS] = "stack segment fault",
	    [EXCEPTION_GP] = "general protection fault",
	    [EXCEPTION_PF] = "page fault",
	    [EXCEPTION_MF] = "x87 error",
	    [EXCEPTION_AC] = "alignment check",
	    [EXCEPTION_MC] = "machine check",
	    [EXCEPTION_XM] = "SIMD error",
	    [EXCEPTION_VE] = "virtualization exception",
	    [EXCEPTION_CP] = "control protection exception",
	};
	const char *name = vector < sizeof(names) / sizeof(names[0]) ? names[vector] : NULL;

	return name ? name : "unknown exception";
}

/* Returns where a fault at `rip` continues, or 0. */
static uint64_t extable_find(uint64_t rip)
{
	uint64_t end = (uint64_t)extable_end;

	for (const struct extable_entry *e = extable_start; (uint64_t)e < end; e++)
		if ((uint64_t)&e->fault + (int64_t)e->fault == rip)
			return (uint64_t)&e->fixup + (int64_t)e->fixup;
	return 0;
}

/* Handles hits of debug registers. *status: DR6 without their bits; true: there was no other
 * cause. */
static bool take_debug_status(struct frame *frame, uint64_t *status)
{
	uint64_t all = read_dr6();

	write_dr6(DR6_INITIAL);
	*status = trap_hooks.debug_hit(frame, all);
	return *status != all && !(*status & (DR6_OTHERS | DR6_SLOTS));
}

/* Called by entry.asm on the task's kernel stack, interrupts masked; the task returns to ring 3
 * afterwards. */
void exception_from_user(struct frame *frame)
{
	uint64_t address = 0;
	bool reported = false;

	kernel_enter();
	switch (frame->vector) {
	case EXCEPTION_PF:
		address = read_cr2();
		irq_enable();
		if (address < USER_ADDRESSES) {
			trap_hooks.page_fault(frame, address);
			return;
		}
		break;
	case EXCEPTION_DB:
		reported = take_debug_status(frame, &address);
		break;
	case EXCEPTION_MC:
		fatal(frame, exception_name(frame->vector));
	}
	irq_enable();
	if (!reported)
		trap_hooks.exception(frame, (unsigned)frame->vector, address);
}

/* Handles a user copy's fault on a user address. Returns true if the copy can continue. */
static bool resolve_user_copy(struct frame *frame, uint64_t address)
{
	bool resolved;

	if (address >= USER_ADDRESSES || !(frame->rflags & RFLAGS_IF) || this_cpu()->nmi_depth)
		return false;
	irq_enable();
	resolved = trap_hooks.page_fault(frame, address) == 0;
	irq_disable();
	return resolved;
}

/* Handles hits of debug registers in ring 0, at any instruction. False: another cause. */
static bool debug_from_kernel(struct frame *frame)
{
	struct cpu *cpu = this_cpu();
	uint64_t status;
	bool reported;

	cpu->nmi_depth++;
	reported = take_debug_status(frame, &status);
	cpu->nmi_depth--;
	return reported;
}

/* Called by entry.asm, interrupts masked. Returns to the interrupted code, or does not return. */
void exception_from_kernel(struct frame *frame)
{
	uint64_t fixup;

	if (frame->vector == EXCEPTION_DB && debug_from_kernel(frame))
		return;
	fixup = extable_find(frame->rip);
	if (fixup) {
		if (frame->vector != EXCEPTION_PF || !resolve_user_copy(frame, read_cr2()))
			frame->rip = fixup;
		return;
	}
	fatal(frame, exception_name(frame->vector));
}

/* Called by entry.asm, interrupts masked: INT3 in ring 0, at any instruction. */
void breakpoint_from_kernel(struct frame *frame)
{
	if (!trap_hooks.breakpoint || !trap_hooks.breakpoint(frame))
		exception_from_kernel(frame);
}

bool traps_may_fault(uint64_t address)
{
	return extable_find(address) != 0;
}

/* Interrupts. */

void irq_register(uint8_t vector, irq_handler *handler)
{
	__atomic_store_n(&irq_handlers[vector], handler, __ATOMIC_RELEASE);
}

irq_handler *irq_handler_of(uint8_t vector)
{
	/* cppcheck-suppress CastIntegerToAddressAtReturn ; a table of pointers */
	return irq_handlers[vector];
}

void irq_drain(void)
{
	struct apic_quiet saved;

	apic_quiet(&saved);
	apic_timer_oneshot(0);
	descriptors_ignore(interrupt_ignored);
	apic_end_all();
	for (unsigned i = 0; i < NR_VECTORS && apic_is_requested(); i++) {
		irq_enable();
		cpu_relax();
		irq_disable();
		apic_end_all();
	}
}

/* Called by entry.asm with interrupts masked. An interrupt of ring 3 keeps the kernel lock until
 * return_to_user. */
void interrupt_entry(struct frame *frame)
{
	struct cpu *cpu = this_cpu();
	irq_handler *handler = irq_handlers[frame->vector & (NR_VECTORS - 1)];
	bool entered =
	    !(frame->vector == VECTOR_RESCHEDULE || frame->vector == VECTOR_CALL) && kernel_enter();

	cpu->interrupts[frame->vector % COUNTED_VECTORS]++;
	cpu->irq_depth++;
	if (handler)
		handler(frame);
	if (frame->vector != VECTOR_SPURIOUS)
		apic_eoi();
	cpu->irq_depth--;
	if (frame_is_user(frame))
		return;
	if (entered)
		kernel_unlock();
	idle_skip_wait(frame);
}

/* Called by entry.asm, interrupts masked: return_work was set. */
void user_return(struct frame *frame)
{
	kernel_enter();
	irq_enable();
	trap_hooks.user_return(frame);
}

/* Start. */

/* SYSCALL's registers: SDM volume 3, "Fast System Calls in 64-Bit Mode". SYSRET loads SS = base + 8
 * and CS = base + 16. */
static void syscall_init(void)
{
	wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_SCE);
	wrmsr(MSR_STAR, (uint64_t)(USER_SS - 8) << 48 | (uint64_t)KERNEL_CS << 32);
	wrmsr(MSR_LSTAR, (uint64_t)syscall_entry);
	wrmsr(MSR_SFMASK,
	      RFLAGS_TF | RFLAGS_IF | RFLAGS_DF | RFLAGS_IOPL | RFLAGS_NT | RFLAGS_RF | RFLAGS_AC);
	wrmsr(MSR_SYSENTER_CS, 0); /* SYSENTER faults */
}

/* Replaces NOP [RAX] by CLAC and NOP [RCX] by STAC in the assembly code. The image is still
 * writable. */
static void smap_patch(void)
{
	uint64_t end = (uint64_t)smap_sites_end;

	for (const uint64_t *site = smap_sites_start; (uint64_t)site < end; site++) {
		uint8_t *code = (uint8_t *)*site;

		code[1] = 0x01;
		code[2] = code[2] == NOP_RAX ? CLAC : STAC;
	}
}

void traps_init(void)
{
	static const struct ist_stacks stacks = {
	    .nmi = (uint64_t)nmi_stack_top,
	    .fault = (uint64_t)fault_stack_top,
	    .check = (uint64_t)check_stack_top,
	    .debug = (uint64_t)debug_stack_top,
	};

	descriptors_prepare(&boot_cpu, &stacks);
	idt_init();
	traps_init_processor(&boot_cpu);
	if (cpuid_has(CPUID_SMAP))
		smap_patch();
}

void traps_init_processor(struct cpu *cpu)
{
	descriptors_load(cpu);
	percpu_load(cpu); /* loading GS cleared its base */
	write_dr7(0);
	syscall_init();
}

/* Reasons for traced system calls: struct cpu's calls_traced. */
enum { TRACED_ALL = 1, TRACED_TASK = 2 };

static bool calls_lock; /* system calls take the kernel lock */

void traps_use_kernel_lock(void)
{
	calls_lock = true;
	wrmsr(MSR_LSTAR, (uint64_t)syscall_entry_locking);
}

/* Sets or clears one of the reasons for slow system calls. */
static void trace_for(unsigned reason, bool on)
{
	unsigned reasons = this_cpu_read(calls_traced);
	const char *entry;

	if (!(reasons & reason) == !on)
		return;
	reasons ^= reason;
	this_cpu()->calls_traced = reasons;
	entry = reasons ? syscall_entry_traced : syscall_entry;
	if (calls_lock)
		entry = reasons ? syscall_entry_traced_locking : syscall_entry_locking;
	wrmsr(MSR_LSTAR, (uint64_t)entry);
}

void traps_trace_syscalls(bool on)
{
	trace_for(TRACED_ALL, on);
}

void traps_trace_task(bool on)
{
	trace_for(TRACED_TASK, on);
}

void traps_set_kernel_stack(uint64_t top)
{
	struct cpu *cpu = this_cpu();

	cpu->kernel_stack = top;
	cpu->tss.rsp[0] = top;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptor tables, and what exceptions and interrupts lead to: Intel SDM volume 3, chapters 3, 6
 * and 8. */
#include <stddef.h>
#include "arch/x86/apic.h"
#include "arch/x86/cpu.h"
#include "arch/x86/cpuid.h"
#include "arch/x86/msr.h"
#include "arch/x86/paging.h"
#include "arch/x86/percpu.h"
#include "arch/x86/traps.h"

#define USER_ADDRESSES (1ul << 47)
#define NR_VECTORS     256
#define STUB_BYTES     16

/* Last bytes of the instructions that smap_patch() knows: 0f 1f xx and 0f 01 xx. */
enum { NOP_RAX = 0x00, CLAC = 0xca, STAC = 0xcb };

/* Entries of entry.asm. */
extern const char entry_stubs[], syscall_entry[];
extern char nmi_stack_top[], fault_stack_top[], check_stack_top[], debug_stack_top[];

/* The linker's tables. */
struct extable_entry {
	int32_t fault, fixup; /* relative to their own addresses */
};
extern const struct extable_entry extable_start[], extable_end[];
extern const uint64_t smap_sites_start[], smap_sites_end[];

enum { IST_NONE, IST_NMI, IST_DF, IST_MC, IST_DB };

struct gate {
	uint16_t offset_low, selector;
	uint8_t ist, type;
	uint16_t offset_middle;
	uint32_t offset_high, reserved;
};

struct tss {
	uint32_t reserved0;
	uint64_t rsp[3];
	uint64_t reserved1;
	uint64_t ist[7];
	uint64_t reserved2;
	uint16_t reserved3, io_map;
} __attribute__((packed));

_Static_assert(sizeof(struct gate) == 16, "SDM figure 6-8");
_Static_assert(sizeof(struct tss) == 104, "SDM figure 8-11");

struct trap_hooks trap_hooks;

static struct gate idt[NR_VECTORS];
static struct tss tss;
static uint64_t gdt[10] = {
    [KERNEL_CS / 8] = 0x00af9b000000ffff,
    [KERNEL_SS / 8] = 0x00cf93000000ffff,
    [USER_SS / 8] = 0x00cff3000000ffff,
    [USER_CS / 8] = 0x00affb000000ffff,
};
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

/* Where a fault at `rip` continues, or 0. */
static uint64_t extable_find(uint64_t rip)
{
	uint64_t end = (uint64_t)extable_end;

	for (const struct extable_entry *e = extable_start; (uint64_t)e < end; e++)
		if ((uint64_t)&e->fault + (int64_t)e->fault == rip)
			return (uint64_t)&e->fixup + (int64_t)e->fixup;
	return 0;
}

/* From entry.asm, on the task's kernel stack, interrupts masked; the task returns to ring 3
 * afterwards. */
void exception_from_user(struct frame *frame)
{
	uint64_t address = 0;

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
		address = read_dr6();
		write_dr6(DR6_INITIAL);
		break;
	case EXCEPTION_MC:
		fatal(frame, exception_name(frame->vector));
	}
	irq_enable();
	trap_hooks.exception(frame, (unsigned)frame->vector, address);
}

/* A user copy's fault on a user address: tries to resolve it. Returns true when the copy can go on.
 */
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

/* From entry.asm, interrupts masked. Returns to the interrupted code, or does not return. */
void exception_from_kernel(struct frame *frame)
{
	uint64_t fixup = extable_find(frame->rip);

	if (fixup) {
		if (frame->vector != EXCEPTION_PF || !resolve_user_copy(frame, read_cr2()))
			frame->rip = fixup;
		return;
	}
	fatal(frame, exception_name(frame->vector));
}

/* Interrupts. */

void irq_register(uint8_t vector, irq_handler *handler)
{
	irq_handlers[vector] = handler;
}

/* From entry.asm, interrupts masked. */
void interrupt_entry(struct frame *frame)
{
	struct cpu *cpu = this_cpu();
	irq_handler *handler = irq_handlers[frame->vector & (NR_VECTORS - 1)];

	cpu->interrupts++;
	cpu->irq_depth++;
	if (handler)
		handler(frame);
	if (frame->vector != VECTOR_SPURIOUS)
		apic_eoi();
	cpu->irq_depth--;
}

/* Tables. */

static void gate_set(unsigned vector, uint8_t ist, uint8_t dpl)
{
	uint64_t stub = (uint64_t)entry_stubs + vector * STUB_BYTES;

	idt[vector] = (struct gate){
	    .offset_low = (uint16_t)stub,
	    .selector = KERNEL_CS,
	    .ist = ist,
	    .type = (uint8_t)(0x8e | dpl << 5), /* present, interrupt gate */
	    .offset_middle = (uint16_t)(stub >> 16),
	    .offset_high = (uint32_t)(stub >> 32),
	};
}

static void gdt_init(void)
{
	uint64_t base = (uint64_t)&tss;
	struct table_register gdtr = {sizeof(gdt) - 1, (uint64_t)gdt};

	tss.ist[IST_NMI - 1] = (uint64_t)nmi_stack_top;
	tss.ist[IST_DF - 1] = (uint64_t)fault_stack_top;
	tss.ist[IST_MC - 1] = (uint64_t)check_stack_top;
	tss.ist[IST_DB - 1] = (uint64_t)debug_stack_top;
	tss.io_map = sizeof(tss);
	gdt[TSS_SELECTOR / 8] =
	    (sizeof(tss) - 1) | (base & 0xffffff) << 16 | 0x89ul << 40 | (base >> 24 & 0xff) << 56;
	gdt[TSS_SELECTOR / 8 + 1] = base >> 32;
	lgdt(&gdtr);
	load_code_segment(KERNEL_CS);
	load_data_segments(0);
	ltr(TSS_SELECTOR);
}

static void idt_init(void)
{
	struct table_register idtr = {sizeof(idt) - 1, (uint64_t)idt};

	for (unsigned vector = 0; vector < NR_VECTORS; vector++)
		gate_set(vector, IST_NONE, 0);
	gate_set(EXCEPTION_NMI, IST_NMI, 0);
	gate_set(EXCEPTION_DF, IST_DF, 0);
	gate_set(EXCEPTION_MC, IST_MC, 0);
	gate_set(EXCEPTION_DB, IST_DB, 0);
	gate_set(EXCEPTION_BP, IST_NONE, 3);
	gate_set(EXCEPTION_OF, IST_NONE, 3);
	lidt(&idtr);
}

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

/* Writes CLAC over NOP [RAX] and STAC over NOP [RCX] where the assembly left them. The image is
 * still writable. */
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
	gdt_init();
	percpu_init(); /* loading GS cleared its base */
	idt_init();
	syscall_init();
	if (cpuid_has(CPUID_SMAP))
		smap_patch();
}

void traps_set_kernel_stack(uint64_t top)
{
	this_cpu()->kernel_stack = top;
	tss.rsp[0] = top;
}

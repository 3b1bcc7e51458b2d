/* SPDX-License-Identifier: BSD-2-Clause */
/* GDT and TSS of each processor, and the shared IDT. */
#include "abi/vdso.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/descriptors.h"
#include "arch/x86/cpu/frame.h"
#include "arch/x86/cpu/percpu.h"

#define NR_VECTORS 256
#define STUB_BYTES 16

extern const char entry_stubs[]; /* entry.asm */

enum { IST_NONE, IST_NMI, IST_DF, IST_MC, IST_DB, IST_ALL };

struct gate {
	uint16_t offset_low, selector;
	uint8_t ist, type;
	uint16_t offset_middle;
	uint32_t offset_high, reserved;
};

_Static_assert(sizeof(struct gate) == 16, "SDM figure 6-8");
_Static_assert(sizeof(struct tss) == 104, "SDM figure 8-11");

static struct gate idt[NR_VECTORS];
static struct gate all_idt[NR_VECTORS]; /* of descriptors_trap_all() */

void descriptors_prepare(struct cpu *cpu, const struct ist_stacks *stacks)
{
	uint64_t base = (uint64_t)&cpu->tss;

	cpu->tss.ist[IST_NMI - 1] = stacks->nmi;
	cpu->tss.ist[IST_DF - 1] = stacks->fault;
	cpu->tss.ist[IST_MC - 1] = stacks->check;
	cpu->tss.ist[IST_DB - 1] = stacks->debug;
	cpu->tss.io_map = sizeof(cpu->tss);
	cpu->gdt[KERNEL_CS / 8] = 0x00af9b000000ffff;
	cpu->gdt[KERNEL_SS / 8] = 0x00cf93000000ffff;
	cpu->gdt[USER_SS / 8] = 0x00cff3000000ffff;
	cpu->gdt[USER_CS / 8] = 0x00affb000000ffff;
	cpu->gdt[TSS_SELECTOR / 8] = (sizeof(cpu->tss) - 1) | (base & 0xffffff) << 16 |
				     0x89ul << 40 | (base >> 24 & 0xff) << 56;
	cpu->gdt[TSS_SELECTOR / 8 + 1] = base >> 32;
	descriptors_set_node(cpu, 0);
}

/* Ring 3 reads the limit (LSL) to find its processor and node. */
void descriptors_set_node(struct cpu *cpu, uint32_t node)
{
	uint64_t limit = cpu->id | node << VDSO_PROCESSOR_NODE_SHIFT;

	cpu->node = node;
	cpu->gdt[VDSO_PROCESSOR_SELECTOR / 8] =
	    0x0040f50000000000 | (limit & 0xffff) | (limit >> 16) << 48;
}

static struct gate gate_to(uint64_t stub, uint8_t ist, uint8_t dpl)
{
	return (struct gate){
	    .offset_low = (uint16_t)stub,
	    .selector = KERNEL_CS,
	    .ist = ist,
	    .type = (uint8_t)(0x8e | dpl << 5), /* present, interrupt gate */
	    .offset_middle = (uint16_t)(stub >> 16),
	    .offset_high = (uint32_t)(stub >> 32),
	};
}

static void gate_set(unsigned vector, uint8_t ist, uint8_t dpl)
{
	idt[vector] = gate_to((uint64_t)entry_stubs + vector * STUB_BYTES, ist, dpl);
}

static void idt_load(const struct gate *table)
{
	struct table_register idtr = {NR_VECTORS * sizeof(*table) - 1, (uint64_t)table};

	lidt(&idtr);
}

void idt_init(void)
{
	for (unsigned vector = 0; vector < NR_VECTORS; vector++)
		gate_set(vector, IST_NONE, 0);
	gate_set(EXCEPTION_NMI, IST_NMI, 0);
	gate_set(EXCEPTION_DF, IST_DF, 0);
	gate_set(EXCEPTION_MC, IST_MC, 0);
	gate_set(EXCEPTION_DB, IST_DB, 0);
	gate_set(EXCEPTION_BP, IST_NONE, 3);
	gate_set(EXCEPTION_OF, IST_NONE, 3);
}

/* The largest of those stacks. */
#define STACK_BYTES 16384ul

bool descriptors_touched(uint64_t first, uint64_t last)
{
	if (first < (uint64_t)(idt + NR_VECTORS) && last >= (uint64_t)idt)
		return true;
	for (uint32_t i = 0; i < nr_cpus; i++)
		for (unsigned stack = IST_NMI; stack <= IST_DB; stack++) {
			uint64_t top = cpus[i]->tss.ist[stack - 1];

			if (first < top && last >= top - STACK_BYTES)
				return true;
		}
	return false;
}

void descriptors_load(struct cpu *cpu)
{
	struct table_register gdtr = {sizeof(cpu->gdt) - 1, (uint64_t)cpu->gdt};

	lgdt(&gdtr);
	load_code_segment(KERNEL_CS);
	load_data_segments(0);
	ltr(TSS_SELECTOR);
	idt_load(idt);
}

void descriptors_trap_all(const char *stubs, uint64_t stack)
{
	for (unsigned vector = 0; vector < NR_VECTORS; vector++)
		all_idt[vector] = gate_to((uint64_t)stubs + vector * STUB_BYTES, IST_ALL, 0);
	this_cpu()->tss.ist[IST_ALL - 1] = stack;
	idt_load(all_idt);
}

void descriptors_ignore(const char *stub)
{
	__builtin_memcpy(all_idt, idt, sizeof(all_idt));
	for (unsigned vector = FIRST_IRQ_VECTOR; vector < NR_VECTORS; vector++)
		all_idt[vector] = gate_to((uint64_t)stub, IST_NONE, 0);
	idt_load(all_idt);
}

void descriptors_trap_again(void)
{
	idt_load(idt);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* GDT, TSS and IDT: Intel SDM volume 3, "Segment Descriptor Tables", "Task Management in 64-bit
 * Mode" and "IDT Descriptors". */
#ifndef ARCH_X86_DESCRIPTORS_H
#define ARCH_X86_DESCRIPTORS_H

#include <stdbool.h>
#include <stdint.h>

struct cpu;

/* Segment selectors: equal to Linux's, which programs and profiles see; SYSCALL and SYSRET fix
 * their order. */
enum {
	KERNEL_CS = 0x10,
	KERNEL_SS = 0x18,
	USER_SS = 0x28 | 3,
	USER_CS = 0x30 | 3,
	TSS_SELECTOR = 0x40,
};
_Static_assert(KERNEL_CS == 0x10 && KERNEL_SS == 0x18, "trial.asm");
_Static_assert(USER_SS == 0x2b && USER_CS == 0x33, "entry.asm");

#define GDT_ENTRIES 16

struct tss {
	uint32_t reserved0;
	uint64_t rsp[3];
	uint64_t reserved1;
	uint64_t ist[7];
	uint64_t reserved2;
	uint16_t reserved3, io_map;
} __attribute__((packed));

/* Tops of the stacks for vectors that can arrive at any instruction: NMI, #DF, #MC and #DB. */
struct ist_stacks {
	uint64_t nmi, fault, check, debug;
};

/* Fills in the processor's GDT and TSS. Context: task, the processor does not run yet; or its own
 * start. */
void descriptors_prepare(struct cpu *cpu, const struct ist_stacks *stacks);
/* Sets the processor's memory node, which ring 3 may read. Context: start. */
void descriptors_set_node(struct cpu *cpu, uint32_t node);
/* Fills in the shared IDT. Context: start, once. */
void idt_init(void);
/* Loads them; GS's base is 0 afterwards. Context: the processor's start. */
void descriptors_load(struct cpu *cpu);
/* True if an address from `first` to `last` is in the IDT, or in a stack for vectors that can
 * arrive at any instruction. Does not check a struct cpu. Context: any. */
bool descriptors_touched(uint64_t first, uint64_t last);

/* Redirects every vector of this processor to its 16 bytes after `stubs`, on the stack that ends at
 * `stack`; and back to the kernel. Context: task, interrupts masked, the kernel lock held. */
void descriptors_trap_all(const char *stubs, uint64_t stack);
void descriptors_trap_again(void);
/* Redirects this processor's interrupts to `stub` from now on, but not exceptions and NMIs.
 * Context: interrupts masked, at the end. */
void descriptors_ignore(const char *stub);

/* The first processor's own stacks (start-up, NMI, #DF, #MC, #DB): addresses of the unmapped pages
 * below them. */
#define BOOT_STACKS 5
extern const uint64_t boot_stack_guards[BOOT_STACKS];

#endif

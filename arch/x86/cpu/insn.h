/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions as C functions, shared by the kernel and the visor. Intel SDM volume 2. */
#ifndef ARCH_X86_INSN_H
#define ARCH_X86_INSN_H

#include <stdint.h>

struct cpuid_regs {
	uint32_t eax, ebx, ecx, edx;
};

/* The operand of LGDT and LIDT. */
struct table_register {
	uint16_t limit;
	uint64_t base;
} __attribute__((packed));

#ifndef BAREPMU_HOST

static inline struct cpuid_regs cpuid(uint32_t leaf, uint32_t subleaf)
{
	struct cpuid_regs r;

	__asm__ volatile("cpuid"
			 : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx)
			 : "a"(leaf), "c"(subleaf));
	return r;
}

static inline uint64_t rdtsc(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

static inline uint64_t rdmsr(uint32_t msr)
{
	uint32_t low, high;

	__asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr) : "memory");
	return (uint64_t)high << 32 | low;
}

static inline void wrmsr(uint32_t msr, uint64_t value)
{
	__asm__ volatile("wrmsr"
			 :
			 : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
			 : "memory");
}

static inline void irq_enable(void)
{
	__asm__ volatile("sti" : : : "memory");
}

static inline void irq_disable(void)
{
	__asm__ volatile("cli" : : : "memory");
}

static inline void cpu_relax(void)
{
	__asm__ volatile("pause" : : : "memory");
}

/* Waits for an interrupt (with interrupts masked: for an NMI). */
static inline void halt(void)
{
	__asm__ volatile("hlt" : : : "memory");
}

static inline uint8_t inb(uint16_t port)
{
	uint8_t value;

	__asm__ volatile("inb %w1, %b0" : "=a"(value) : "Nd"(port) : "memory");
	return value;
}

static inline void outb(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %b0, %w1" : : "a"(value), "Nd"(port) : "memory");
}

/* Control and debug registers. */

#define DEFINE_REGISTER(name)                                                        \
	static inline uint64_t read_##name(void)                                     \
	{                                                                            \
		uint64_t value;                                                      \
		__asm__ volatile("movq %%" #name ", %0" : "=r"(value) : : "memory"); \
		return value;                                                        \
	}                                                                            \
	static inline void write_##name(uint64_t value)                              \
	{                                                                            \
		__asm__ volatile("movq %0, %%" #name : : "r"(value) : "memory");     \
	}

DEFINE_REGISTER(cr0)
DEFINE_REGISTER(cr2)
DEFINE_REGISTER(cr3)
DEFINE_REGISTER(cr4)
DEFINE_REGISTER(dr0)
DEFINE_REGISTER(dr1)
DEFINE_REGISTER(dr2)
DEFINE_REGISTER(dr3)
DEFINE_REGISTER(dr6)
DEFINE_REGISTER(dr7)

static inline void lgdt(const struct table_register *gdt)
{
	__asm__ volatile("lgdt %0" : : "m"(*gdt) : "memory");
}

static inline void lidt(const struct table_register *idt)
{
	__asm__ volatile("lidt %0" : : "m"(*idt) : "memory");
}

#endif
#endif

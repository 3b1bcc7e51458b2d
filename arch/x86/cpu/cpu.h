/* SPDX-License-Identifier: BSD-2-Clause */
/* The processor's instructions as C functions: the only inline assembly of the kernel. Intel SDM
 * volume 2. */
#ifndef ARCH_X86_CPU_H
#define ARCH_X86_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "arch/x86/cpu/insn.h"

#ifdef BAREPMU_HOST
#include "tests/host/fake/fake_cpu.h"
#else

/* A fault at label 1 of an asm statement continues at label 2: an entry of the exception table
 * (traps.c). */
#define EXTABLE_1_TO_2                     \
	".pushsection .extable, \"a\"\n\t" \
	".long 1b - ., 2b - .\n\t"         \
	".popsection"

/* Reads performance counter `index` (bit 30: fixed counters). #GP if it does not exist. */
static inline uint64_t rdpmc(uint32_t index)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return (uint64_t)high << 32 | low;
}

/* As rdmsr(), but false (and *value unchanged) if the processor raises #GP. Not for NMI context. */
static inline bool rdmsr_safe(uint32_t msr, uint64_t *value)
{
	uint32_t low = 0, high = 0;
	bool ok = false;

	__asm__ volatile("1: rdmsr\n\t"
			 "movb $1, %b0\n"
			 "2:\n\t" EXTABLE_1_TO_2
			 : "+&q"(ok), "=a"(low), "=d"(high)
			 : "c"(msr)
			 : "memory");
	if (ok)
		*value = (uint64_t)high << 32 | low;
	return ok;
}

/* As wrmsr(), but false if the processor raises #GP. Not for NMI context. */
static inline bool wrmsr_safe(uint32_t msr, uint64_t value)
{
	bool ok = false;

	__asm__ volatile("1: wrmsr\n\t"
			 "movb $1, %b0\n"
			 "2:\n\t" EXTABLE_1_TO_2
			 : "+&q"(ok)
			 : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
			 : "memory");
	return ok;
}

/* Interrupts. */

#define RFLAGS_IF (1ul << 9)

static inline uint64_t read_rflags(void)
{
	uint64_t flags;

	__asm__ volatile("pushfq; popq %0" : "=r"(flags) : : "memory");
	return flags;
}

/* Masks interrupts and returns the flags for irq_restore(). */
static inline uint64_t irq_save(void)
{
	uint64_t flags = read_rflags();

	irq_disable();
	return flags;
}

static inline void irq_restore(uint64_t flags)
{
	if (flags & RFLAGS_IF)
		irq_enable();
}

/* Waits until all earlier loads and stores are globally visible. */
static inline void mfence(void)
{
	__asm__ volatile("mfence" : : : "memory");
}

/* Monitors the line of an address for MWAIT. */
static inline void monitor(const void *address)
{
	__asm__ volatile("monitor" : : "a"(address), "c"(0), "d"(0) : "memory");
}

/* Port I/O. */

static inline uint32_t inl(uint16_t port)
{
	uint32_t value;

	__asm__ volatile("inl %w1, %0" : "=a"(value) : "Nd"(port) : "memory");
	return value;
}

static inline uint16_t inw(uint16_t port)
{
	uint16_t value;

	__asm__ volatile("inw %w1, %w0" : "=a"(value) : "Nd"(port) : "memory");
	return value;
}

static inline void outw(uint16_t port, uint16_t value)
{
	__asm__ volatile("outw %w0, %w1" : : "a"(value), "Nd"(port) : "memory");
}

static inline void outl(uint16_t port, uint32_t value)
{
	__asm__ volatile("outl %0, %w1" : : "a"(value), "Nd"(port) : "memory");
}

/* Writes `bytes` bytes to the same port. */
static inline void outsb(uint16_t port, const void *data, size_t bytes)
{
	__asm__ volatile("rep outsb" : "+S"(data), "+c"(bytes) : "d"(port) : "memory");
}

/* Flushes the translation of one page on this processor. */
static inline void invlpg(uint64_t address)
{
	__asm__ volatile("invlpg (%0)" : : "r"(address) : "memory");
}

/* Descriptor tables. */

static inline void ltr(uint16_t selector)
{
	__asm__ volatile("ltr %0" : : "r"(selector) : "memory");
}

/* Loads the data segment registers; FS and GS lose their bases. */
static inline void load_data_segments(uint16_t selector)
{
	__asm__ volatile("movw %0, %%ds; movw %0, %%es; movw %0, %%ss; movw %0, %%fs; movw %0, %%gs"
			 :
			 : "r"(selector)
			 : "memory");
}

/* Loads CS by a far return. */
static inline void load_code_segment(uint16_t selector)
{
	uint64_t scratch;

	__asm__ volatile("leaq 1f(%%rip), %0\n\t"
			 "pushq %1\n\t"
			 "pushq %0\n\t"
			 "lretq\n"
			 "1:"
			 : "=&r"(scratch)
			 : "r"((uint64_t)selector)
			 : "memory");
}

/* Floating-point and vector state. `mask`: the XCR0 components; areas are aligned to 64 bytes
 * (FXSAVE: 16). */

static inline void xsetbv(uint32_t index, uint64_t value)
{
	__asm__ volatile("xsetbv"
			 :
			 : "c"(index), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
			 : "memory");
}

static inline void xsave(void *area, uint64_t mask)
{
	__asm__ volatile("xsave64 (%0)"
			 :
			 : "r"(area), "a"((uint32_t)mask), "d"((uint32_t)(mask >> 32))
			 : "memory");
}

/* Saves only the components modified since the XRSTOR from the same area. */
static inline void xsaveopt(void *area, uint64_t mask)
{
	__asm__ volatile("xsaveopt64 (%0)"
			 :
			 : "r"(area), "a"((uint32_t)mask), "d"((uint32_t)(mask >> 32))
			 : "memory");
}

/* False if the image is malformed (#GP): the registers are then unchanged or initial. */
static inline bool xrstor(const void *area, uint64_t mask)
{
	bool ok = false;

	__asm__ volatile("1: xrstor64 (%1)\n\t"
			 "movb $1, %b0\n"
			 "2:\n\t" EXTABLE_1_TO_2
			 : "+&q"(ok)
			 : "r"(area), "a"((uint32_t)mask), "d"((uint32_t)(mask >> 32))
			 : "memory");
	return ok;
}

static inline void fxsave(void *area)
{
	__asm__ volatile("fxsave64 (%0)" : : "r"(area) : "memory");
}

/* False if the image is malformed (#GP). */
static inline bool fxrstor(const void *area)
{
	bool ok = false;

	__asm__ volatile("1: fxrstor64 (%1)\n\t"
			 "movb $1, %b0\n"
			 "2:\n\t" EXTABLE_1_TO_2
			 : "+&q"(ok)
			 : "r"(area)
			 : "memory");
	return ok;
}

/* Returns a random number from the processor; false if it has none at the moment. CPUID must report
 * RDRAND. */
static inline bool rdrand(uint64_t *value)
{
	bool ok;

	__asm__ volatile("rdrand %0" : "=r"(*value), "=@ccc"(ok));
	return ok;
}

#endif
#endif

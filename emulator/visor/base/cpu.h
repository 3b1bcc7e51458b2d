/* SPDX-License-Identifier: BSD-2-Clause */
/* The processor's instructions as C functions: arch/x86/cpu/insn.h, and the ones that only a
 * hypervisor needs. */
#ifndef VISOR_CPU_H
#define VISOR_CPU_H

#include <stdint.h>
#include "arch/x86/cpu/insn.h"

/* regs: EAX, EBX, ECX, EDX. */
static inline void cpuid_words(uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
	struct cpuid_regs r = cpuid(leaf, subleaf);

	regs[0] = r.eax;
	regs[1] = r.ebx;
	regs[2] = r.ecx;
	regs[3] = r.edx;
}

/* XMM0 to XMM15, two words each. CR4.OSFXSR must be set, CR0.EM and TS clear. */
static inline void cpu_read_xmms(uint64_t words[32])
{
	__asm__ volatile("movups %%xmm0, (%0)\n\t"
			 "movups %%xmm1, 16(%0)\n\t"
			 "movups %%xmm2, 32(%0)\n\t"
			 "movups %%xmm3, 48(%0)\n\t"
			 "movups %%xmm4, 64(%0)\n\t"
			 "movups %%xmm5, 80(%0)\n\t"
			 "movups %%xmm6, 96(%0)\n\t"
			 "movups %%xmm7, 112(%0)\n\t"
			 "movups %%xmm8, 128(%0)\n\t"
			 "movups %%xmm9, 144(%0)\n\t"
			 "movups %%xmm10, 160(%0)\n\t"
			 "movups %%xmm11, 176(%0)\n\t"
			 "movups %%xmm12, 192(%0)\n\t"
			 "movups %%xmm13, 208(%0)\n\t"
			 "movups %%xmm14, 224(%0)\n\t"
			 "movups %%xmm15, 240(%0)"
			 :
			 : "r"(words)
			 : "memory");
}

/* Returns RFLAGS after an ADD that clears CF and a CMPXCHG16B. POPF makes QEMU take the flags in
 * memory as they are, and from there its faulty CMPXCHG16B reads the ADD's operand, 1: CF. */
static inline uint64_t cpu_flags_of_cmpxchg16b(void)
{
	static uint64_t memory[2] __attribute__((aligned(16)));
	uint64_t flags, low = 0, high = 0;

	__asm__ volatile("pushfq\n\t"
			 "popfq\n\t"
			 "addq $1, %[low]\n\t"
			 "cmpxchg16b %[memory]\n\t"
			 "pushfq\n\t"
			 "popq %[flags]"
			 : [memory] "+m"(memory), [flags] "=&r"(flags), [low] "+a"(low), "+d"(high)
			 : "b"(0ull), "c"(0ull)
			 : "cc", "memory");
	return flags;
}

static inline void cpu_sgdt(struct table_register *table)
{
	__asm__ volatile("sgdt %0" : "=m"(*table));
}

static inline void cpu_sidt(struct table_register *table)
{
	__asm__ volatile("sidt %0" : "=m"(*table));
}

#define CPU_READ_REGISTER(name, type)                                  \
	static inline type cpu_read_##name(void)                       \
	{                                                              \
		type value;                                            \
                                                                       \
		__asm__ volatile("mov %%" #name ", %0" : "=r"(value)); \
		return value;                                          \
	}

CPU_READ_REGISTER(cs, uint16_t)
CPU_READ_REGISTER(ds, uint16_t)
CPU_READ_REGISTER(es, uint16_t)
CPU_READ_REGISTER(ss, uint16_t)
#undef CPU_READ_REGISTER

/* Returns XCR0. CR4.OSXSAVE must be set. */
static inline uint64_t cpu_read_xcr0(void)
{
	uint32_t low, high;

	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return (uint64_t)high << 32 | low;
}

/* Clears the global interrupt flag: not even an NMI is taken. */
static inline void cpu_clgi(void)
{
	__asm__ volatile("clgi" : : : "memory");
}

/* Lets the host's handler take a pending NMI. */
static inline void cpu_take_nmi(void)
{
	__asm__ volatile("stgi; nop; nop; clgi" : : : "memory");
}

/* Lets the host's handler take a pending interrupt, which blocks a second one. */
static inline void cpu_take_interrupt(void)
{
	__asm__ volatile("sti; stgi; nop; nop; cli; clgi" : : : "memory");
}

/* Loads or stores the state that VMRUN does not switch (FS, GS, TR, LDTR, system call registers)
 * from or to a VMCB. */
static inline void cpu_vmload(uint64_t vmcb)
{
	__asm__ volatile("vmload %%rax" : : "a"(vmcb) : "memory");
}

static inline void cpu_vmsave(uint64_t vmcb)
{
	__asm__ volatile("vmsave %%rax" : : "a"(vmcb) : "memory");
}

/* Device registers: 32 bits wide, at physical addresses, which the visor maps one to one. */
static inline uint32_t cpu_read_device(uint64_t address)
{
	return *(volatile uint32_t *)address;
}

static inline void cpu_write_device(uint64_t address, uint32_t value)
{
	*(volatile uint32_t *)address = value;
}

#endif

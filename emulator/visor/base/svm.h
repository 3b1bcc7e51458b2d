/* SPDX-License-Identifier: BSD-2-Clause */
/* AMD's Secure Virtual Machine: the VMCB, its bits and its exit codes. AMD APM vol. 2, chapter 15
 * and appendices B, C. */
#ifndef VISOR_SVM_H
#define VISOR_SVM_H

#include <stddef.h>
#include <stdint.h>

struct vmcb_segment {
	uint16_t selector;
	uint16_t attributes; /* descriptor bits 55:52 and 47:40 */
	uint32_t limit;
	uint64_t base;
};

struct vmcb {
	uint16_t intercept_cr_read, intercept_cr_write;
	uint16_t intercept_dr_read, intercept_dr_write;
	uint32_t intercept_exceptions;
	uint32_t intercept1; /* INTERCEPT_* */
	uint32_t intercept2; /* INTERCEPT2_* */
	uint8_t reserved_014[0x040 - 0x014];
	uint64_t io_permissions;  /* physical address */
	uint64_t msr_permissions; /* physical address */
	uint64_t tsc_offset;
	uint32_t asid;
	uint32_t tlb_control;
	uint64_t interrupt_control; /* INT_CONTROL_* */
	uint64_t interrupt_shadow;
	uint64_t exit_code;
	uint64_t exit_info1, exit_info2;
	uint64_t exit_event; /* the event that the exit interrupted the delivery of */
	uint64_t nested_control;
	uint8_t reserved_098[0x0a8 - 0x098];
	uint64_t event; /* EVENT_*: delivered at VMRUN */
	uint64_t nested_cr3;
	uint8_t reserved_0b8[0x400 - 0x0b8];
	struct vmcb_segment es, cs, ss, ds, fs, gs, gdtr, ldtr, idtr, tr;
	uint8_t reserved_4a0[0x4cb - 0x4a0];
	uint8_t cpl;
	uint32_t reserved_4cc;
	uint64_t efer;
	uint8_t reserved_4d8[0x548 - 0x4d8];
	uint64_t cr4, cr3, cr0, dr7, dr6, rflags, rip;
	uint8_t reserved_580[0x5d8 - 0x580];
	uint64_t rsp;
	uint8_t reserved_5e0[0x5f8 - 0x5e0];
	uint64_t rax;
	uint64_t star, lstar, cstar, sfmask, kernel_gs_base;
	uint64_t sysenter_cs, sysenter_esp, sysenter_eip;
	uint64_t cr2;
	uint8_t reserved_648[0x668 - 0x648];
	uint64_t pat;
	uint8_t reserved_670[0x1000 - 0x670];
};

_Static_assert(offsetof(struct vmcb, io_permissions) == 0x040, "VMCB");
_Static_assert(offsetof(struct vmcb, msr_permissions) == 0x048, "VMCB");
_Static_assert(offsetof(struct vmcb, tsc_offset) == 0x050, "VMCB");
_Static_assert(offsetof(struct vmcb, interrupt_control) == 0x060, "VMCB");
_Static_assert(offsetof(struct vmcb, exit_code) == 0x070, "VMCB");
_Static_assert(offsetof(struct vmcb, nested_control) == 0x090, "VMCB");
_Static_assert(offsetof(struct vmcb, event) == 0x0a8, "VMCB");
_Static_assert(offsetof(struct vmcb, nested_cr3) == 0x0b0, "VMCB");
_Static_assert(offsetof(struct vmcb, es) == 0x400, "VMCB");
_Static_assert(offsetof(struct vmcb, tr) == 0x490, "VMCB");
_Static_assert(offsetof(struct vmcb, cpl) == 0x4cb, "VMCB");
_Static_assert(offsetof(struct vmcb, efer) == 0x4d0, "VMCB");
_Static_assert(offsetof(struct vmcb, cr4) == 0x548, "VMCB");
_Static_assert(offsetof(struct vmcb, rflags) == 0x570, "VMCB");
_Static_assert(offsetof(struct vmcb, rip) == 0x578, "VMCB");
_Static_assert(offsetof(struct vmcb, rsp) == 0x5d8, "VMCB");
_Static_assert(offsetof(struct vmcb, rax) == 0x5f8, "VMCB");
_Static_assert(offsetof(struct vmcb, cr2) == 0x640, "VMCB");
_Static_assert(offsetof(struct vmcb, pat) == 0x668, "VMCB");
_Static_assert(sizeof(struct vmcb) == 0x1000, "VMCB");

#define INTERCEPT_INTR     (1u << 0)
#define INTERCEPT_NMI      (1u << 1)
#define INTERCEPT_INIT     (1u << 3)
#define INTERCEPT_RDPMC    (1u << 15)
#define INTERCEPT_CPUID    (1u << 18)
#define INTERCEPT_PUSHF    (1u << 16)
#define INTERCEPT_POPF     (1u << 17)
#define INTERCEPT_IRET     (1u << 20)
#define INTERCEPT_INTN     (1u << 21)
#define INTERCEPT_PAUSE    (1u << 23)
#define INTERCEPT_HLT      (1u << 24)
#define INTERCEPT_INVLPGA  (1u << 26)
#define INTERCEPT_IO       (1u << 27)
#define INTERCEPT_MSR      (1u << 28)
#define INTERCEPT_SHUTDOWN (1u << 31)

#define INTERCEPT2_VMRUN   (1u << 0)
#define INTERCEPT2_VMMCALL (1u << 1)
#define INTERCEPT2_VMLOAD  (1u << 2)
#define INTERCEPT2_VMSAVE  (1u << 3)
#define INTERCEPT2_STGI    (1u << 4)
#define INTERCEPT2_CLGI    (1u << 5)
#define INTERCEPT2_SKINIT  (1u << 6)
#define INTERCEPT2_MONITOR (1u << 10)
#define INTERCEPT2_MWAIT   (3u << 11) /* also in its conditional form */

/* The host's RFLAGS.IF masks interrupts, not the guest's flag. */
#define INT_CONTROL_MASKING (1ull << 24)
#define NESTED_PAGING       (1ull << 0)

#define EVENT_VALID     (1ull << 31)
#define EVENT_HAS_ERROR (1ull << 11)
#define EVENT_KIND      (7ull << 8)
#define EVENT_INTERRUPT (0ull << 8)
#define EVENT_NMI       (2ull << 8 | VECTOR_NMI)
#define EVENT_EXCEPTION (3ull << 8)
#define EVENT_VECTOR    0xffull
#define EVENT_SOFTWARE  (4ull << 8) /* INT n */
#define EVENT_ERROR(e)  ((uint64_t)(e) << 32)

enum exit_code {
	EXIT_EXCEPTION = 0x040, /* + vector */
	EXIT_INTR = 0x060,
	EXIT_NMI = 0x061,
	EXIT_INIT = 0x063,
	EXIT_RDPMC = 0x06f,
	EXIT_PUSHF = 0x070,
	EXIT_POPF = 0x071,
	EXIT_CPUID = 0x072,
	EXIT_IRET = 0x074,
	EXIT_INTN = 0x075,
	EXIT_PAUSE = 0x077,
	EXIT_HLT = 0x078,
	EXIT_INVLPGA = 0x07a,
	EXIT_IO = 0x07b,
	EXIT_MSR = 0x07c,
	EXIT_SHUTDOWN = 0x07f,
	EXIT_VMRUN = 0x080,
	EXIT_VMMCALL = 0x081,
	EXIT_SKINIT = 0x086,
	EXIT_MONITOR = 0x08a,
	EXIT_MWAIT = 0x08b,
	EXIT_MWAIT_ARMED = 0x08c,
	EXIT_NESTED_PAGE_FAULT = 0x400,
	EXIT_INVALID = 0xffffffff, /* the lower half: QEMU 7 stores 32 bits */
};

enum vector {
	VECTOR_DB = 1,
	VECTOR_NMI = 2,
	VECTOR_UD = 6,
	VECTOR_DF = 8,
	VECTOR_TS = 10,
	VECTOR_GP = 13,
	VECTOR_PF = 14,
	VECTOR_AC = 17,
};

#define RFLAGS_FIXED (1ull << 1)
#define RFLAGS_TF    (1ull << 8)
#define RFLAGS_IF    (1ull << 9)
#define RFLAGS_RF    (1ull << 16)

#define CR0_RESET   0x60000010ull /* CD, NW, ET */
#define CR0_PE      (1ull << 0)
#define CR0_EM      (1ull << 2)
#define CR0_TS      (1ull << 3)
#define CR0_ET      (1ull << 4)
#define CR0_WP      (1ull << 16)
#define CR0_PG      (1ull << 31)
#define CR4_PAE     (1ull << 5)
#define CR4_OSFXSR  (1ull << 9)
#define CR4_LA57    (1ull << 12)
#define CR4_OSXSAVE (1ull << 18)
#define CR4_PKE     (1ull << 22)
#define CR4_CET     (1ull << 23)
#define CR4_PKS     (1ull << 24)
#define XCR0_RESET  1ull /* x87 */
#define EFER_SCE    (1ull << 0)
#define EFER_LME    (1ull << 8)
#define EFER_LMA    (1ull << 10)
#define EFER_SVME   (1ull << 12)
#define DR6_BS      (1ull << 14)
#define DR6_RESET   0xffff0ff0ull
#define DR7_RESET   0x400ull
#define DR7_ENABLES 0xffull

#define SEGMENT_LONG (1u << 9) /* vmcb_segment.attributes: 64-bit code */

enum msr {
	MSR_TSC = 0x10,
	MSR_APIC_BASE = 0x1b,
	MSR_TSC_ADJUST = 0x3b,
	MSR_SYSENTER_CS = 0x174,
	MSR_SYSENTER_ESP = 0x175,
	MSR_SYSENTER_EIP = 0x176,
	MSR_PAT = 0x277,
	MSR_X2APIC_FIRST = 0x800,
	MSR_X2APIC_LAST = 0x8ff,
	MSR_EFER = 0xc0000080,
	MSR_STAR = 0xc0000081,
	MSR_LSTAR = 0xc0000082,
	MSR_CSTAR = 0xc0000083,
	MSR_SFMASK = 0xc0000084,
	MSR_FS_BASE = 0xc0000100,
	MSR_GS_BASE = 0xc0000101,
	MSR_VM_CR = 0xc0010114,
	MSR_HSAVE = 0xc0010117,
};

#endif

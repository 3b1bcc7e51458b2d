/* SPDX-License-Identifier: BSD-2-Clause */
/* The visor's test guest: a bare machine that programs the PMU and prints TAP on COM1. */
#ifndef TESTS_BARE_GUEST_H
#define TESTS_BARE_GUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/visor/base/console.h"
#include "emulator/visor/base/cpu.h"

#define TAP_VPRINT(format, list) console_print_list(format, list)
#define TAP_FLUSH()              ((void)0)
#define TAP_VALUE                "%lx"
#define TAP_STATE                extern
#include "tests/tap.h"

struct trap_frame {
	uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rdi, rsi, rbp, rbx, rdx, rcx, rax;
	uint64_t vector, error, rip, cs, rflags, rsp, ss;
};

/* The machine's properties, from CPUID. */
struct machine {
	char personality[17];
	unsigned version, general, fixed, width;
	unsigned own_general,
	    own_fixed; /* of a hybrid machine's performance core more than leaf 0AH says */
	bool exact, stepped, full_width, pebs, arch_lbr, amd;
	unsigned pebs_format, lbr_format; /* PERF_CAPABILITIES */
	unsigned shift;                   /* of the TSC: ticks of one instruction are 1 << shift */
};

extern struct machine machine;

/* tap.c */
__attribute__((noreturn)) void done(void);

/* traps.c: an NMI or interrupt calls its handler; faults go to `fixup` if that is set. */
typedef void trap_handler(struct trap_frame *frame);
void traps_setup(void);
/* Installs these handlers on a further processor, with its own stack. */
void traps_join(void);
void on_nmi(trap_handler *handler);
void on_interrupt(unsigned vector, trap_handler *handler);

extern struct trap_frame last_fault; /* the last one that went to `fixup` */

/* entry.asm */
extern uint64_t fixup, syscalls, user_flags; /* user_flags: RFLAGS of in_user() */
extern const char spin_body[], counted_spin_loop[], switched_spin_loop[], sti_hlt_after[];
uint64_t in_user(uint64_t (*code)(uint64_t), uint64_t argument);
__attribute__((noreturn)) void leave_user(uint64_t value);
uint64_t spin(uint64_t n);
void counted_spin(uint64_t control, uint64_t n);
void switched_spin(uint32_t msr, uint64_t on, uint64_t n);
void switched_call(uint32_t msr, uint64_t on, uint64_t (*code)(uint64_t), uint64_t argument);
void counted_call(uint64_t control, uint64_t (*code)(uint64_t), uint64_t argument);
uint64_t user_syscalls(uint64_t n);
uint64_t exiting(uint64_t unused);
uint64_t branchy(uint64_t n);
uint64_t repeated(uint64_t n);
uint64_t prefixed_cpuid(uint64_t unused);
uint64_t flags_seen(uint64_t n);
uint32_t tsc_distance(uint64_t n);
uint32_t cpuid_distance(void);
uint64_t try_rdmsr(uint32_t msr, uint64_t *value);
uint64_t try_wrmsr(uint32_t msr, uint64_t value);
uint64_t try_rdpmc(uint32_t index, uint64_t *value);
/* Tests that a register takes exactly these bits, each written alone, and faults for the others; 0:
 * it is not there. It is 0 afterwards. */
void takes(uint32_t msr, uint64_t bits, const char *what);
uint64_t try_cr4(uint64_t value);
uint64_t try_sysenter(void);
uint64_t user_sysenters(uint64_t n);
extern const char sysenter_target[];
void sti_hlt(void);

/* special.asm */
extern const uint64_t leaving_places[];
uint64_t leaving(uint64_t unused);
uint64_t shadows(uint64_t unused);
uint64_t user_faults(uint64_t n);
uint64_t user_page_faults(uint64_t n);
uint64_t user_divide_errors(uint64_t n);
uint64_t user_ptwrites(uint64_t n);
uint64_t ptwrites(uint64_t n);
bool has_ptwrite(void);
uint64_t user_interrupts(uint64_t unused);

#define IN_USER_EXTRA 2 /* instructions of in_user() in ring 3: CALL and INT 80H */

/* pmu.c */
enum { USR = 1, OS = 2 };
#define GP_FAULT           13
#define EVENT_CYCLES       0x003c
#define EVENT_INSTRUCTIONS 0x00c0
#define EVENT_BRANCHES     0x00c4
#define EVENT_MISPREDICTS  0x00c5
/* The counter's bit in GLOBAL_CTRL and GLOBAL_STATUS. */
uint64_t fixed_control(unsigned counter);
uint64_t general_control(unsigned counter);
void fixed_start(unsigned counter, unsigned rings, bool pmi, uint64_t value);
void general_start(unsigned counter, unsigned event, unsigned rings, bool pmi, uint64_t value);
uint64_t fixed_read(unsigned counter);
uint64_t general_read(unsigned counter);
void pmu_reset(void);
void pmi_by_nmi(void);
void pmi_by_vector(unsigned vector);
/* The counter value that overflows after `period`. */
uint64_t minus(uint64_t period);

/* The tests, a file each. */
void test_cpuid(void);
void test_registers(void);
void test_storm(bool beyond);
/* The counters of AMD's personalities. */
void test_amd(void);
/* Their instruction-based sampling. */
void test_ibs(void);
void test_counting(void);
void test_sampling(void);
void test_time(void);
/* Tests everything outside the PMU, on one processor. */
void test_machine(void);
/* Takes 44 s of the machine's clock, in HLT. */
void test_idle(void);
void test_versions(void);
void test_special(void);
void test_pebs(void);
void test_pebs_counters(void);
void test_trace(void);
void test_store(void);
void test_stress(void);
void test_exact(void);
void test_x2apic(bool offered);
/* Tests `wanted` processors, the others of which it starts; by_x2apic: through the first one's
 * x2APIC. */
void test_processors(unsigned wanted, bool by_x2apic);

#endif

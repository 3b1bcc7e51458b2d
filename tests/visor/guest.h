/* SPDX-License-Identifier: BSD-2-Clause */
/* A bare guest for the visor: the machine as its tests see it, and TAP on COM1. */
#ifndef TESTS_VISOR_GUEST_H
#define TESTS_VISOR_GUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/cpu.h"

/* What start.asm's stubs leave on the stack. */
struct frame {
	uint64_t rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15;
	uint64_t vector, error, rip, cs, rflags, rsp, ss;
};

#define VECTOR_DB    1
#define VECTOR_NMI   2
#define VECTOR_GP    13
#define VECTOR_TIMER 0x40
#define VECTOR_CALL  0x80 /* ring 3's way back */

/* The exception of the last attempt (start.asm). */
extern volatile int fault_vector;
extern volatile uint64_t fault_error, fault_rip, attempt_rip;
int try_rdmsr(uint32_t msr, uint64_t *value);
int try_wrmsr(uint32_t msr, uint64_t value);
int try_rdpmc(uint32_t index, uint64_t *value);

/* measure.asm */
uint32_t count_loop(uint32_t counter, uint64_t rounds);
uint32_t count_straight(uint32_t counter);
void run_enabled(uint64_t global_ctrl, uint64_t rounds);
void run_calls(uint64_t global_ctrl, uint64_t rounds);
void run_user(void (*code)(void), uint64_t rounds);
extern char enabled_loop[], enabled_end[];
void user_loop(void);
void user_rdpmc(void);

/* Called for each interrupt of that vector; NULL: the test ends as it was not expected. Returns the
 * one before. */
typedef void (*handler)(struct frame *frame);
handler on_interrupt(unsigned vector, handler new);

/* TAP: one line for each; the plan comes at the end. */
void ok(bool good, const char *name);
void is(uint64_t got, uint64_t want, const char *name);
void bail_out(const char *why) __attribute__((noreturn));

/* The local APIC's registers. */
#define APIC_EOI   0x0b0
#define APIC_SVR   0x0f0
#define APIC_LVTT  0x320
#define APIC_LVTPC 0x340
#define APIC_TMICT 0x380
#define APIC_TDCR  0x3e0
uint32_t apic_read(uint32_t offset);
void apic_write(uint32_t offset, uint32_t value);

/* The command line has `word`. */
bool option(const char *word);

void test_identity(void);
void test_registers(void);
void test_counting(void);
void test_interrupts(void);
void test_rings(void);
void test_exact(void);

#endif

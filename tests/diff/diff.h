/* SPDX-License-Identifier: BSD-2-Clause */
/* The differential fuzzer: random code in a window of its own, whose state after each
 * instruction goes into one hash a case. One guest runs on the bare emulator and under the
 * visor, and must print equal hashes. */
#ifndef TESTS_DIFF_H
#define TESTS_DIFF_H

#include <stdbool.h>
#include <stdint.h>

/* Shared with entry.asm. */
enum gpr { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15, GPRS };

struct state {
	uint64_t gpr[GPRS];
	uint64_t rip, cs, rflags, ss;
	uint64_t vector, error;
};

#define STATE_OFFSET(member, offset) \
	_Static_assert(__builtin_offsetof(struct state, member) == (offset), "entry.asm")
STATE_OFFSET(rip, 128);
STATE_OFFSET(rflags, 144);
STATE_OFFSET(vector, 160);

#define VECTOR_SYSCALL 256 /* not a vector: the code has come in by SYSCALL */

/* The window: virtual addresses of pages that ring 3 may use. Around them nothing is mapped. */
#define WINDOW       0x8000000000ull
#define CODE         (WINDOW + 0x1000)
#define DATA         (WINDOW + 0x10000) /* two pages, then one of the kernel's, then one to read only */
#define STACK        (WINDOW + 0x20000) /* two pages */
#define PAGE         4096u
#define DATA_BYTES   (2 * PAGE)
#define CODE_BYTES   PAGE
#define STACK_MIDDLE (STACK + PAGE)

#define RFLAGS_FIXED 0x002u
#define RFLAGS_TF    0x100u
#define RFLAGS_IF    0x200u

/* A case's random numbers: xorshift64*. */
struct dice {
	uint64_t state;
};

static inline uint64_t roll(struct dice *dice)
{
	dice->state ^= dice->state >> 12;
	dice->state ^= dice->state << 25;
	dice->state ^= dice->state >> 27;
	return dice->state * 0x2545f4914f6cdd1dull;
}

static inline unsigned below(struct dice *dice, unsigned n)
{
	return (unsigned)((roll(dice) >> 32) % n);
}

/* generate.c: fills `code` (CODE_BYTES) for a ring, with PAUSEs or without, ended by an undefined
 * instruction. */
void generate(struct dice *dice, unsigned ring, bool pause, uint8_t *code);

/* entry.asm */
extern uint8_t code_page[], data_pages[], stack_pages[];
/* Continues in `state` until leave_case(); returns the value that it was given. */
uint64_t enter_case(const struct state *state);
__attribute__((noreturn)) void leave_case(uint64_t value);
/* C's part of every trap: it may change the state that the code continues with. */
void trap(struct state *state);
/* Restores segments, FPU, and other state of a case that C does not reach. */
void tidy(void);
uint64_t try_wrmsr(uint32_t msr, uint64_t value);
extern volatile uint64_t fixup, period, nmis, counting, counting_msr;

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profiles the code that processors execute from their reset on, without a change to the guest.
 * Portable; the plugin passes blocks, registers and the core's counts. Its functions are called by
 * the thread that executes one processor at a time; profile_end() when that has stopped.
 */
#ifndef SIM_PROFILE_PROFILE_H
#define SIM_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/sim/profile/spots.h"

/* The processor's registers before a block. */
struct profile_registers {
	uint64_t rax, rdx, rsi;
	uint64_t stack; /* RSP with the stack segment's base */
	uint64_t frame; /* RBP without */
	uint64_t stack_base, code_base;
	uint64_t cr3;
	uint8_t ring;
	uint8_t bits; /* of the code: 16, 32, 64 */
	bool smm;
};

/* The plugin's side. */
struct profile_machine {
	/* The clock of the executing processor's core in cycles; NULL without a core. */
	uint64_t (*cycles)(void);
	/* Sets all cores' counts of each enum profile_count since the reset; NULL without a core.
	 */
	void (*counts)(uint64_t counts[PROFILE_COUNTS]);
	/* The guest's clock in ns; 0: unknown. */
	uint64_t (*clock)(void);
	/* Reads the registers before the block that begins. False: this QEMU does not show them. */
	bool (*registers)(struct profile_registers *registers);
	/* Reads the guest's memory at a linear address. False: it is not all mapped. */
	bool (*read)(uint64_t address, void *to, size_t bytes);
	/* Ends the machine soon. */
	void (*stop)(void);
};

/* Parses an option of the plugin's; returns false if it is none of the profile's. */
bool profile_option(const char *option);
/* Whether an option started a profile; whether it wants a core. */
bool profile_on(void);
bool profile_wants_core(void);

/* Begins the stream. Returns false after a message if it cannot be written. */
bool profile_start(const struct profile_machine *machine);
/* Writes the rest of the stream. Any number of times. */
void profile_end(void);

/* The image of code, by its header in memory: [low, end) is the memory around the code's bytes,
 * which are at the same distances in the guest. Returns its number, or PROFILE_NONE. */
uint32_t profile_image(uint64_t address, const uint8_t *code, const uint8_t *low,
		       const uint8_t *end);
/* The image of code at a linear address other than its physical one: a program, or a module of
 * Linux's. Returns its number, or PROFILE_NONE. */
uint32_t profile_linux_image(uint64_t address);
/* Returns the block for profile_block(); NULL: it is not profiled. */
struct spot *profile_translate(const struct spot_code *code);
/* The number of the mark at an address, of which a block is being translated; -1: there is none. */
int profile_mark_at(uint64_t address);

/* The processor (its number below PROFILE_PROCESSORS) that executes from now on; that one. */
void profile_switch(unsigned processor);
unsigned profile_processor(void);
/* A block (NULL: an unknown one) begins. */
void profile_block(struct spot *spot);
/* A mark's instruction begins: SLICE_MARK or SLICE_GUEST. */
void profile_mark(enum profile_reason reason, uint64_t value);
/* An OUTS begins: notes RSI. Without this call each block writes at most one byte. */
void profile_string(void);
/* An event's period is over, at an instruction that has just run. */
void profile_sample(unsigned event, uint64_t ip, uint64_t periods);
/* Period of an event (by its number in the options), its quantities (enum core_quantity, 0 at the
 * end); NULL: there are no more. */
const uint8_t *profile_event(unsigned event, uint64_t *period);
/* Executed instructions before the running block. */
uint64_t profile_instructions(void);

#endif

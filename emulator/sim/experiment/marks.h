/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Marks by which programs name their region of interest, as several simulators have them. None
 * changes anything where it is unknown, except gem5's, which are undefined instructions. Portable.
 *
 * Sources: Sniper, include/sim_api.h (XCHG BX,BX with a command in RAX); Intel's SSC marks (MOV
 * EBX, number; 64H 67H 90H); gem5, include/gem5/asm/generic/m5ops.h (0FH 04H and a number of 16
 * bits).
 */
#ifndef SIM_EXPERIMENT_MARKS_H
#define SIM_EXPERIMENT_MARKS_H

#include <stddef.h>
#include <stdint.h>

enum mark { MARK_NONE, MARK_BEGIN, MARK_END, MARK_TOGGLE, MARK_OTHER };

/*
 * Returns the mark that the `length` bytes of the instruction at code[at] are. code: the block's
 * bytes from `at` back, whose preceding instruction may load the number. A number that cannot be
 * seen makes it MARK_TOGGLE. more: the bytes after it, of which gem5's number is the first two;
 * NULL: not known.
 */
enum mark mark_of(const uint8_t *code, size_t at, size_t length, const uint8_t *more);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of the program that is run, by name and address. */
#ifndef HOST_EXPERIMENT_FUNCTION_H
#define HOST_EXPERIMENT_FUNCTION_H

#include <stdint.h>

struct options;

/* Returns where the function of the program is in memory; ends the command if there is none. */
uint64_t function_address(const struct options *options, const char *name);

/* Returns "NAME+0xOFFSET" of an address of the program, allocated; NULL: unknown. */
char *function_at(const struct options *options, uint64_t address);

#endif

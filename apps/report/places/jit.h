/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of code that a program generated at run time. */
#ifndef APPS_REPORT_PLACES_JIT_H
#define APPS_REPORT_PLACES_JIT_H

#include <stdint.h>

struct jit;

/* Reads PROFILE.perf-PID.map and PROFILE.jit-PID.dump, which `record` leaves beside the profile.
 * NULL: there is neither. */
struct jit *jit_load(const char *profile, uint32_t pid);

/* Returns the function whose code contains the address, or NULL; of several, the one generated
 * last. */
const char *jit_find(const struct jit *jit, uint64_t address);

#endif

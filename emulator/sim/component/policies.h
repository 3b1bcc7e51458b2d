/* SPDX-License-Identifier: BSD-2-Clause */
/* The built-in replacement policies. */
#ifndef SIM_COMPONENT_POLICIES_H
#define SIM_COMPONENT_POLICIES_H

#include "abi/sim.h"

/* The least recently used way leaves; a binary tree of bits points away from the last used way, for
 * up to PLRU_WAYS_MAX ways. */
extern const struct sim_component component_lru, component_plru;

/* Their hit(): the caller may compare pointers, and call these directly, which the compiler can
 * inline. */
void lru_touch(void *self, uint32_t set, uint32_t way, const struct sim_access *access);
void plru_touch(void *self, uint32_t set, uint32_t way, const struct sim_access *access);

#define PLRU_WAYS_MAX 64 /* a set's bits are in one word */

#endif

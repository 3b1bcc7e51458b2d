/* SPDX-License-Identifier: BSD-2-Clause */
/* Processors of one thread of QEMU's take turns: long ones, short ones while they share. */
#ifndef CORE_BORDER_TURNS_H
#define CORE_BORDER_TURNS_H

#include "emulator/sim/plugin/plugin_state.h"

/* Before QEMU's processors start, when there are turns. */
void plugin_turns_setup(struct shared_cache *shared);

/* A block of the visor's begins; without a core, any block. */
void plugin_turn_hidden(struct processor *p, unsigned vcpu, unsigned instructions,
			enum code_wait waits);
/* A block of the guest's begins. */
void plugin_turn_block(struct processor *p, unsigned vcpu, const struct code_block *block);
/* A locked access has been made: the turn ends when it has taken a line that moves. */
void plugin_turn_locked(struct processor *p, unsigned vcpu, uint64_t vaddr);
/* A plain store has been made: it may have released a lock that others poll. */
void plugin_turn_stored(struct processor *p, uint64_t vaddr);

#endif

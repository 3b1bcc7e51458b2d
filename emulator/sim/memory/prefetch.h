/* SPDX-License-Identifier: BSD-2-Clause */
/* The prefetchers of a processor, built-in ones and the user's: which ones there are, and their
 * triggers. */
#ifndef CORE_MEM_PREFETCH_H
#define CORE_MEM_PREFETCH_H

#include "emulator/sim/component/component.h"
#include "emulator/sim/config/config.h"

struct access;
struct memory;

enum { PREFETCHERS_A_LEVEL = 2 };

/* A prefetcher at a level. Its address must not change. The members that each call needs come
 * first. */
struct attached {
	void (*call)(void *self, const struct sim_access *access); /* NULL: none */
	void *self;
	struct memory *memory;
	const struct sim_access *access; /* the one that it is called for */
	unsigned bit;                    /* enum prefetcher of a built-in one; 0: always on */
	bool crosses;                    /* it may leave the page of the access */
	struct component_instance instance;
};

/* Lines that prefetchers fetched into a level, by their use. */
struct prefetch_counts {
	uint64_t issued;
	uint64_t useful;  /* accessed later, or fetched into a level above; */
	uint64_t late;    /* of them: the line was still on its way */
	uint64_t useless; /* evicted before an access */
};

struct prefetch_state {
	struct attached at[SIM_NO_LEVEL][PREFETCHERS_A_LEVEL];
	struct prefetch_counts counts[SIM_NO_LEVEL];
	unsigned fills;  /* bit of enum sim_level: one there wants to hear of fills */
	unsigned listen; /* bit of enum sim_level: there is one */
};

/* Attaches the core's prefetchers to the memory. Returns false if there is no memory. */
bool prefetch_init(struct memory *m, const struct core_config *config);
void prefetch_free(struct memory *m);

/* Slow paths of prefetch_on() and prefetch_filled(). */
void prefetch_call(struct memory *m, const struct sim_access *access, enum sim_level level);
void prefetch_notify_fill(struct memory *m, enum sim_level level, uint64_t line, bool prefetched);

/* prefetchers.c: the built-in ones, by enum prefetcher, and the level of each. */
struct builtin_prefetcher {
	const struct sim_component *component;
	enum sim_level level;
	unsigned bit;
};
extern const struct builtin_prefetcher prefetch_builtin[];
extern const unsigned prefetch_builtin_count;

#endif

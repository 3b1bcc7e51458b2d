/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Components of the simulated core: branch predictors, replacement policies and prefetchers, as
 * shared objects for `--core NAME,WORD=./FILE.so:PARAMETER=N`. This header is all that a component
 * includes; the built-in ones use it as well. C11 and C++17.
 *
 * A component is one constant, struct sim_component, that SIM_COMPONENT() exports. The simulator
 * makes one instance for each place (a processor's predictor, one cache), and calls it from one
 * thread at a time. Callbacks must not block, and must depend on nothing but their arguments and
 * the instance, so that runs repeat. See docs/experiments.md.
 */
#ifndef SIM_H
#define SIM_H

#include <stdbool.h>
#include <stdint.h>

/* Grows with each change of this interface; a component of another version is refused. */
#define SIM_VERSION 1

#define SIM_LINE_SIZE      64 /* bytes of a cache line */
#define SIM_PAGE_SIZE      4096
#define SIM_PARAMETERS_MAX 16
#define SIM_STATISTICS_MAX 16

enum sim_kind {
	SIM_DIRECTION = 1, /* whether a conditional branch is taken */
	SIM_INDIRECT,      /* where an indirect jump or call leads */
	SIM_REPLACEMENT,   /* which line of a set leaves, and whether one enters */
	SIM_PREFETCHER,    /* which lines, or pages, are fetched before they are needed */
	SIM_KINDS
};

/* Where a replacement policy or a prefetcher is attached. */
enum sim_level { SIM_L1I, SIM_L1D, SIM_L2, SIM_L3, SIM_TLB, SIM_NO_LEVEL };

enum sim_type {
	SIM_LOAD,
	SIM_STORE,
	SIM_CODE,      /* an instruction fetch */
	SIM_WALK,      /* a page walk, or a software prefetch */
	SIM_PREFETCH,  /* by a prefetcher */
	SIM_WRITE_BACK /* a line that the level above evicts */
};

/* An access that reaches the component's level. */
struct sim_access {
	uint64_t pc;    /* of the instruction. A fetch: its own address; a write-back: 0 */
	uint64_t vaddr; /* virtual address; of a prefetch that of the access that caused it */
	uint64_t
	    address; /* of the line as caches know it, physical; of SIM_TLB: the virtual page's */
	uint64_t cycle; /* of this processor */
	uint32_t processor;
	uint8_t type;       /* enum sim_type */
	uint8_t hit;        /* the level has the line */
	uint8_t prefetched; /* it was prefetched, and this is its first use */
};

enum sim_branch_kind {
	SIM_CONDITIONAL,
	SIM_JUMP,
	SIM_JUMP_INDIRECT,
	SIM_CALL,
	SIM_CALL_INDIRECT,
	SIM_RETURN
};

struct sim_branch {
	uint64_t pc, target, fallthrough; /* fallthrough: the address after the branch */
	uint8_t kind;                     /* enum sim_branch_kind */
	uint8_t taken;
};

/* The simulator's side of one instance; valid until destroy(). */
struct sim_host {
	uint32_t version;    /* the simulator's SIM_VERSION */
	uint32_t processor;  /* 0 where all processors share the level */
	uint32_t level;      /* enum sim_level */
	uint32_t sets, ways; /* of the cache; 0 for predictors */

	/*
	 * For prefetchers, within access(): fetches the line (SIM_TLB: the translation of the page)
	 * of `address` into the instance's level. `address` must be in the page of 4 KiB of the
	 * access, unless the component sets SIM_CROSSES_PAGES. Returns false if nothing was
	 * fetched: the level has the line, or memory's queue or the fill buffers are full.
	 */
	bool (*prefetch)(const struct sim_host *host, uint64_t address);
	/* As prefetch(), into the next level below instead. */
	bool (*prefetch_below)(const struct sim_host *host, uint64_t address);
	/* True if the level has the line of `address`. */
	bool (*holds)(const struct sim_host *host, uint64_t address);
	/* True if memory has so many transfers queued that prefetch() does nothing. */
	bool (*busy)(const struct sim_host *host);
};

struct sim_parameter {
	const char *name; /* NULL: the end */
	uint64_t usual, min, max;
	const char *shows; /* one line for users */
};

/* Each instance of a processor. A component has predict() and update(), or step(). */
struct sim_direction {
	/* Returns whether the branch at pc is predicted taken. */
	bool (*predict)(void *self, uint64_t pc);
	/* The branch that was predicted last has executed. */
	void (*update)(void *self, uint64_t pc, bool predicted, bool taken, uint64_t target);
	/* predict() and update() in one call, which costs less host time. The result must not
	 * depend on `taken`. */
	bool (*step)(void *self, uint64_t pc, bool taken, uint64_t target);
	/* A branch of one of the kinds in `others`, bits of enum sim_branch_kind, has executed.
	 * Conditional ones are not reported. */
	void (*other)(void *self, const struct sim_branch *branch);
	uint32_t others;
};

/* As struct sim_direction. */
struct sim_indirect {
	/* Returns the predicted target; known: where it led the last time, 0: unknown. path: a hash
	 * of the last 13 taken branches. */
	uint64_t (*predict)(void *self, uint64_t pc, uint64_t path, uint64_t known);
	/* The branch that was predicted last has executed. */
	void (*update)(void *self, uint64_t pc, uint64_t path, uint64_t predicted, uint64_t target);
	/* predict() and update() in one call. */
	uint64_t (*step)(void *self, uint64_t pc, uint64_t path, uint64_t known, uint64_t target);
	/* As in struct sim_direction; the indirect ones are not reported. */
	void (*other)(void *self, const struct sim_branch *branch);
	uint32_t others;
};

/* The result of victim(): the line is not kept. Not for L1, nor where the level is inclusive. */
#define SIM_BYPASS UINT32_MAX

/* access: NULL where the array is a TLB or the BTB, which have the built-in LRU only. */
struct sim_replacement {
	/* Returns the way of a full set that leaves, or SIM_BYPASS. */
	uint32_t (*victim)(void *self, uint32_t set, const struct sim_access *access);
	/* A line was filled into the way. */
	void (*fill)(void *self, uint32_t set, uint32_t way, const struct sim_access *access);
	/* The way was hit. A repeated hit of L1's most recently used line is not reported, unless
	 * the component sets SIM_EVERY_HIT. */
	void (*hit)(void *self, uint32_t set, uint32_t way, const struct sim_access *access);
	/* The way's line has left. NULL: not wanted. */
	void (*leave)(void *self, uint32_t set, uint32_t way);
	/* The array was emptied (WBINVD). NULL: not wanted. */
	void (*clear)(void *self);
};

struct sim_prefetcher {
	/*
	 * An access: at L1D, L1I and the TLB a miss, or the first hit of a prefetched line (any
	 * access to L1D with SIM_EVERY_HIT); at L2 and L3 each one that reaches the level.
	 */
	void (*access)(void *self, const struct sim_access *access);
	/* A line was filled into the level; prefetched: by a prefetcher. NULL: not wanted. */
	void (*fill)(void *self, uint64_t address, bool prefetched);
};

enum sim_flag {
	SIM_EVERY_HIT = 1 << 0,     /* also hits of L1's fast path are reported; takes host time */
	SIM_CROSSES_PAGES = 1 << 1, /* prefetch() may leave the page of the access */
	/* A hit of the way of a set that was used last changes nothing: such hits are not reported.
	 */
	SIM_RECENT_IS_QUIET = 1 << 2
};

struct sim_component {
	uint32_t version;         /* SIM_VERSION */
	uint32_t kind;            /* enum sim_kind */
	uint32_t flags;           /* enum sim_flag */
	uint32_t levels;          /* bit of enum sim_level: where it may be attached; 0: anywhere */
	const char *name, *shows; /* shows: one line for users */
	const struct sim_parameter *parameters; /* at most SIM_PARAMETERS_MAX; NULL: none */
	/* Names of statistics, which the simulator reports, at most SIM_STATISTICS_MAX; the last
	 * one is followed by NULL. NULL: none. */
	const char *const *statistics;
	/*
	 * Makes an instance. parameters: a value for each one, in their order; statistics: a word
	 * for each one, which the component increments. All three live as long as the instance.
	 * Returns NULL if there is no memory, or if the parameters do not go together.
	 */
	void *(*create)(const struct sim_host *host, const uint64_t *parameters,
			uint64_t *statistics);
	void (*destroy)(void *self);
	/* The one of `kind`; the others are NULL. */
	const struct sim_direction *direction;
	const struct sim_indirect *indirect;
	const struct sim_replacement *replacement;
	const struct sim_prefetcher *prefetcher;
};

#define SIM_SYMBOL "sim_component_of_file"

#ifdef __cplusplus
#define SIM_EXTERN extern "C"
#else
#define SIM_EXTERN extern
#endif

/* Exports a struct sim_component; once in a shared object. */
#define SIM_COMPONENT(component)                                                       \
	SIM_EXTERN __attribute__((visibility("default"))) const struct sim_component * \
	sim_component_of_file(void);                                                   \
	const struct sim_component *sim_component_of_file(void)                        \
	{                                                                              \
		return &(component);                                                   \
	}

#endif

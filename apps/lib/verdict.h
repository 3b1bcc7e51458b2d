/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a measurement may be believed: what came between its beginning and its end. */
#ifndef APPS_LIB_VERDICT_H
#define APPS_LIB_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

/* The machine's counts so far; known is false for values that it does not provide. */
struct moment {
	struct told {
		uint64_t value;
		bool known;
	} interrupts, nmis, smis, aperf, mperf, thermal;
	uint64_t faults; /* of this process */
};

#define ALL_PROCESSORS (-1)
/* Reads it all, of one processor or of all (of MSRs then the first one's). */
void moment_read(struct moment *moment, int cpu);

#define VERDICT_SIZE 640
#define VERDICT_LINE (2 * VERDICT_SIZE + 32)

struct event_list;
struct pmu_id;

struct verdict {
	char reasons[VERDICT_SIZE]; /* why not to believe it; empty: valid */
	char notes[VERDICT_SIZE];   /* further facts */
};

/* Adds a reason or a note: printf's. */
void verdict_reason(struct verdict *verdict, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void verdict_note(struct verdict *verdict, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Compares two snapshots: reasons against the result, and facts that are unknown. */
void verdict_compare(struct verdict *verdict, const struct moment *from, const struct moment *to);
/* The frequency of two stretches that `middle` divides. */
void verdict_frequency(struct verdict *verdict, const struct moment *from,
		       const struct moment *middle, const struct moment *to);

/* A counter's difference, that has the bits of `mask`: more than half of them is no count of one
 * run. */
void verdict_count(struct verdict *verdict, uint64_t count, uint64_t mask);
/* The times that an event was enabled and had its counter (ns): it shared it when they differ. */
void verdict_shared(struct verdict *verdict, uint64_t enabled, uint64_t running);
/* The runs' counts of an event, sorted: the middle half of them may not be far apart. */
void verdict_spread(struct verdict *verdict, const char *event, const uint64_t *counts, int nr);

/* On an emulated PMU, of which events it does not count what happened: a reason where they are
 * estimates, a note where a core is simulated or they are shares of the instructions. */
void verdict_emulated(struct verdict *verdict, const struct pmu_id *pmu,
		      const struct event_list *events);

/* "valid: notes" or "not valid: reasons; notes", one line. */
void verdict_line(const struct verdict *verdict, char line[VERDICT_LINE]);

#endif

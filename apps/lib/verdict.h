/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a measurement is valid: disturbances between its start and its end. */
#ifndef APPS_LIB_VERDICT_H
#define APPS_LIB_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

/* The machine's counts so far; known is false for values that it does not provide. */
struct moment {
	struct known_value {
		uint64_t value;
		bool known;
	} interrupts, nmis, smis, aperf, mperf, thermal;
	uint64_t faults; /* of this process */
};

#define ALL_PROCESSORS (-1)
/* Reads the state of one processor or of all (then with the first one's MSRs). */
void moment_read(struct moment *moment, int cpu);

#define VERDICT_SIZE 640
#define VERDICT_LINE (2 * VERDICT_SIZE + 32)

struct event_list;
struct pmu_id;

struct verdict {
	char reasons[VERDICT_SIZE]; /* why not to believe it; empty: valid */
	char notes[VERDICT_SIZE];   /* further facts */
};

/* Adds a reason or a note in printf's form. */
void verdict_reason(struct verdict *verdict, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void verdict_note(struct verdict *verdict, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Compares two snapshots: reasons against the result, and facts that are unknown. */
void verdict_compare(struct verdict *verdict, const struct moment *from, const struct moment *to);
/* Judges the frequencies before and after `middle`. */
void verdict_frequency(struct verdict *verdict, const struct moment *from,
		       const struct moment *middle, const struct moment *to);

/* Judges a counter's difference, with the bits of `mask`: more than half of them cannot be the
 * count of one run. */
void verdict_count(struct verdict *verdict, uint64_t count, uint64_t mask);
/* Judges the times in ns that an event was enabled and had its counter: if they differ it shared
 * the counter. */
void verdict_shared(struct verdict *verdict, uint64_t enabled, uint64_t running);
/* Judges the sorted counts of an event's runs: the middle half must be close together. */
void verdict_spread(struct verdict *verdict, const char *event, const uint64_t *counts, int nr);

/* Says where the counts of the classified events come from on an emulated PMU: a reason against
 * estimates, a note for simulated events, shares of the instructions and uncounted events. */
void verdict_emulated(struct verdict *verdict, const struct pmu_id *pmu,
		      const struct event_list *events);

/* Writes "valid: notes" or "not valid: reasons; notes", one line. */
void verdict_line(const struct verdict *verdict, char line[VERDICT_LINE]);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signature-based hit prediction, by the instruction that brought the line, on SRRIP. Source: Wu,
 * Jaleel, Hasenplaug, Martonosi, Steely and Emer, SHiP (MICRO 2011).
 */
#include <stdlib.h>
#include <string.h>

#include "sim.h"

enum { SIGNATURES = 1 << 14, COUNTER_MAX = 7, COUNTER_FIRST = 4, FAR = 3 };

struct line {
	uint16_t signature;
	uint8_t interval;
	bool used, filled;
};

struct ship {
	uint32_t sets, ways;
	struct line *lines;
	uint8_t counters[SIGNATURES]; /* 0: lines of the signature are not used again */
	uint64_t *distant;
};

static const char *const statistics[] = {"distant-fills", NULL};

static void clear(void *self)
{
	struct ship *s = self;

	for (size_t i = 0; i < (size_t)s->sets * s->ways; i++)
		s->lines[i] = (struct line){.interval = FAR};
}

static void *create(const struct sim_host *host, const uint64_t *values, uint64_t *counts)
{
	struct ship *s = calloc(1, sizeof(*s));

	(void)values;
	if (!s)
		return NULL;
	s->sets = host->sets;
	s->ways = host->ways;
	s->distant = &counts[0];
	s->lines = malloc((size_t)s->sets * s->ways * sizeof(*s->lines));
	if (!s->lines) {
		free(s);
		return NULL;
	}
	memset(s->counters, COUNTER_FIRST, sizeof(s->counters));
	clear(s);
	return s;
}

static void destroy(void *self)
{
	struct ship *s = self;

	free(s->lines);
	free(s);
}

static struct line *line_of(const struct ship *s, uint32_t set, uint32_t way)
{
	return &s->lines[(size_t)set * s->ways + way];
}

/* Prefetches have signatures of their own. */
static uint16_t signature_of(const struct sim_access *access)
{
	uint64_t pc = access->pc << 1 | (access->type == SIM_PREFETCH);

	return (uint16_t)((pc ^ pc >> 14 ^ pc >> 28) % SIGNATURES);
}

static uint32_t victim(void *self, uint32_t set, const struct sim_access *access)
{
	struct ship *s = self;

	(void)access;
	for (;;) {
		for (uint32_t way = 0; way < s->ways; way++)
			if (line_of(s, set, way)->interval == FAR)
				return way;
		for (uint32_t way = 0; way < s->ways; way++)
			line_of(s, set, way)->interval++;
	}
}

static void leave(void *self, uint32_t set, uint32_t way)
{
	struct ship *s = self;
	struct line *line = line_of(s, set, way);

	if (line->filled && !line->used && s->counters[line->signature])
		s->counters[line->signature]--;
	*line = (struct line){.interval = FAR};
}

static void fill(void *self, uint32_t set, uint32_t way, const struct sim_access *access)
{
	struct ship *s = self;
	uint16_t signature = signature_of(access);
	bool distant = !s->counters[signature];

	*s->distant += distant;
	*line_of(s, set, way) = (struct line){signature, distant ? FAR : FAR - 1, false,
					      access->type != SIM_WRITE_BACK};
}

static void hit(void *self, uint32_t set, uint32_t way, const struct sim_access *access)
{
	struct ship *s = self;
	struct line *line = line_of(s, set, way);

	(void)access;
	line->interval = 0;
	if (line->filled && s->counters[line->signature] < COUNTER_MAX)
		s->counters[line->signature]++;
	line->used = true;
}

static const struct sim_replacement replacement = {
    .victim = victim, .fill = fill, .hit = hit, .leave = leave, .clear = clear};

static const struct sim_component component = {
    .version = SIM_VERSION,
    .kind = SIM_REPLACEMENT,
    .name = "ship",
    .shows = "hit prediction by the instruction that brought the line (Wu et al. 2011)",
    .statistics = statistics,
    .create = create,
    .destroy = destroy,
    .replacement = &replacement,
};

SIM_COMPONENT(component)

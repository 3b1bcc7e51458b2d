/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics of the measured region of several cores, as JSON. */
#include "emulator/sim/experiment/stats.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { WORST = 50, NAME_SIZE = 64 };

/* Quantities of each interval, summed over the cores and both rings. */
static const uint8_t interval_quantities[] = {
    CORE_INSTRUCTIONS,     CORE_CYCLES,          CORE_BRANCHES,
    CORE_MISPREDICTED,     CORE_L1D_LOAD_MISSES, CORE_L2_LOAD_MISSES,
    CORE_LAST_LOAD_MISSES, CORE_LOADS_DRAM,      CORE_DTLB_LOAD_WALKS,
};

#define NR_INTERVAL (sizeof(interval_quantities) / sizeof(interval_quantities[0]))

struct interval {
	uint64_t counts[NR_INTERVAL];
};

struct measured {
	struct core *core;
	struct core_snapshot begin, sum; /* sum: of all parts of the region */
};

struct stats {
	const char *name;
	unsigned nr;
	bool running;
	struct measured *cores;
	struct interval last, *intervals;
	size_t nr_intervals;
	bool keeps_parts;
	struct core_snapshot *parts; /* of the first core */
	size_t nr_parts;
};

static const char *const quantity_names[] = {
#define NAME(name, shows) #name,
    CORE_QUANTITIES(NAME)
#undef NAME
};

static const char *const level_names[SIM_NO_LEVEL] = {
    [SIM_L1I] = "l1i", [SIM_L1D] = "l1d", [SIM_L2] = "l2", [SIM_L3] = "l3", [SIM_TLB] = "tlb",
};

struct stats *stats_new(struct core *const *cores, unsigned nr, const char *name)
{
	struct stats *stats = calloc(1, sizeof(*stats));

	if (!stats)
		return NULL;
	stats->name = name;
	stats->nr = nr;
	stats->cores = calloc(nr, sizeof(*stats->cores));
	if (!stats->cores) {
		free(stats);
		return NULL;
	}
	for (unsigned i = 0; i < nr; i++)
		stats->cores[i].core = cores[i];
	return stats;
}

void stats_free(struct stats *stats)
{
	if (!stats)
		return;
	free(stats->intervals);
	free(stats->parts);
	free(stats->cores);
	free(stats);
}

/* sum += end - begin, for a struct that is made of uint64_t. */
static void add_difference(void *sum, const void *begin, const void *end, size_t bytes)
{
	uint64_t *to = sum;
	const uint64_t *from = begin, *until = end;

	for (size_t i = 0; i < bytes / sizeof(*to); i++)
		to[i] += until[i] - from[i];
}

static void interval_now(struct stats *stats, struct interval *now)
{
	*now = (struct interval){{0}};
	for (unsigned i = 0; i < stats->nr; i++) {
		struct core_snapshot snapshot;

		core_snapshot(stats->cores[i].core, &snapshot);
		for (size_t q = 0; q < NR_INTERVAL; q++)
			for (unsigned ring = 0; ring < CORE_RINGS; ring++)
				now->counts[q] += snapshot.totals[ring][interval_quantities[q]];
	}
}

void stats_begin(struct stats *stats)
{
	if (stats->running)
		return;
	for (unsigned i = 0; i < stats->nr; i++) {
		core_snapshot(stats->cores[i].core, &stats->cores[i].begin);
		if (!stats->nr_intervals)
			core_forget_sites(stats->cores[i].core);
	}
	interval_now(stats, &stats->last);
	stats->running = true;
}

void stats_keep_parts(struct stats *stats)
{
	stats->keeps_parts = true;
}

static void keep_part(struct stats *stats, const struct core_snapshot *end)
{
	struct core_snapshot *more = realloc(stats->parts, (stats->nr_parts + 1) * sizeof(*more));

	if (!more)
		return;
	stats->parts = more;
	more += stats->nr_parts++;
	*more = (struct core_snapshot){0};
	add_difference(more, &stats->cores[0].begin, end, sizeof(*end));
}

void stats_pause(struct stats *stats)
{
	if (!stats->running)
		return;
	for (unsigned i = 0; i < stats->nr; i++) {
		struct measured *m = &stats->cores[i];
		struct core_snapshot end;

		core_snapshot(m->core, &end);
		add_difference(&m->sum, &m->begin, &end, sizeof(end));
		if (stats->keeps_parts && !i)
			keep_part(stats, &end);
	}
	stats->running = false;
}

void stats_interval(struct stats *stats)
{
	struct interval now, *more;

	if (!stats->running)
		return;
	more = realloc(stats->intervals, (stats->nr_intervals + 1) * sizeof(*more));
	if (!more)
		return;
	stats->intervals = more;
	more += stats->nr_intervals++;
	interval_now(stats, &now);
	*more = (struct interval){{0}};
	add_difference(more, &stats->last, &now, sizeof(now));
	stats->last = now;
}

/* ---- JSON ---- */

/* A quantity's name for users: "l1d-load-misses". */
static const char *shown(const char *name, char out[NAME_SIZE])
{
	size_t i;

	for (i = 0; i < NAME_SIZE - 1 && name[i]; i++)
		out[i] = name[i] == '_' ? '-' : (char)tolower((unsigned char)name[i]);
	out[i] = 0;
	return out;
}

static void write_string(FILE *file, const char *text)
{
	fputc('"', file);
	for (; *text; text++)
		if (*text == '"' || *text == '\\')
			fprintf(file, "\\%c", *text);
		else if ((unsigned char)*text >= ' ')
			fputc(*text, file);
	fputc('"', file);
}

/* Quantities of components are written by name, by write_components(). */
static void write_totals(FILE *file, const uint64_t *totals)
{
	char name[NAME_SIZE];

	for (unsigned q = CORE_NONE + 1; q < CORE_NR_QUANTITIES; q++)
		if (!CORE_IS_COMPONENT(q))
			fprintf(file, "%s\"%s\": %llu", q == CORE_NONE + 1 ? "" : ", ",
				shown(quantity_names[q], name), (unsigned long long)totals[q]);
}

static void write_prefetch(FILE *file, const struct prefetch_counts *counts)
{
	for (unsigned level = 0; level < SIM_NO_LEVEL; level++)
		fprintf(file,
			"%s\"%s\": {\"issued\": %llu, \"useful\": %llu, \"late\": %llu, "
			"\"useless\": %llu}",
			level ? ", " : "", level_names[level],
			(unsigned long long)counts[level].issued,
			(unsigned long long)counts[level].useful,
			(unsigned long long)counts[level].late,
			(unsigned long long)counts[level].useless);
}

static void write_components(FILE *file, const struct measured *m)
{
	struct component_instance *instances[OBSERVED_COMPONENTS];
	const char *places[OBSERVED_COMPONENTS];
	unsigned nr = core_components(m->core, instances, places);

	for (unsigned i = 0; i < nr; i++) {
		const struct sim_component *c = instances[i]->component;

		fprintf(file, "%s{\"place\": \"%s\", \"name\": ", i ? ", " : "", places[i]);
		write_string(file, instances[i]->use ? instances[i]->use->name : c->name);
		fputs(", \"statistics\": {", file);
		for (unsigned s = 0; c->statistics && c->statistics[s]; s++) {
			fputs(s ? ", " : "", file);
			write_string(file, c->statistics[s]);
			fprintf(file, ": %llu", (unsigned long long)m->sum.statistics[i][s]);
		}
		fputs("}}", file);
	}
}

/* The most mispredicted first; then by address, so that the order is one. */
static int by_mispredictions(const void *a, const void *b)
{
	const struct branch_site *x = a, *y = b;

	if (x->mispredicted != y->mispredicted)
		return x->mispredicted < y->mispredicted ? 1 : -1;
	return x->pc < y->pc ? -1 : 1;
}

static void write_branches(FILE *file, const struct core *core)
{
	static const char *const kinds[] = {"conditional", "jump",          "indirect jump",
					    "call",        "indirect call", "return"};
	size_t nr;
	struct branch_site *sites = core_branch_sites(core, &nr);

	if (!sites)
		return;
	qsort(sites, nr, sizeof(*sites), by_mispredictions);
	for (size_t i = 0; i < nr && i < WORST && sites[i].mispredicted; i++)
		fprintf(file,
			"%s\n    {\"pc\": \"0x%llx\", \"kind\": \"%s\", \"executed\": %llu, "
			"\"mispredicted\": %llu}",
			i ? "," : "", (unsigned long long)sites[i].pc, kinds[sites[i].kind],
			(unsigned long long)sites[i].executed,
			(unsigned long long)sites[i].mispredicted);
	free(sites);
}

static void write_sets(FILE *file, const struct core *core)
{
	bool any = false;

	for (enum sim_level level = SIM_L1I; level <= SIM_L3; level++) {
		uint32_t sets;
		const uint64_t *fills = core_set_fills(core, level, &sets);

		if (!fills)
			continue;
		fprintf(file, "%s\n    \"%s\": [", any ? "," : "", level_names[level]);
		for (uint32_t set = 0; set < sets; set++)
			fprintf(file, "%s%llu", set ? "," : "", (unsigned long long)fills[set]);
		fputc(']', file);
		any = true;
	}
}

static void write_dram(FILE *file, const struct dram_counts *c)
{
	fprintf(file,
		"\"reads\": %llu, \"writes\": %llu, \"row-hits\": %llu, \"rows-opened\": %llu, "
		"\"row-conflicts\": %llu, \"wait-cycles\": %llu",
		(unsigned long long)c->reads, (unsigned long long)c->writes,
		(unsigned long long)c->hits, (unsigned long long)c->closed,
		(unsigned long long)c->conflicts, (unsigned long long)c->waited);
}

static void write_counts(FILE *file, const struct core_snapshot *sum)
{
	fputs("\"user\": {", file);
	write_totals(file, sum->totals[CORE_RING_USER]);
	fputs("},\n   \"kernel\": {", file);
	write_totals(file, sum->totals[CORE_RING_KERNEL]);
	fputs("},\n   \"prefetch\": {", file);
	write_prefetch(file, sum->prefetch);
	fputs("},\n   \"dram\": {", file);
	write_dram(file, &sum->dram);
	fputs("}", file);
}

static void write_core(FILE *file, const struct measured *m)
{
	fputs("  {", file);
	write_counts(file, &m->sum);
	fputs(",\n   \"components\": [", file);
	write_components(file, m);
	fputs("],\n   \"branches\": [", file);
	write_branches(file, m->core);
	fputs("],\n   \"fills\": {", file);
	write_sets(file, m->core);
	fputs("}}", file);
}

static void write_parts(FILE *file, const struct stats *stats)
{
	fputs(",\n \"points\": [", file);
	for (size_t i = 0; i < stats->nr_parts; i++) {
		fprintf(file, "%s\n  {\"processors\": [{", i ? "," : "");
		write_counts(file, &stats->parts[i]);
		fputs("}]}", file);
	}
	fputs("]", file);
}

static void write_intervals(FILE *file, const struct stats *stats)
{
	char name[NAME_SIZE];

	for (size_t i = 0; i < stats->nr_intervals; i++) {
		fprintf(file, "%s\n  {", i ? "," : "");
		for (size_t q = 0; q < NR_INTERVAL; q++)
			fprintf(file, "%s\"%s\": %llu", q ? ", " : "",
				shown(quantity_names[interval_quantities[q]], name),
				(unsigned long long)stats->intervals[i].counts[q]);
		fputc('}', file);
	}
}

/* Each bin by its least distance. */
static void write_reuse(FILE *file, const struct reuse *reuse)
{
	const uint64_t *bins = reuse_bins(reuse);

	fputs(",\n \"reuse\": {", file);
	for (unsigned i = 0; i < REUSE_BINS; i++)
		if (bins[i])
			fprintf(file, "\"%llu\": %llu, ", i ? 1ull << (i - 1) : 0ull,
				(unsigned long long)bins[i]);
	fprintf(file, "\"first\": %llu}", (unsigned long long)reuse_first(reuse));
}

void stats_write(struct stats *stats, const struct reuse *reuse, FILE *file)
{
	fputs("{\"format\": 1,\n \"core\": ", file);
	write_string(file, stats->name);
	fputs(",\n \"processors\": [\n", file);
	for (unsigned i = 0; i < stats->nr; i++) {
		fputs(i ? ",\n" : "", file);
		write_core(file, &stats->cores[i]);
	}
	fputs("],\n \"intervals\": [", file);
	write_intervals(file, stats);
	fputs("]", file);
	if (stats->keeps_parts)
		write_parts(file, stats);
	if (reuse)
		write_reuse(file, reuse);
	fputs("}\n", file);
}

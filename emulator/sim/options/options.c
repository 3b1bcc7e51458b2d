/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that change a core: their parsers, and their table. */
#include <stdlib.h>
#include <string.h>

#include "emulator/sim/options/options.h"

struct choice {
	const char *name;
	uint32_t value;
};

/* Parses a decimal number within [min, max], followed by the character end. Returns -1
 * otherwise. */
static int number(const char **text, uint64_t min, uint64_t max, char end, uint64_t *out)
{
	char *after;

	if (**text < '0' || **text > '9')
		return -1;
	*out = strtoull(*text, &after, 10);
	if (after - *text > 10)
		return -1;
	if (*after == 'K' || *after == 'M') {
		*out <<= *after == 'K' ? 10 : 20;
		after++;
	}
	if (*after != end || *out < min || *out > max)
		return -1;
	*text = after + (end != 0);
	return 0;
}

static void store(struct core_config *config, const struct config_word *word, uint64_t value)
{
	memcpy((char *)config + word->offset, &value, word->bytes); /* little-endian */
}

static int set_number(struct core_config *config, const struct config_word *word, const char *value)
{
	uint64_t n;

	if (number(&value, word->min, word->max, 0, &n))
		return -1;
	store(config, word, n);
	return 0;
}

/* SIZE/WAYS; "none" where min is 0. */
static int set_cache(struct core_config *config, const struct config_word *word, const char *value)
{
	struct cache_config *cache = (void *)((char *)config + word->offset);
	uint64_t size, ways;

	if (!word->min && !strcmp(value, "none")) {
		cache->size = 0;
		return 0;
	}
	if (number(&value, CORE_LINE_SIZE, word->max, '/', &size) ||
	    number(&value, 1, 128, 0, &ways))
		return -1;
	cache->size = size;
	cache->ways = ways;
	return 0;
}

/* ENTRIES/WAYS, for pages of 4 KiB. */
static int set_tlb(struct core_config *config, const struct config_word *word, const char *value)
{
	struct tlb_config *tlb = (void *)((char *)config + word->offset);
	uint64_t entries, ways;

	if (!word->min && !strcmp(value, "none")) {
		*tlb = (struct tlb_config){0};
		return 0;
	}
	if (number(&value, 1, word->max, '/', &entries) || number(&value, 1, 128, 0, &ways))
		return -1;
	*tlb = (struct tlb_config){entries, ways};
	return 0;
}

static int set_tlbs_off(struct core_config *config, const struct config_word *word,
			const char *value)
{
	struct memory_config *m = &config->memory;

	(void)word;
	if (strcmp(value, "off"))
		return -1;
	m->itlb = m->dtlb = m->stlb = m->code_stlb = (struct tlbs_config){0};
	return 0;
}

static const struct choice *find_choice(const struct choice *choices, const char *name,
					size_t length)
{
	for (; choices->name; choices++)
		if (strlen(choices->name) == length && !memcmp(choices->name, name, length))
			return choices;
	return NULL;
}

static int set_prefetch(struct core_config *config, const struct config_word *word,
			const char *value)
{
	static const struct choice choices[] = {{"off", 0},
						{"on", PREFETCH_MSR | PREFETCH_CODE},
						{"streamer", PREFETCH_STREAMER},
						{"adjacent", PREFETCH_ADJACENT},
						{"next", PREFETCH_NEXT},
						{"stride", PREFETCH_STRIDE},
						{"code", PREFETCH_CODE},
						{NULL, 0}};
	uint32_t bits = 0;
	size_t length;

	for (;; value += length + 1) {
		const struct choice *choice;

		length = strcspn(value, "+");
		choice = find_choice(choices, value, length);
		if (!choice)
			return -1;
		bits |= choice->value;
		if (!value[length])
			break;
	}
	store(config, word, bits);
	return 0;
}

static int set_choice(struct core_config *config, const struct config_word *word,
		      const struct choice *choices, const char *value)
{
	const struct choice *choice = find_choice(choices, value, strlen(value));

	if (!choice)
		return -1;
	store(config, word, choice->value);
	return 0;
}

static int set_predictor(struct core_config *config, const struct config_word *word,
			 const char *value)
{
	static const struct choice choices[] = {{"bimodal", PREDICTOR_BIMODAL},
						{"gshare", PREDICTOR_GSHARE},
						{"tage", PREDICTOR_TAGE},
						{NULL, 0}};
	struct branch_config *branch = &config->branch;

	if (set_choice(config, word, choices, value))
		return -1;
	/* Default for a core without TAGE: a small one with 1024 entries in each table. */
	if (branch->kind == PREDICTOR_TAGE && !branch->tables) {
		branch->tables = 5;
		branch->tagged_log2 = 10;
		branch->history = 64;
	}
	if (branch->kind == PREDICTOR_GSHARE && branch->history > branch->direction_log2)
		branch->history = branch->direction_log2;
	return 0;
}

static int set_index(struct core_config *config, const struct config_word *word, const char *value)
{
	static const struct choice choices[] = {{"physical", 0}, {"virtual", 1}, {NULL, 0}};

	return set_choice(config, word, choices, value);
}

static int set_replacement(struct core_config *config, const struct config_word *word,
			   const char *value)
{
	static const struct choice choices[] = {
	    {"lru", REPLACE_LRU}, {"plru", REPLACE_PLRU}, {NULL, 0}};
	struct memory_config *m = &config->memory;

	if (set_choice(config, word, choices, value))
		return -1;
	m->l1i.replacement = m->l2.replacement = m->l3.replacement = m->l1d.replacement;
	return 0;
}

static int set_inclusion(struct core_config *config, const struct config_word *word,
			 const char *value)
{
	static const struct choice choices[] = {{"inclusive", INCLUSIVE},
						{"non-inclusive", NON_INCLUSIVE},
						{"exclusive", EXCLUSIVE},
						{NULL, 0}};

	return set_choice(config, word, choices, value);
}

#define AT(field)       offsetof(struct core_config, field), sizeof(((struct core_config *)0)->field)
#define CACHE           "SIZE/WAYS, as 32K/8"
#define CACHE_OR_NONE   CACHE ", or none"
#define TLB             "ENTRIES/WAYS, as 64/4"
#define RANGE(min, max) "a number from " #min " to " #max
#define NUMBER(name, field, min, max, shows)                                  \
	{                                                                     \
		name, RANGE(min, max), shows, set_number, AT(field), min, max \
	}

const struct config_word config_words[] = {
    {"l1i", CACHE, "first-level cache of instructions", set_cache, AT(memory.l1i), 1, 1 << 20},
    {"l1d", CACHE, "first-level cache of data", set_cache, AT(memory.l1d), 1, 1 << 20},
    {"l2", CACHE_OR_NONE, "second-level cache", set_cache, AT(memory.l2), 0, 64 << 20},
    {"l3", CACHE_OR_NONE, "third-level cache, of all processors", set_cache, AT(memory.l3), 0,
     1 << 30},
    NUMBER("l1d-latency", memory.l1d.latency, 1, 100, "cycles of a load from L1D"),
    NUMBER("l2-latency", memory.l2.latency, 1, 1000, "cycles of a load from L2"),
    NUMBER("l3-latency", memory.l3.latency, 1, 1000, "cycles of a load from L3"),
    NUMBER("memory-latency", memory.memory_latency, 1, 10000, "cycles of a load from memory"),
    NUMBER("hitm-latency", memory.hitm_latency, 1, 10000,
	   "cycles of a load of what another processor changed"),
    NUMBER("memory-gap", memory.memory_gap, 0, 1000, "cycles between two lines from memory"),
    NUMBER("fill-buffers", memory.fill_buffers, 0, 64, "lines of L1D in flight, 0: any number"),
    {"replacement", "lru or plru", "which line leaves, in all caches", set_replacement,
     AT(memory.l1d.replacement), 0, 0},
    {"l2-inclusion", "inclusive, non-inclusive or exclusive", "what L2 holds of L1", set_inclusion,
     AT(memory.l2.inclusion), 0, 0},
    {"l3-inclusion", "inclusive, non-inclusive or exclusive", "what L3 holds of L1 and L2",
     set_inclusion, AT(memory.l3.inclusion), 0, 0},
    {"index", "physical or virtual", "the addresses by which caches are indexed", set_index,
     AT(memory.virtual_index), 0, 0},
    {"prefetch", "on, off, or streamer, adjacent, next, stride, code, joined by +",
     "the prefetchers that run", set_prefetch, AT(memory.prefetchers), 0, 0},
    {"itlb", TLB, "first-level TLB of instructions, pages of 4K", set_tlb, AT(memory.itlb.page_4k),
     1, 4096},
    {"dtlb", TLB, "first-level TLB of data, pages of 4K", set_tlb, AT(memory.dtlb.page_4k), 1,
     4096},
    {"stlb", TLB ", or none", "second-level TLB, pages of 4K", set_tlb, AT(memory.stlb.page_4k), 0,
     16384},
    {"tlb", "off", "no TLBs at all: translation is free", set_tlbs_off, 0, 0, 0, 0},
    {"predictor", "bimodal, gshare, tage or a component", "how branches' directions are predicted",
     set_predictor, AT(branch.kind), 0, 0},
    NUMBER("history", branch.history, 0, 128, "branches that the predictor looks at"),
    {"btb", TLB, "branch target buffer", set_tlb, AT(branch.btb_entries), 1, 65535},
    NUMBER("return-stack", branch.return_stack, 1, 1024, "entries of the return stack"),
    NUMBER("width", pipe.width, 1, 8, "instructions a cycle into the window"),
    NUMBER("rob", pipe.rob, 16, 1024, "instructions in the window"),
    NUMBER("turn", turn, 0, 5000,
	   "instructions of a processor's turn while processors share lines, 0: as without"),
    NUMBER("backlog", backlog, 0, 1000000000,
	   "bytes for what happens before somebody counts, 0: it is simulated at once"),
    NUMBER("mispredict", pipe.mispredict, 1, 100, "cycles that a misprediction costs"),
};

const size_t config_word_count = sizeof(config_words) / sizeof(config_words[0]);

_Static_assert(offsetof(struct branch_config, btb_ways) ==
		   offsetof(struct branch_config, btb_entries) + offsetof(struct tlb_config, ways),
	       "the BTB is read as a TLB is");

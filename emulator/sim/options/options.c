/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that change a core: their parsers, and their table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/sim/options/options.h"
#include "emulator/sim/pipeline/compile.h"

enum {
	COUNTERS_ALONE = 16
}; /* log2 of the counters of bimodal and gshare in place of TAGE: 16 KiB */

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

int config_set_number(struct core_config *config, const struct config_word *word, const char *value)
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
int config_set_tlb(struct core_config *config, const struct config_word *word, const char *value)
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

int config_set_latency(struct core_config *config, const struct config_word *word,
		       const char *value)
{
	uint64_t n;

	if (number(&value, word->min, word->max, 0, &n))
		return -1;
	store(config, word, n + 1); /* 0: the table's */
	return 0;
}

int config_set_ports(struct core_config *config, const struct config_word *word, const char *value)
{
	uint64_t ports = 0, port;

	for (bool more = strcmp(value, "none"); more; ports |= 1ULL << port) {
		more = strchr(value, '+');
		if (number(&value, word->min, word->max, more ? '+' : 0, &port))
			return -1;
	}
	store(config, word, ports);
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

static const struct choice prefetch_choices[] = {{"off", 0},
						 {"on", PREFETCH_MSR | PREFETCH_CODE},
						 {"streamer", PREFETCH_STREAMER},
						 {"adjacent", PREFETCH_ADJACENT},
						 {"next", PREFETCH_NEXT},
						 {"stride", PREFETCH_STRIDE},
						 {"code", PREFETCH_CODE},
						 {NULL, 0}};
static const struct choice predictor_choices[] = {{"bimodal", PREDICTOR_BIMODAL},
						  {"gshare", PREDICTOR_GSHARE},
						  {"tage", PREDICTOR_TAGE},
						  {NULL, 0}};
static const struct choice index_choices[] = {{"physical", 0}, {"virtual", 1}, {NULL, 0}};
static const struct choice kernel_choices[] = {{"on", 0}, {"off", 1}, {NULL, 0}};
static const struct choice detail_choices[] = {{"auto", DETAIL_AUTO},
					       {"functional", DETAIL_FUNCTIONAL},
					       {"pipeline", DETAIL_PIPELINE},
					       {NULL, 0}};
static const struct choice replacement_choices[] = {
    {"lru", REPLACE_LRU}, {"plru", REPLACE_PLRU}, {NULL, 0}};
static const struct choice inclusion_choices[] = {{"inclusive", INCLUSIVE},
						  {"non-inclusive", NON_INCLUSIVE},
						  {"exclusive", EXCLUSIVE},
						  {NULL, 0}};

static int set_prefetch(struct core_config *config, const struct config_word *word,
			const char *value)
{
	const struct choice *choices = prefetch_choices;
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
	struct branch_config *branch = &config->branch;
	bool was_tage = branch->kind == PREDICTOR_TAGE;

	if (set_choice(config, word, predictor_choices, value))
		return -1;
	/* The counters of a core with TAGE are the smaller part of its predictor: counters alone
	 * get about the room of the whole. */
	if (was_tage && branch->kind != PREDICTOR_TAGE && branch->direction_log2 < COUNTERS_ALONE)
		branch->direction_log2 = COUNTERS_ALONE;
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
	return set_choice(config, word, index_choices, value);
}

static int set_kernel(struct core_config *config, const struct config_word *word, const char *value)
{
	return set_choice(config, word, kernel_choices, value);
}

static int set_detail(struct core_config *config, const struct config_word *word, const char *value)
{
	return set_choice(config, word, detail_choices, value);
}

static int set_replacement(struct core_config *config, const struct config_word *word,
			   const char *value)
{
	struct memory_config *m = &config->memory;

	if (set_choice(config, word, replacement_choices, value))
		return -1;
	m->l1i.replacement = m->l2.replacement = m->l3.replacement = m->l1d.replacement;
	return 0;
}

static int set_inclusion(struct core_config *config, const struct config_word *word,
			 const char *value)
{
	return set_choice(config, word, inclusion_choices, value);
}

#define AT(field)       offsetof(struct core_config, field), sizeof(((struct core_config *)0)->field)
#define CACHE           "SIZE/WAYS, as 32K/8"
#define CACHE_OR_NONE   CACHE ", or none"
#define TLB             "ENTRIES/WAYS, as 64/4"
#define RANGE(min, max) "a number from " #min " to " #max
#define NUMBER(name, field, min, max, shows)                                         \
	{                                                                            \
		name, RANGE(min, max), shows, config_set_number, AT(field), min, max \
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
    NUMBER("memory-latency", memory.memory_latency, 1, 8000, "cycles of a load from memory"),
    NUMBER("hitm-latency", memory.hitm_latency, 1, 8000,
	   "cycles of a load of what another processor changed"),
    NUMBER("memory-gap", memory.memory_gap, 0, 1000, "cycles between two lines from memory"),
    NUMBER("l2-gap", memory.l2_gap, 0, 100, "cycles between two lines from L2 to L1, 0: no limit"),
    NUMBER("l3-gap", memory.l3_gap, 0, 100, "cycles between two lines from L3 to L2, 0: no limit"),
    NUMBER("fill-buffers", memory.fill_buffers, 0, 64, "lines of L1D in flight, 0: any number"),
    {"replacement", "lru or plru", "which line leaves, in all caches", set_replacement,
     AT(memory.l1d.replacement), 0, 0},
    {"l2-inclusion", "inclusive, non-inclusive or exclusive", "what L2 holds of L1", set_inclusion,
     AT(memory.l2.inclusion), 0, 0},
    {"l3-inclusion", "inclusive, non-inclusive or exclusive", "what L3 holds of L1 and L2",
     set_inclusion, AT(memory.l3.inclusion), 0, 0},
    {"index", "physical or virtual", "the addresses by which caches are indexed", set_index,
     AT(memory.virtual_index), 0, 0},
    {"kernel", "on or off", "whether the kernel's accesses go through caches and TLBs", set_kernel,
     AT(memory.no_kernel), 0, 0},
    {"prefetch", "on, off, or streamer, adjacent, next, stride, code, joined by +",
     "the prefetchers that run", set_prefetch, AT(memory.prefetchers), 0, 0},
    {"itlb", TLB, "first-level TLB of instructions, pages of 4K", config_set_tlb,
     AT(memory.itlb.page_4k), 1, 4096},
    {"dtlb", TLB, "first-level TLB of data, pages of 4K", config_set_tlb, AT(memory.dtlb.page_4k),
     1, 4096},
    {"stlb", TLB ", or none", "second-level TLB, pages of 4K", config_set_tlb,
     AT(memory.stlb.page_4k), 0, 16384},
    {"tlb", "off", "no TLBs at all: translation is free", set_tlbs_off, 0, 0, 0, 0},
    {"predictor", "bimodal, gshare, tage or a component", "how branches' directions are predicted",
     set_predictor, AT(branch.kind), 0, 0},
    NUMBER("history", branch.history, 0, 128, "branches that the predictor looks at"),
    {"btb", TLB, "branch target buffer", config_set_tlb, AT(branch.btb_entries), 1, 65535},
    NUMBER("return-stack", branch.return_stack, 1, 1024, "entries of the return stack"),
    NUMBER("width", pipe.width, 1, 8, "instructions a cycle into the window"),
    NUMBER("rob", pipe.rob, 16, 1024, "instructions in the window"),
    NUMBER("turn", turn, 0, 5000,
	   "instructions of a processor's turn while processors share lines, 0: as without"),
    NUMBER("backlog", replay, 0, 1000000000,
	   "bytes of the log of uncounted work, 0: it is simulated at once"),
    {"detail", "auto, functional or pipeline",
     "what the pipeline simulates: windows of a long run, nothing, or all", set_detail, AT(detail),
     0, 0},
    NUMBER("mispredict", pipe.mispredict, 1, 100, "cycles that a misprediction costs"),
};

const size_t config_word_count = sizeof(config_words) / sizeof(config_words[0]);

const struct config_word *config_word_at(size_t index)
{
	if (index < config_word_count)
		return &config_words[index];
	index -= config_word_count;
	return index < config_field_count ? &config_fields[index] : NULL;
}

const struct config_word *config_word_find(const char *name)
{
	for (size_t i = 0; config_word_at(i); i++)
		if (!strcmp(config_word_at(i)->name, name))
			return config_word_at(i);
	return NULL;
}

/* ---- showing ---- */

static uint64_t stored(const struct core_config *config, const struct config_word *word)
{
	uint64_t value = 0;

	memcpy(&value, (const char *)config + word->offset, word->bytes); /* little-endian */
	return value;
}

static bool show_pair(uint64_t a, uint64_t b, bool kib, char *out, size_t size)
{
	if (!a)
		snprintf(out, size, "none");
	else
		snprintf(out, size, kib && a % 1024 == 0 ? "%lluK/%llu" : "%llu/%llu",
			 (unsigned long long)(kib && a % 1024 == 0 ? a / 1024 : a),
			 (unsigned long long)b);
	return true;
}

static bool show_choice(const struct choice *choices, uint64_t value, char *out, size_t size)
{
	for (; choices->name; choices++)
		if (choices->value == value)
			snprintf(out, size, "%s", choices->name);
	return true;
}

/* Bits by name, or by number if choices is NULL, joined by +. */
static bool show_bits(const struct choice *choices, uint64_t bits, const char *none, char *out,
		      size_t size)
{
	size_t have = (size_t)snprintf(out, size, "%s", bits ? "" : none);

	for (unsigned bit = 0; choices && choices->name; choices++, bit++)
		if (choices->value && (choices->value & (choices->value - 1)) == 0 &&
		    bits & choices->value && have < size)
			have += (size_t)snprintf(out + have, size - have, "%s%s", have ? "+" : "",
						 choices->name);
	for (unsigned bit = 0; !choices && bit < PIPE_PORTS_MAX; bit++)
		if (bits >> bit & 1 && have < size)
			have +=
			    (size_t)snprintf(out + have, size - have, "%s%u", have ? "+" : "", bit);
	return true;
}

/* One word for four caches. */
static bool show_replacement(const struct core_config *config, char *out, size_t size)
{
	const struct memory_config *m = &config->memory;

	return m->l1i.replacement == m->l1d.replacement &&
	       (!m->l2.size || m->l2.replacement == m->l1d.replacement) &&
	       (!m->l3.size || m->l3.replacement == m->l1d.replacement) &&
	       show_choice(replacement_choices, m->l1d.replacement, out, size);
}

bool config_word_show(const struct core_config *config, const struct config_word *word, char *out,
		      size_t size)
{
	const void *at = (const char *)config + word->offset;
	const struct cache_config *cache = at;
	const struct tlb_config *tlb = at;
	uint64_t value = word->bytes <= sizeof(value) ? stored(config, word) : 0;

	if (word->set == set_cache)
		return show_pair(cache->size, cache->ways, true, out, size);
	if (word->set == config_set_tlb && !tlb->entries && word->min)
		return false; /* no TLBs at all */
	if (word->set == config_set_tlb)
		return show_pair(tlb->entries, tlb->ways, false, out, size);
	if (word->set == set_prefetch)
		return show_bits(prefetch_choices, value, "off", out, size);
	if (word->set == config_set_ports)
		return show_bits(NULL, value, "none", out, size);
	if (word->set == set_predictor)
		return show_choice(predictor_choices, value, out, size);
	if (word->set == set_index)
		return show_choice(index_choices, value, out, size);
	if (word->set == set_kernel)
		return show_choice(kernel_choices, value, out, size);
	if (word->set == set_detail)
		return show_choice(detail_choices, value, out, size);
	if (word->set == set_inclusion)
		return show_choice(inclusion_choices, value, out, size);
	if (word->set == set_replacement)
		return show_replacement(config, out, size);
	if (word->set == set_tlbs_off)
		return false;
	if (word->set == config_set_latency)
		value =
		    value ? value - 1
			  : pipe_latency(&config->pipe, (enum insn_class)(((const uint16_t *)at) -
									  config->pipe.latencies));
	if (word->set == config_set_number && value < word->min)
		return false; /* of a level that the core has not */
	snprintf(out, size, "%llu", (unsigned long long)value);
	return true;
}

_Static_assert(offsetof(struct branch_config, btb_ways) ==
		   offsetof(struct branch_config, btb_entries) + offsetof(struct tlb_config, ways),
	       "the BTB is read as a TLB is");

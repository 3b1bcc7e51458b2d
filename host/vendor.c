/* SPDX-License-Identifier: BSD-2-Clause */
/* Events by the names of the vendors' documents. Their table is libpfm4's, if that is installed:
 * it is loaded when a name is not one of perf's generic ones. */
#include "host/vendor.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "abi/visor_cpuid.h"
#include "apps/lib/closest.h"
#include "apps/lib/event/event.h"
#include "apps/lib/json.h"
#include "emulator/visor/model/base/events.h"
#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/model/model.h"
#include "host/core.h"
#include "host/lib/report.h"
#include "host/lib/text.h"

#if __has_include(<perfmon/pfmlib.h>)
#include <perfmon/pfmlib.h>

#define LIBRARY "libpfm.so.4"

/* Bits of an event's code that the kernel sets: rings, interrupt and enable. */
#define NOT_OF_EVENT 0x00530000ull

static struct {
	pfm_err_t (*initialize)(void);
	pfm_err_t (*encode)(const char *, int, pfm_os_t, void *);
	pfm_err_t (*pmu_info)(pfm_pmu_t, pfm_pmu_info_t *);
	pfm_err_t (*event_info)(int, pfm_os_t, pfm_event_info_t *);
	int (*event_next)(int);
	pfm_err_t (*attribute_info)(int, int, pfm_os_t, pfm_event_attr_info_t *);
} library;

static bool vendor_take(void *handle, const char *name, void *function)
{
	void *found = dlsym(handle, name);

	memcpy(function, &found, sizeof(found));
	return found;
}

static bool load(void)
{
	static int loaded; /* 1: yes, -1: it is not there */
	void *handle;

	if (loaded)
		return loaded > 0;
	loaded = -1;
	handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!handle || !vendor_take(handle, "pfm_initialize", &library.initialize) ||
	    !vendor_take(handle, "pfm_get_os_event_encoding", &library.encode) ||
	    !vendor_take(handle, "pfm_get_pmu_info", &library.pmu_info) ||
	    !vendor_take(handle, "pfm_get_event_info", &library.event_info) ||
	    !vendor_take(handle, "pfm_get_event_next", &library.event_next) ||
	    !vendor_take(handle, "pfm_get_event_attr_info", &library.attribute_info))
		return false;
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1); /* include other processors' events */
	if (library.initialize() == PFM_SUCCESS)
		loaded = 1;
	return loaded > 0;
}

static bool library_has(const char *name)
{
	pfm_pmu_info_t pmu = {.size = sizeof(pmu)};

	for (int i = 0; i < PFM_PMU_MAX; i++)
		if (!library.pmu_info((pfm_pmu_t)i, &pmu) && !strcmp(pmu.name, name))
			return true;
	return false;
}

/* Returns libpfm4's name for the PMU; NULL: it has none, or must detect it (host). libpfm4 is
 * loaded. */
static const char *library_pmu(const char *pmu)
{
	const struct personality *own = personality_find(pmu);

	if (!own)
		return NULL;
	return !own->library_instead || library_has(own->library) ? own->library
								  : own->library_instead;
}

/* True when the PMU has an event of this code: some have only the architectural ones. */
static bool has_code(const char *pmu, uint64_t code)
{
	const struct personality *own = personality_find(pmu);
	static const uint16_t architectural[] = {0x003c, 0x00c0, 0x013c, 0x4f2e,
						 0x412e, 0x00c4, 0x00c5};

	if (!own || own->events != EVENTS_ARCH)
		return true;
	for (size_t i = 0; i < sizeof(architectural) / sizeof(architectural[0]); i++)
		if ((code & ~NOT_OF_EVENT) == architectural[i])
			return true;
	return false;
}

/* Finds the code in the emulated PMU's own table, where libpfm4's is wrong (TOPDOWN.BAD_SPEC_SLOTS
 * of Sapphire Rapids is its TOPDOWN.SLOTS). */
static bool own_code(const char *pmu, const char *name, uint64_t *code)
{
	const struct personality *own = personality_find(pmu);
	const char *row;
	unsigned index = 0;

	while (own && (row = event_name_at(own, &index, code)))
		if (!strcasecmp(row, name))
			return true;
	return false;
}

/* A fixed counter's code of libpfm4 that Linux does not know: the event that it also counts. */
#define FIXED_CYCLES 0x0200
#define CYCLES       0x003c

/* Puts right what libpfm4 has found. */
static void correct(const char *pmu, const char *name, pfm_pmu_encode_arg_t *arg)
{
	uint64_t code, rings = arg->codes[0] & NOT_OF_EVENT;

	if (own_code(pmu, name, &code))
		arg->codes[0] = code | rings;
	else if ((arg->codes[0] & ~NOT_OF_EVENT) == FIXED_CYCLES)
		arg->codes[0] = CYCLES | rings;
}

/* Sets *arg, whose codes the caller frees; false when there is no such event. */
static bool encode(const char *pmu, const char *name, pfm_pmu_encode_arg_t *arg)
{
	const char *theirs = library_pmu(pmu);
	char *full_name = theirs ? format_text("%s::%s", theirs, name) : format_text("%s", name);
	bool found =
	    library.encode(full_name, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, arg) == PFM_SUCCESS;

	free(full_name);
	if (found)
		correct(pmu, name, arg);
	if (found && has_code(pmu, arg->codes[0]))
		return true;
	if (found)
		free(arg->codes);
	return false;
}

/* Returns the codes as perf's terms, which the caller frees. */
static char *terms_of(const pfm_pmu_encode_arg_t *arg)
{
	unsigned long long code = arg->codes[0] & ~NOT_OF_EVENT;

	if (arg->count > 1)
		return format_text("config=%#llx,config1=%#llx", code,
				   (unsigned long long)arg->codes[1]);
	return format_text("config=%#llx", code);
}

/* Returns the event in perf's syntax, which the caller frees; NULL: unknown. */
static char *vendor_event(const char *pmu, const char *name, const char *modifiers)
{
	pfm_pmu_encode_arg_t arg = {.size = sizeof(arg)};
	char *terms, *made = NULL;

	if (!load() || (!library_pmu(pmu) && strcmp(pmu, "host")))
		return NULL;
	if (encode(pmu, name, &arg)) {
		terms = terms_of(&arg);
		made = format_text("cpu/%s,name=%s%s%s/%s", terms, name, *modifiers ? ":" : "",
				   modifiers, modifiers);
		free(terms);
		free(arg.codes);
	}
	return made;
}

/* Called for each name with its description. */
typedef void name_fn(void *data, const char *name, const char *description);

/* Calls `offer` for the event, or for each of its unit masks. */
static void each_kind(const pfm_event_info_t *event, name_fn *offer, void *data)
{
	pfm_event_attr_info_t attribute = {.size = sizeof(attribute)};
	int names = 0;

	for (int i = 0; i < event->nattrs; i++) {
		char *name, *description;

		if (library.attribute_info(event->idx, i, PFM_OS_NONE, &attribute) ||
		    attribute.type != PFM_ATTR_UMASK || attribute.equiv)
			continue;
		names++;
		name = format_text("%s.%s", event->name, attribute.name);
		description = format_text("%s: %s", event->desc, attribute.desc);
		offer(data, name, description);
		free(name);
		free(description);
	}
	if (!names)
		offer(data, event->name, event->desc);
}

/* Calls `offer` for all names of a PMU of libpfm4. Returns the number of its events. */
static int each_name(const char *theirs, name_fn *offer, void *data)
{
	pfm_pmu_info_t pmu = {.size = sizeof(pmu)};
	pfm_event_info_t event = {.size = sizeof(event)};

	for (int i = 0; i < PFM_PMU_MAX; i++) {
		if (library.pmu_info((pfm_pmu_t)i, &pmu) || strcmp(pmu.name, theirs))
			continue;
		for (int e = pmu.first_event; e != -1; e = library.event_next(e))
			if (!library.event_info(e, PFM_OS_NONE, &event) && !event.equiv)
				each_kind(&event, offer, data);
		return pmu.nevents;
	}
	return 0;
}

/* Copies what the search keeps. */
static void offer(void *data, const char *name, const char *description)
{
	struct closest *search = data;
	const char *before = search->best;

	(void)description;
	closest_offer(search, name);
	if (search->best != before)
		search->best = format_text("%s", name);
}

static void offer_vendor_events(struct closest *search, const char *pmu)
{
	const char *theirs = load() ? library_pmu(pmu) : NULL;

	if (theirs)
		each_name(theirs, offer, search);
}

/* ---- the list ---- */

static bool matches(char **words, const char *name, const char *description)
{
	if (!*words)
		return false;
	for (; *words; words++)
		if (!strcmp(*words, "vendor") || strcasestr(name, *words) ||
		    (description && strcasestr(description, *words)))
			return true;
	return false;
}

#define FIXED_CODE   0x00ff /* its event is 0: the unit mask says which fixed counter's */
#define FIXED_NUMBER 0xff00

/* Returns where the emulated PMU's counts of these codes come from, VISOR_COUNTS_*. */
static uint8_t source_of(const struct personality *personality, bool core, const uint64_t *codes,
			 int nr)
{
	uint64_t code = codes[0] & ~NOT_OF_EVENT, response = nr > 1 ? codes[1] : 0;
	const uint64_t offcore[] = {response, response};
	unsigned fixed = (code & FIXED_NUMBER) >> 8;

	if (!(code & FIXED_CODE) && fixed)
		return fixed <= personality->fixed ? event_meaning_fixed(fixed - 1, core).source
						   : VISOR_COUNTS_NOTHING;
	return event_meaning(personality, code, offcore, core).source;
}

/* The subject of the list. */
struct listing {
	const char *pmu;
	const struct personality *personality; /* NULL: not emulated */
	bool core, json;
	char **words;
	int shown, empty; /* names, and how many of them count nothing */
};

static void show_json(const char *name, const char *description, uint8_t source,
		      const pfm_pmu_encode_arg_t *arg)
{
	static const char *const classes[] = {
	    [VISOR_COUNTS_UNKNOWN] = "hardware",    [VISOR_COUNTS_NOTHING] = "not counted",
	    [VISOR_COUNTS_SHARE] = "share",         [VISOR_COUNTS_ESTIMATED] = "estimated",
	    [VISOR_COUNTS_SIMULATED] = "simulated", [VISOR_COUNTS_EXACT] = "exact",
	};

	char *terms = terms_of(arg), *encoding = format_text("cpu/%s/", terms);

	putchar('{');
	json_first(stdout, "kind", "event");
	json_text(stdout, "type", "Vendor's event");
	json_text(stdout, "name", name);
	if (description)
		json_text(stdout, "description", description);
	json_text(stdout, "encoding", encoding);
	json_text(stdout, "class", classes[source]);
	puts("}");
	free(encoding);
	free(terms);
}

static void show_text(const char *name, const char *description, uint8_t source)
{
	printf("  %-50s [Vendor's event%s]\n", name,
	       source == VISOR_COUNTS_NOTHING ? ", counts nothing here" : "");
	if (description)
		printf("       [%s]\n", description);
}

/* Prints the name if it is an event's, and matches. */
static void show(void *data, const char *name, const char *description)
{
	struct listing *listing = data;
	pfm_pmu_encode_arg_t arg = {.size = sizeof(arg)};
	uint8_t source = VISOR_COUNTS_UNKNOWN;

	if (!matches(listing->words, name, description) || !encode(listing->pmu, name, &arg))
		return;
	if (listing->personality)
		source = source_of(listing->personality, listing->core, arg.codes, arg.count);
	if (listing->json)
		show_json(name, description, source, &arg);
	else
		show_text(name, description, source);
	free(arg.codes);
	listing->shown++;
	listing->empty += source == VISOR_COUNTS_NOTHING;
}

static void print_totals(const struct listing *listing, int events)
{
	if (*listing->words)
		printf("%d events of the vendor, %d of them count nothing here\n", listing->shown,
		       listing->empty);
	else
		printf("and %d of the vendor, each with its kinds: `barepmu list vendor`, or `list "
		       "WORD`\n",
		       events);
}

void list_vendor_events(const struct options *options, bool json)
{
	static char *all[] = {"vendor", NULL};
	const char *theirs = load() ? library_pmu(options->pmu) : NULL;
	int events;
	struct listing listing = {.pmu = options->pmu,
				  .personality = personality_find(options->pmu),
				  .core = core_is_used(options),
				  .json = json,
				  .words = json && !*options->filter ? all : options->filter};

	if (!load() || !theirs) {
		if (*options->filter && !load() && !json)
			printf("(no vendor's names: libpfm4 is not installed)\n");
		return;
	}
	events = each_name(theirs, show, &listing);
	if (!json)
		print_totals(&listing, events);
}

#else

static void offer_vendor_events(struct closest *search, const char *pmu)
{
	(void)search;
	(void)pmu;
}

static char *vendor_event(const char *pmu, const char *name, const char *modifiers)
{
	(void)pmu;
	(void)name;
	(void)modifiers;
	return NULL;
}

void list_vendor_events(const struct options *options, bool json)
{
	(void)json;
	(void)options;
}

#endif

/* ---- of the command line ---- */

/* Returns the modifiers of an event without slashes: the text after its last colon, if all of it is
 * modifiers. */
static const char *modifiers_of(const char *item)
{
	const char *colon = strrchr(item, ':');

	return colon && colon[1] && !colon[1 + strspn(colon + 1, "ukhpPDeIGHSW")]
		   ? colon
		   : item + strlen(item);
}

/* Reports a name that neither perf nor the vendor has, with the closest ones. */
static _Noreturn void unknown_event(const char *pmu, const char *name)
{
	const char *generic = event_closest(name);
	struct closest search = {.word = name};

	if (generic)
		closest_offer(&search, generic);
	offer_vendor_events(&search, pmu);
	if (search.best)
		die(STATUS_OURS, "unknown event '%s': did you mean '%s'?", name, search.best);
	die(STATUS_OURS, "unknown event '%s': `list` shows the events that there are", name);
}

/* Resolves one event of a list: unchanged, or to its code. */
static void resolve_one(struct buffer *to, const char *pmu, const char *item, size_t length)
{
	static struct event_list list;
	char error[EVENT_ERROR_SIZE], *copy = format_text("%.*s", (int)length, item), *made = NULL;
	const char *modifiers = modifiers_of(copy);

	list.nr = 0;
	if (length && !strchr(copy, '/') && event_parse(&list, copy, error)) {
		char *name = format_text("%.*s", (int)(modifiers - copy), copy);

		made = vendor_event(pmu, name, *modifiers ? modifiers + 1 : "");
		if (!made && !strncmp(error, "unknown event", 13))
			unknown_event(pmu, name);
		free(name);
	}
	buffer_append(to, made ? made : copy, strlen(made ? made : copy));
	free(made);
	free(copy);
}

/* Resolves all events of a list: the text between commas and braces, outside of slashes. */
static char *resolve_list(const char *pmu, const char *text)
{
	struct buffer to = {NULL, 0, 0};

	while (1) {
		size_t length = 0;
		bool in_terms = false;

		while (text[length] && (in_terms || !strchr("{},", text[length]))) {
			in_terms ^= text[length] == '/';
			length++;
		}
		if (*text == ':') /* a group's modifiers */
			buffer_append(&to, text, length);
		else
			resolve_one(&to, pmu, text, length);
		text += length;
		buffer_append(&to, text, 1);
		if (!*text++)
			return (char *)to.bytes;
	}
}

/* Resolves and checks a list of the command line, for the program in the image. */
static char *resolve_checked(const char *pmu, const char *text)
{
	static struct event_list list;
	char error[EVENT_ERROR_SIZE], *resolved = resolve_list(pmu, text);

	list.nr = 0;
	if (event_parse(&list, resolved, error))
		die(STATUS_OURS, "%s", error);
	return resolved;
}

void resolve_events(struct options *options)
{
	static const char bench[] = "--events=";

	for (int i = 0; i < options->pass.nr; i++) {
		const char *word = options->pass.word[i];

		if (!strcmp(word, "-e") && i + 1 < options->pass.nr) {
			i++;
			options->pass.word[i] =
			    resolve_checked(options->pmu, options->pass.word[i]);
		} else if (!strncmp(word, bench, strlen(bench))) {
			options->pass.word[i] = format_text(
			    "%s%s", bench, resolve_checked(options->pmu, word + strlen(bench)));
		}
	}
}

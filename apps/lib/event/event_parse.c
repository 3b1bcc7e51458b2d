/* SPDX-License-Identifier: BSD-2-Clause */
/* perf's event syntax (perf-list(1), "EVENT MODIFIERS" and "RAW HARDWARE EVENT DESCRIPTOR"). */
#include "apps/lib/event/event.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/lib/event/pmu_files.h"

/* A field of the core PMU's event select: the place of `cpu/TERM=VALUE/` if sysfs has no format for
 * it (Intel SDM vol. 3, IA32_PERFEVTSELx). */
struct format_term {
	const char *name;
	unsigned char low, bits; /* in attr.config */
};

static const struct format_term format_terms[] = {
    {"event", 0, 8}, {"umask", 8, 8}, {"edge", 18, 1},  {"pc", 19, 1},
    {"any", 21, 1},  {"inv", 23, 1},  {"cmask", 24, 8}, {"config", 0, 64},
};

static int fail(char *error, const char *format, const char *text)
{
	snprintf(error, EVENT_ERROR_SIZE, format, text);
	return -1;
}

/* Parses a whole string as a number. False: it is not one. */
static bool number(const char *text, int base, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, base);
	return isxdigit((unsigned char)*text) && !*end && !errno;
}

static int unknown_event(const char *name, char *error)
{
	const char *closest = event_closest(name);

	if (closest)
		snprintf(error, EVENT_ERROR_SIZE, "unknown event '%.64s': did you mean '%s'?", name,
			 closest);
	else
		fail(error, "unknown event '%.64s': `list` shows the events that there are", name);
	return -1;
}

/* Places the term by the table above. */
static enum pmu_placed place_by_table(const char *term, uint64_t value, uint64_t *config)
{
	for (size_t i = 0; i < sizeof(format_terms) / sizeof(format_terms[0]); i++) {
		const struct format_term *f = &format_terms[i];

		if (strcmp(term, f->name))
			continue;
		if (f->bits < 64 && value >> f->bits)
			return PMU_TOO_LARGE;
		*config |= value << f->low;
		return PMU_PLACED;
	}
	return PMU_NO_TERM;
}

static int place(struct event *event, const char *pmu, const char *term, uint64_t value,
		 char *error)
{
	enum pmu_placed placed = pmu_place(pmu, term, value, &event->attr);

	if (placed == PMU_NO_TERM)
		placed = place_by_table(term, value, (uint64_t *)&event->attr.config);
	if (placed == PMU_TOO_LARGE)
		return fail(error, "the value of '%.64s' is too large", term);
	if (placed == PMU_PLACED)
		return 0;
	return fail(
	    error,
	    "unknown term '%.64s' in cpu/.../: event, umask, edge, pc, any, inv, cmask, config, "
	    "config1, config2, name or an event's name",
	    term);
}

static int parse_terms(struct event *event, const char *pmu, char *terms, char *error);

/* Looks up a generic event, for this PMU: on hybrid machines config[63:32] has its number. */
static bool lookup_generic(const char *pmu, const char *name, struct perf_event_attr *attr)
{
	struct perf_event_attr generic = *attr;
	uint32_t type;

	if (strncmp(pmu, "cpu", 3) || !event_lookup(name, &generic))
		return false;
	if (strcmp(pmu, "cpu")) {
		if (generic.type != PERF_TYPE_HARDWARE && generic.type != PERF_TYPE_HW_CACHE)
			return false;
		if (pmu_type(pmu, &type))
			generic.config |= (uint64_t)type << EVENT_PMU_SHIFT;
	}
	*attr = generic;
	return true;
}

/* Looks up a plain name: a generic event, or one of the PMU's own. False: neither. */
static bool lookup_in(const char *pmu, const char *name, struct event *event, char *error)
{
	char terms[PMU_TERMS_SIZE];

	if (lookup_generic(pmu, name, &event->attr))
		return true;
	if (!pmu_event(pmu, name, terms) || parse_terms(event, pmu, terms, error))
		return false;
	pmu_event_unit(pmu, name, event->unit, &event->scale);
	return true;
}

/* Parses one `name=value`, or `name` alone, of pmu/.../. */
static int parse_term(struct event *event, const char *pmu, char *term, char *error)
{
	struct perf_event_attr *attr = &event->attr;
	char *value_text = strchr(term, '=');
	uint64_t value = 1;

	if (value_text)
		*value_text++ = '\0';
	else if (lookup_in(pmu, term, event, error))
		return 0;
	if (value_text && !strcmp(term, "name")) {
		snprintf(event->name, sizeof(event->name), "%s", value_text);
		return 0;
	}
	if (value_text && !number(value_text, 0, &value))
		return fail(error, "'%.64s' is not a number", value_text);
	if (!strcmp(term, "config1")) {
		attr->config1 = value;
		return 0;
	}
	if (!strcmp(term, "config2")) {
		attr->config2 = value;
		return 0;
	}
	return place(event, pmu, term, value, error);
}

/* Parses the terms between the slashes of pmu/.../, and overwrites `terms`. */
static int parse_terms(struct event *event, const char *pmu, char *terms, char *error)
{
	char *save = NULL;

	if (!pmu_type(pmu, &event->attr.type))
		event->attr.type = PERF_TYPE_RAW;
	event->on_cpu = pmu_first_cpu(pmu) + 1;
	for (char *term = strtok_r(terms, ",", &save); term; term = strtok_r(NULL, ",", &save)) {
		if (parse_term(event, pmu, term, error))
			return -1;
	}
	return 0;
}

/* Sets the rings that `modifiers` name; without any, all count. */
static void apply_rings(struct event *event, const char *modifiers)
{
	struct perf_event_attr *attr = &event->attr;

	if (!modifiers[strcspn(modifiers, "ukh")])
		return;
	event->filtered = true;
	attr->exclude_user = !strchr(modifiers, 'u');
	attr->exclude_kernel = !strchr(modifiers, 'k');
	attr->exclude_hv = !strchr(modifiers, 'h');
}

static int apply_modifiers(struct event *event, const char *modifiers, char *error)
{
	struct perf_event_attr *attr = &event->attr;
	unsigned precise = 0;

	apply_rings(event, modifiers);
	for (const char *m = modifiers; *m; m++) {
		switch (*m) {
		case 'u':
		case 'k':
		case 'h':
		case 'W':
			break;
		case 'S':
			event->reads_group = true;
			break;
		case 'G':
			attr->exclude_host = 1;
			break;
		case 'H':
			attr->exclude_guest = 1;
			break;
		case 'I':
			attr->exclude_idle = 1;
			break;
		case 'p':
			precise++;
			break;
		case 'P':
			event->precise_max = true;
			break;
		case 'D':
			attr->pinned = 1;
			break;
		case 'e':
			attr->exclusive = 1;
			break;
		default:
			return fail(
			    error, "unknown modifier in ':%.64s': they are u k h p P D e I G H S W",
			    modifiers);
		}
	}
	if (precise > EVENT_PRECISE_MAX)
		return fail(error, "too many p in ':%.64s': three at most", modifiers);
	attr->precise_ip = event->precise_max ? EVENT_PRECISE_MAX : precise;
	return 0;
}

/* Cuts the modifiers off `text` (after ':', or after the last '/' of cpu/.../) and returns them. */
static char *cut_modifiers(char *text)
{
	char *last_slash = strrchr(text, '/');
	char *colon = strchr(last_slash ? last_slash : text, ':');
	char *modifiers = text + strlen(text);

	if (colon) {
		*colon = '\0';
		return colon + 1;
	}
	if (last_slash && last_slash != strchr(text, '/') && last_slash[1]) {
		memmove(last_slash + 2, last_slash + 1, strlen(last_slash + 1) + 1);
		last_slash[1] = '\0';
		modifiers = last_slash + 2;
	}
	return modifiers;
}

/* Parses pmu/terms/. The PMU must exist, but the processor's always does. */
static int parse_pmu(struct event *event, const char *pmu, char *terms, char *error)
{
	if (strcmp(pmu, "cpu") && !pmu_type(pmu, &event->attr.type))
		return fail(error, "unknown event '%.64s/...': there is no such PMU", pmu);
	return parse_terms(event, pmu, terms, error);
}

/* Looks up an event in all PMUs. */
static bool lookup_anywhere(const char *name, struct event *event, char *error)
{
	char pmu[PMU_NAME_SIZE];

	return pmu_of_event(name, pmu) && lookup_in(pmu, name, event, error);
}

/* Parses one event outside of a group: name, raw or pmu/.../, with its modifiers. */
static int parse_event(struct event *event, const char *typed, char *error)
{
	char text[2 * EVENT_NAME_SIZE + 2], *modifiers, *slash;
	size_t length;

	if (strlen(typed) >= EVENT_NAME_SIZE)
		return fail(error, "event name too long: '%.64s...'", typed);
	strcpy(text, typed);
	memset(event, 0, sizeof(*event));
	event->attr.size = sizeof(event->attr);
	strcpy(event->name, typed);
	modifiers = cut_modifiers(text);
	length = strlen(text);
	slash = strchr(text, '/');
	if (slash && slash + 1 < text + length && text[length - 1] == '/') {
		text[length - 1] = *slash = '\0';
		if (parse_pmu(event, text, slash + 1, error))
			return -1;
	} else if (text[0] == 'r' && number(text + 1, 16, (uint64_t *)&event->attr.config)) {
		event->attr.type = PERF_TYPE_RAW;
	} else if (!event_lookup(text, &event->attr) && !lookup_anywhere(text, event, error)) {
		return unknown_event(text, error);
	}
	return apply_modifiers(event, modifiers, error);
}

/* Returns the end of the item that starts at `text`: a comma outside braces and slashes, or the
 * string's end. */
static const char *item_end(const char *text)
{
	bool in_group = false, in_terms = false;

	for (; *text; text++) {
		if (*text == '{')
			in_group = true;
		else if (*text == '}')
			in_group = false;
		else if (*text == '/')
			in_terms = !in_terms;
		else if (*text == ',' && !in_group && !in_terms)
			break;
	}
	return text;
}

static int parse_items(struct event_list *list, const char *text, const char *group_modifiers,
		       char *error);

/* Parses {a,b,...}:modifiers; `text` starts with the brace. */
static int parse_group(struct event_list *list, char *text, char *error)
{
	char *close = strchr(text, '}');
	int first = list->nr;

	if (!close || close == text + 1)
		return fail(error, "not a group: '%.64s' (write {event,event})", text);
	if (strchr(text + 1, '{'))
		return fail(error, "a group inside a group: '%.64s'", text);
	*close = '\0';
	if (close[1] && close[1] != ':')
		return fail(error, "unexpected '%.64s' after a group", close + 1);
	if (parse_items(list, text + 1, close[1] ? close + 2 : "", error))
		return -1;
	for (int i = first; i < list->nr; i++)
		list->events[i].leader = first;
	return 0;
}

/* Intel's slots and topdown metrics, which must be in a group with slots as the leader. */
#define SLOTS        0x0400
#define FIRST_METRIC 0x8000
#define LAST_METRIC  0x8700

static uint64_t raw_code(const struct event *event)
{
	return event->attr.type == PERF_TYPE_RAW ? event->attr.config & 0xffff : 0;
}

/* Returns the leader of an event outside braces: metrics directly after slots join them, everything
 * else is alone. */
static int leader_of(const struct event_list *list, const struct event *event)
{
	uint64_t code = raw_code(event);
	int before = list->nr ? list->events[list->nr - 1].leader : 0;

	if (list->nr && code >= FIRST_METRIC && code <= LAST_METRIC &&
	    raw_code(&list->events[before]) == SLOTS)
		return before;
	return list->nr;
}

/* Adds the event `text`; a group's modifiers apply to each of its events. */
static int add_event(struct event_list *list, const char *text, const char *group_modifiers,
		     char *error)
{
	char with_group[2 * EVENT_NAME_SIZE];
	const char *separator = strchr(text, ':') ? "" : ":";

	if (list->nr == EVENT_MAX)
		return fail(error, "too many events: at most 64%s", "");
	if (strlen(text) + strlen(group_modifiers) + 2 > EVENT_NAME_SIZE)
		return fail(error, "event name too long: '%.64s...'", text);
	snprintf(with_group, sizeof(with_group), "%s%s%s", text, *group_modifiers ? separator : "",
		 group_modifiers);
	if (parse_event(&list->events[list->nr], with_group, error))
		return -1;
	list->events[list->nr].leader = leader_of(list, &list->events[list->nr]);
	list->nr++;
	return 0;
}

static int parse_items(struct event_list *list, const char *text, const char *group_modifiers,
		       char *error)
{
	const char *all = text;

	while (1) {
		const char *end = item_end(text);
		char item[EVENT_NAME_SIZE * 8];
		int bad;

		if (end == text)
			return fail(error,
				    "an event's name is missing in '%.64s': a comma divides two",
				    all);
		if ((size_t)(end - text) >= sizeof(item))
			return fail(error, "event name too long: '%.64s...'", text);
		memcpy(item, text, (size_t)(end - text));
		item[end - text] = '\0';
		bad = *item == '{' ? parse_group(list, item, error)
				   : add_event(list, item, group_modifiers, error);
		if (bad)
			return -1;
		if (!*end)
			return 0;
		text = end + 1;
	}
}

int event_parse(struct event_list *list, const char *text, char *error)
{
	return parse_items(list, text, "", error);
}

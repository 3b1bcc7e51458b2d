/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the options of a profile. */
#include "host/profile/request.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/lib/closest.h"
#include "host/lib/report.h"
#include "host/lib/text.h"

#define PERIOD_MIN  100
#define FLASH_CHIPS 2

static void take_event(struct profile_request *request, const char *name)
{
	struct closest search = {.word = name};
	const struct boot_event *event = boot_event_find(name);

	if (!event) {
		for (unsigned i = 0; boot_event_at(i); i++)
			closest_offer(&search, boot_event_at(i)->name);
		die(STATUS_OURS, "boot cannot sample '%s'%s%s%s", name,
		    search.best ? ": did you mean '" : "", search.best ? search.best : "",
		    search.best ? "'?" : "");
	}
	if (request->nr_events == PROFILE_EVENTS)
		die(STATUS_OURS, "boot samples at most %d events", PROFILE_EVENTS);
	request->events[request->nr_events++].event = event;
}

static void take_events(struct profile_request *request, const char *argument)
{
	char *copy = format_text("%s", argument), *rest;

	for (char *name = strtok_r(copy, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
		take_event(request, name);
	free(copy);
}

static void take_period(struct profile_request *request, const char *argument)
{
	char *end;
	unsigned long long period = strtoull(argument, &end, 10);

	if (!isdigit((unsigned char)*argument) || *end || period < PERIOD_MIN)
		die(STATUS_OURS, "-c is a period of at least %d events, not '%s'", PERIOD_MIN,
		    argument);
	request->period = period;
}

static void take_tolerance(struct profile_request *request, const char *argument)
{
	char *end;
	double value = strtod(argument, &end);

	if (end == argument || value < 0 || (*end && strcmp(end, "%")))
		die(STATUS_OURS, "--tolerance is a percentage such as 2%%, not '%s'", argument);
	request->tolerance = value;
}

/* Sets where a mark is: 0xADDRESS, post:NUMBER, text:TEXT, init, or a function. */
static void place_mark(struct mark *mark, const char *place)
{
	char *end;
	unsigned long long address = strtoull(place, &end, 0);
	const char *stop = mark->last ? "!" : "";

	if (!strncmp(place, "text:", 5) && place[5])
		mark->where = format_text("text%s:%s", stop, place + 5);
	else if (!strcmp(place, "init"))
		mark->where = format_text("ring3%s:", stop);
	else if (!strncmp(place, "post:", 5) && isdigit((unsigned char)place[5]))
		mark->where = format_text("post%s:%s", stop, place + 5);
	else if (isdigit((unsigned char)*place) && !*end)
		mark->where = format_text("address%s:0x%llx", stop, address);
	else if (isalpha((unsigned char)*place) || *place == '_')
		mark->where = format_text("%s", place);
	else
		die(STATUS_OURS,
		    "a mark is at 0xADDRESS, post:NUMBER, text:TEXT, init or a function, not "
		    "'%s'",
		    place);
	mark->symbol = !strchr(mark->where, ':');
}

static void take_mark(struct profile_request *request, const char *argument, bool last)
{
	struct mark *mark = &request->marks[request->nr_marks];
	const char *equals = last ? NULL : strchr(argument, '=');

	if (request->nr_marks == sizeof(request->marks) / sizeof(request->marks[0]))
		die(STATUS_OURS, "boot takes at most %u marks", request->nr_marks);
	if (!last && (!equals || equals == argument))
		die(STATUS_OURS, "--mark is NAME=PLACE, not '%s'", argument);
	request->nr_marks++;
	mark->last = last;
	mark->name = last ? "end" : format_text("%.*s", (int)(equals - argument), argument);
	place_mark(mark, last ? argument : equals + 1);
}

/* The kinds of call chains, with the plugin's names. */
static void take_chains(struct profile_request *request, const char *argument)
{
	static const char *const kinds[][2] = {{"calls", "on"}, {"fp", "frames"}};

	request->chains = NULL;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(argument, kinds[i][0]))
			request->chains = kinds[i][1];
	if (!request->chains)
		die(STATUS_OURS, "--call-graph of boot is calls or fp, not '%s'", argument);
}

static const char *readable(const char *path)
{
	if (access(path, R_OK))
		die(STATUS_OURS, "cannot read '%s'", path);
	return path;
}

void profile_take(struct profile_request *request, int option, const char *argument)
{
	switch (option) {
	case 'e':
		take_events(request, argument);
		break;
	case 'c':
		take_period(request, argument);
		break;
	case 'g':
		request->chains = "on";
		break;
	case PROFILE_STAT:
		request->stat = true;
		break;
	case PROFILE_TOLERANCE:
		take_tolerance(request, argument);
		break;
	case PROFILE_NO_WAITS:
		request->no_waits = true;
		break;
	case PROFILE_SYMBOLS:
		add_word(&request->symbols, argument);
		break;
	case PROFILE_MARK:
		take_mark(request, argument, false);
		break;
	case PROFILE_UNTIL:
		take_mark(request, argument, true);
		break;
	case PROFILE_DEBUG_PORT:
		request->debug_port = true;
		break;
	case PROFILE_BASELINE:
		request->baseline = readable(argument);
		break;
	case PROFILE_BIOS:
		request->bios = readable(argument);
		break;
	case PROFILE_DISK:
		request->disk = readable(argument);
		break;
	case PROFILE_FLASH:
		if (request->flash.nr == FLASH_CHIPS)
			die(STATUS_OURS, "a machine has at most %d --flash", FLASH_CHIPS);
		add_word(&request->flash, readable(argument));
		break;
	case PROFILE_CALL_GRAPH:
		take_chains(request, argument);
		break;
	case PROFILE_RECORD:
		request->record = argument;
		break;
	case PROFILE_JSON:
		request->json = argument;
		break;
	case PROFILE_HTML:
		request->html = argument;
		break;
	case PROFILE_LCOV:
		request->lcov = argument;
		break;
	case PROFILE_DIFF:
		request->diff = readable(argument);
		break;
	}
}

bool profile_wanted(const struct profile_request *request)
{
	return request->record || request->stat || request->json || request->html ||
	       request->lcov || request->baseline;
}

bool profile_needs_core(const struct profile_request *request)
{
	for (unsigned i = 0; i < request->nr_events; i++)
		if (!boot_event_is_light(request->events[i].event))
			return true;
	return false;
}

void profile_check(struct profile_request *request)
{
	if (!profile_wanted(request)) {
		if (request->nr_events || request->period || request->chains ||
		    request->symbols.nr || request->nr_marks || request->no_waits)
			die(STATUS_OURS,
			    "-e, -c, -g, --symbols, --mark, --until and --no-waits belong to boot "
			    "with --record, --stat or another result");
		return;
	}
	if (!request->nr_events)
		take_event(request, "cycles");
	for (unsigned i = 0; i < request->nr_events; i++)
		request->events[i].period =
		    request->period ? request->period : request->events[i].event->period;
}

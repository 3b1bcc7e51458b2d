/* SPDX-License-Identifier: BSD-2-Clause */
/* list: shows the events that this PMU offers, by trying to open each; as a table or as lines of
 * JSON. */
#define _GNU_SOURCE /* strcasestr() */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "apps/lib/event/event.h"
#include "apps/lib/event/pmu_files.h"
#include "apps/lib/event/pmu_id.h"
#include "apps/lib/json.h"
#include "apps/lib/perf_sys.h"
#include "apps/lib/workload.h"

/* Opens the event on this process; user mode only without the right to more. */
static bool offered(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = {
	    .type = type, .size = sizeof(attr), .config = config, .disabled = 1};
	int fd = perf_event_open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && (errno == EACCES || errno == EPERM)) {
		attr.exclude_kernel = 1;
		fd = perf_event_open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	}
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* The words of the command line: a row is shown if any matches. */
static char **words;

/* A word matches a kind, or a part of a name or of a description. */
static bool wanted(const char *kind, const char *name, const char *description)
{
	if (!*words)
		return true;
	for (char **word = words; *word; word++)
		if (!strcmp(*word, kind) || strcasestr(name, *word) ||
		    strcasestr(description, *word))
			return true;
	return false;
}

static bool as_json;

/* Prints a row as a line of JSON with the class of its counts. `event` is the name by which `stat
 * -e` takes it. */
static void show_json(const char *name, const char *alias, const char *kind,
		      const char *description, const char *event)
{
	static struct event_list list;
	char error[EVENT_ERROR_SIZE];

	list.nr = 0;
	if (event_parse(&list, event, error))
		return;
	event_classify(&list);
	putchar('{');
	json_first(stdout, "kind", "event");
	json_text(stdout, "type", kind);
	json_text(stdout, "name", name);
	if (alias)
		json_text(stdout, "alias", alias);
	if (description)
		json_text(stdout, "description", description);
	json_text(stdout, "class", event_class_name(list.events[0].class));
	puts("}");
}

static void show(const char *name, const char *alias, const char *kind, const char *description)
{
	char both[2 * EVENT_NAME_SIZE];

	if (as_json) {
		show_json(name, alias, kind, description,
			  strchr(name, '/') || !alias ? name : alias);
		return;
	}
	snprintf(both, sizeof(both), "%s%s%s", name, alias ? " OR " : "", alias ? alias : "");
	printf("  %-50s [%s]\n", both, kind);
	if (description)
		printf("       [%s]\n", description);
}

/* Lists the named events of a type. Returns their number. */
static int list_named(uint32_t type, const char *word, const char *kind)
{
	int n = 0;

	for (const struct event_name *e = event_names; e->name; e++) {
		if (e->type != type || !wanted(word, e->name, e->description) ||
		    !offered(type, e->config))
			continue;
		show(e->name, e->alias, kind, e->description);
		n++;
	}
	return n;
}

static int list_caches(void)
{
	char name[EVENT_NAME_SIZE], description[EVENT_NAME_SIZE];
	int n = 0;

	for (unsigned i = 0; i < EVENT_NR_CACHE; i++) {
		uint64_t config = event_cache_config(i);

		if (!event_cache_name(config, name, sizeof(name)))
			continue;
		event_cache_meaning(config, description, sizeof(description));
		if (!wanted("cache", name, description) || !offered(PERF_TYPE_HW_CACHE, config))
			continue;
		show(name, NULL, "Hardware cache event", description);
		n++;
	}
	return n;
}

static void show_of_pmu(const char *pmu, const char *name, const char *terms)
{
	char as_terms[PMU_NAME_SIZE + PMU_TERMS_SIZE];

	if (!wanted("pmu", name, ""))
		return;
	snprintf(as_terms, sizeof(as_terms), "%s/%s/", pmu, terms);
	show(name, as_terms, "PMU event", NULL);
}

/* Lists what is no event: forms of raw ones. */
static void show_forms(void)
{
	if (*words || as_json)
		return;
	show("rNNN", NULL, "Raw event: umask, event in hexadecimal", NULL);
	show("cpu/event=0xNN,umask=0xNN/", NULL, "Raw event", NULL);
}

int main(int, char **argv)
{
	int hardware, caches, software;

	words = argv + 1;
	if (*words && !strcmp(*words, "--json")) {
		as_json = true;
		words++;
	}
	if (*words && **words == '-') {
		fputs("usage: list [--json] [hw | sw | cache | pmu | WORD]...\n", stderr);
		return STATUS_OURS;
	}
	if (!as_json)
		printf("PMU: %s\n\n", pmu_line());
	hardware = list_named(PERF_TYPE_HARDWARE, "hw", "Hardware event");
	caches = list_caches();
	pmu_each_event(show_of_pmu);
	if (hardware)
		show_forms();
	software = list_named(PERF_TYPE_SOFTWARE, "sw", "Software event");
	if (!as_json)
		printf("\n%d hardware, %d cache and %d software events\n", hardware, caches,
		       software);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of the options' values. */
#include "host/values.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/lib/closest.h"
#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/model/model.h"
#include "host/lib/missing.h"
#include "host/lib/report.h"
#include "host/lib/text.h"

_Noreturn void unknown_word(const char *what, const char *typed, const char *closest)
{
	if (closest)
		die(STATUS_OURS, "unknown %s '%s': did you mean '%s'?", what, typed, closest);
	die(STATUS_OURS, "unknown %s '%s': see `barepmu --help`", what, typed);
}

int number_value(const char *option, const char *text, int low, int high)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (!*text || *end || value < low || value > high)
		die(STATUS_OURS, "%s wants a number from %d to %d, not '%s'", option, low, high,
		    text);
	return (int)value;
}

/* "Skylake client (06_5EH)": family and model as Intel's manuals write them. */
static void print_processor(const struct personality *p)
{
	uint32_t family = p->signature >> 8 & 0xf, model = p->signature >> 4 & 0xf;
	char text[64];

	if (family == 6 || family == 15)
		model |= (p->signature >> 16 & 0xf) << 4;
	if (family == 15)
		family += p->signature >> 20 & 0xff;
	snprintf(text, sizeof(text), "%s (%02X_%02XH)", p->processor, family, model);
	printf("%-16s %-40s", personality_name(p), text);
}

/* A number, or "-". */
static void print_number(int width, int number, int none)
{
	if (number == none)
		printf(" %*s", width, "-");
	else
		printf(" %*d", width, number);
}

static void print_pmu(const struct personality *p)
{
	char counters[16], core[32];

	if (!p->version) {
		printf("%-16s %s\n", personality_name(p), p->processor);
		return;
	}
	print_processor(p);
	snprintf(counters, sizeof(counters), p->fixed ? "%d+%d" : "%d", p->general, p->fixed);
	printf(" %d %7d %8s", p->year, p->version, counters);
	print_number(4, (int)personality_branch_records(p), 0);
	print_number(4, personality_pebs(p), -1);
	snprintf(core, sizeof(core), "%s%s", p->stand_in ? "like " : "", p->core);
	printf("  %-16s %s\n", core, p->alias ? p->alias : "");
}

static void list_pmus(void)
{
	printf("%-16s %-40s %4s %7s %8s %4s %4s  %-16s %s\n", "NAME", "PROCESSOR", "YEAR",
	       "VERSION", "COUNTERS", "LBR", "PEBS", "CORE", "ALSO");
	printf("%-16s the machine's own, through KVM; the others are emulated\n", "host");
	for (unsigned i = 0; personality_at(i); i++)
		print_pmu(personality_at(i));
}

const char *pmu_value(const char *name)
{
	struct closest search = {.word = name};

	if (!strcmp(name, "help")) {
		list_pmus();
		exit(0);
	}
	if (!strcmp(name, "host") || personality_find(name))
		return name;
	closest_offer(&search, "host");
	for (unsigned i = 0; personality_at(i); i++)
		closest_offer(&search, personality_name(personality_at(i)));
	unknown_word("PMU", name, search.best);
}

enum firmware firmware_value(const char *name)
{
	struct closest search = {.word = name};

	if (!strcmp(name, "ovmf"))
		return FIRMWARE_OVMF;
	if (!strcmp(name, "pvh"))
		return FIRMWARE_PVH;
	closest_offer(&search, "ovmf");
	closest_offer(&search, "pvh");
	unknown_word("firmware", name, search.best);
}

const char *readable_value(const char *path)
{
	if (access(path, R_OK))
		missing_file(STATUS_OURS, "read", path, false);
	return path;
}

const char *directory_value(const char *path)
{
	if (*path != '/')
		die(STATUS_OURS, "--cwd wants an absolute path, not '%s'", path);
	return path;
}

void share_value(struct options *options, const char *text)
{
	char *path = format_text("%s", text), *colon = strrchr(path, ':'), *real;
	bool both = colon && !strcmp(colon, ":rw");
	struct stat info;

	if (both || (colon && !strcmp(colon, ":ro")))
		*colon = '\0';
	real = realpath(path, NULL);
	if (!real)
		missing_file(STATUS_OURS, "share", path, false);
	if (stat(real, &info) || !S_ISDIR(info.st_mode) || !strcmp(real, "/"))
		die(STATUS_OURS, "--share wants a directory below /, not '%s'", text);
	if (both && access(real, W_OK))
		die(STATUS_OURS, "cannot share '%s' for writing: %s", real, strerror(errno));
	free(path);
	add_word(&options->share, real);
	if (both)
		add_word(&options->share_both, real);
}

const char *variable_value(const char *text)
{
	const char *value = *text && !strchr(text, '=') ? getenv(text) : NULL;

	if (value)
		return format_text("%s=%s", text, value);
	if (!strchr(text, '=') || *text == '=')
		die(STATUS_OURS, "--env wants NAME=VALUE, or the NAME of a variable, not '%s'",
		    text);
	return text;
}

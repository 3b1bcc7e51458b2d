/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles of `boot`: starts the recording, and turns it into results. */
#include "host/firmware/boot_profile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/model/model.h"
#include "host/core.h"
#include "host/lib/home.h"
#include "host/lib/report.h"
#include "host/lib/text.h"
#include "host/machine/inherited.h"
#include "host/machine/qemu.h"
#include "host/machine/qemu_file.h"
#include "host/profile/compare.h"
#include "host/profile/html.h"
#include "host/profile/lcov.h"
#include "host/profile/names/names.h"
#include "host/profile/output.h"
#include "host/profile/phases.h"
#include "host/profile/profile.h"
#include "host/profile/table.h"

#define STATUS_SLOWER 1
#define RELOCATED     0x10000 /* files linked below have no address of their own */

#define USUAL_CORE "skylake"
#define OVMF_CODE  "/usr/share/OVMF/OVMF_CODE_4M.fd" /* as host/image/disk.c has it */

static int stream_fd = -1;

/* Opens the stream's file: without a name, in the directory for temporary files. */
static char *open_stream(void)
{
	const char *directory = getenv("TMPDIR");
	char *path = format_text("%s/barepmu-boot-XXXXXX", directory ? directory : "/tmp");

	stream_fd = mkostemp(path, 0);
	if (stream_fd < 0)
		die(STATUS_OURS, "cannot make '%s': %s", path, strerror(errno));
	unlink(path);
	free(path);
	stream_fd = inherited(stream_fd);
	return format_text("/dev/fd/%d", stream_fd);
}

/* QEMU takes two commas for one. */
static void add_escaped(char **text, const char *more)
{
	for (; *more; more++) {
		char *longer = format_text(*more == ',' ? "%s,%c" : "%s%c", *text, *more);

		free(*text);
		*text = longer;
	}
}

static void add_option(char **text, const char *name, const char *value)
{
	char *longer = format_text("%s,%s=", *text, name);

	free(*text);
	*text = longer;
	add_escaped(text, value);
}

static void add_number(char **text, const char *name, uint64_t value)
{
	char *number = format_text("0x%lx", (unsigned long)value);

	add_option(text, name, number);
	free(number);
}

/* A mark at a function is one at its address. */
static void add_mark(char **text, const struct mark *mark, const struct words *symbols)
{
	bool slides;
	uint64_t address = mark->symbol ? names_function(symbols, mark->where, &slides) : 0;
	char *where;

	if (mark->symbol && !address)
		die(STATUS_OURS, "no file of --symbols has a function '%s'", mark->where);
	if (mark->symbol && !slides && address < RELOCATED)
		die(STATUS_OURS, "where is '%s'? Its file is relocated: --symbols FILE@ADDRESS",
		    mark->where);
	where = mark->symbol ? format_text("%s%s:0x%lx", slides ? "upper" : "address",
					   mark->last ? "!" : "", (unsigned long)address)
			     : format_text("%s", mark->where);
	add_option(text, "stop", where);
	free(where);
}

static void add_event(char **text, const struct output_event *event)
{
	char *value = format_text("%lu", (unsigned long)event->period);

	for (unsigned i = 0; i < BOOT_TERMS && event->event->terms[i]; i++) {
		char *longer = format_text("%s:%u", value, event->event->terms[i]);

		free(value);
		value = longer;
	}
	add_option(text, "event", value);
	free(value);
}

static const char *core_of(const struct options *options)
{
	return options->core ? options->core : USUAL_CORE;
}

static void check_machine(const struct options *options)
{
	bool visor = strcmp(options->pmu, "none") != 0;

	if (options->processors > PROFILE_PROCESSORS)
		die(STATUS_OURS, "boot records at most %d processors", PROFILE_PROCESSORS);
	if (options->parallel)
		die(STATUS_OURS, "boot records processors that take turns: no --parallel");
	if (!strcmp(options->pmu, "host"))
		die(STATUS_OURS, "boot records what QEMU executes: --pmu none, not host");
	if (visor && profile_needs_core(&options->profile))
		die(STATUS_OURS,
		    "the visor has the simulated core: with --pmu %s boot samples "
		    "-e instructions only",
		    options->pmu);
	if (!qemu_has_plugins(QEMU))
		die(STATUS_OURS, "this QEMU has no plugins, which --record needs");
}

/* Adds the files that boot: they may have symbols. */
static void own_files(const struct options *options, struct words *files)
{
	char *visor = strcmp(options->pmu, "none") ? find_home_file("visor.elf") : NULL;

	if (options->kernel)
		add_word(files, options->kernel);
	if (options->efi)
		add_word(files, options->efi);
	if (visor)
		add_word(files, visor);
}

static void symbol_files(const struct options *options, struct words *files)
{
	*files = options->profile.symbols;
	own_files(options, files);
}

void profile_words(struct words *words, const struct options *options, const char *version)
{
	const struct profile_request *request = &options->profile;
	char *text = format_text("%s", ""), *path = open_stream();
	struct words symbols = {.nr = 0};
	uint64_t kernel;
	bool slides;

	check_machine(options);
	add_escaped(&text, home_file("core.so"));
	add_option(&text, "profile", path);
	add_option(&text, "qemu", version);
	add_option(&text, "time", "instructions");
	if (options->processors > 1)
		add_option(&text, "turn", CORE_TURN);
	if (profile_needs_core(request)) {
		add_option(&text, "own", "on");
		add_option(&text, "core", core_of(options));
	}
	if (request->chains)
		add_option(&text, "chains", request->chains);
	symbol_files(options, &symbols);
	kernel = strcmp(options->pmu, "none") ? 0 : names_kernel(&symbols);
	if (kernel)
		add_number(&text, "kernel", kernel);
	if (kernel)
		add_number(&text, "modules", names_function(&symbols, "modules", &slides));
	for (unsigned i = 0; i < request->nr_events; i++)
		add_event(&text, &request->events[i]);
	for (unsigned i = 0; i < request->nr_marks; i++)
		add_mark(&text, &request->marks[i], &symbols);
	add_word(words, "-seed"); /* of RDRAND: boots repeat */
	add_word(words, "1");
	add_word(words, "-rtc");
	add_word(words, "base=2026-01-01T00:00:00,clock=vm");
	add_word(words, "-plugin");
	add_word(words, text);
	free(path);
}

/* ---- results ---- */

static struct buffer read_stream(void)
{
	struct buffer buffer = {NULL, 0, 0};
	struct stat info;
	size_t done = 0;
	ssize_t n = 1;

	if (fstat(stream_fd, &info))
		die(STATUS_OURS, "cannot read the recording: %s", strerror(errno));
	buffer_reserve(&buffer, (size_t)info.st_size + 1);
	while (done < (size_t)info.st_size && n > 0) {
		n = pread(stream_fd, buffer.bytes + done, (size_t)info.st_size - done, (off_t)done);
		done += n > 0 ? (size_t)n : 0;
	}
	buffer.size = done;
	return buffer;
}

/* Returns the absolute path of FILE.d, where the units' files go. */
static char *unit_directory(const char *record)
{
	char *here = *record == '/' ? NULL : getcwd(NULL, 0),
	     *path = format_text("%s%s%s.d", here ? here : "", here ? "/" : "", record);

	free(here);
	return path;
}

static void write_record(struct profile *profile, const struct options *options)
{
	const struct profile_request *request = &options->profile;
	char *arguments[] = {"barepmu", "boot"}, *directory = unit_directory(request->record);
	const struct output_origin origin = {.events = request->events,
					     .nr_events = request->nr_events,
					     .argc = 2,
					     .argv = arguments,
					     .waits = !request->no_waits};

	if (!write_unit_files(profile, directory))
		fprintf(stderr, "barepmu: cannot write all of '%s': %s\n", directory,
			strerror(errno));
	if (!write_perf_file(profile, request->record, &origin))
		die(STATUS_OURS, "cannot write all of '%s': %s", request->record, strerror(errno));
	fprintf(stderr, "barepmu: %zu samples in %s, code and symbols in %s\n", profile->nr_samples,
		request->record, directory);
	free(directory);
}

/* The files with the firmware's drivers. */
static void firmware_files(const struct options *options, struct words *files)
{
	for (int i = 0; i < options->profile.flash.nr; i++)
		add_word(files, options->profile.flash.word[i]);
	if (options->profile.bios)
		add_word(files, options->profile.bios);
	else if (options->firmware == FIRMWARE_OVMF && !options->profile.flash.nr)
		add_word(files, OVMF_CODE);
}

static void explain_end(const struct options *options, int stopped)
{
	const struct profile_request *request = &options->profile;

	if (stopped != SIGALRM)
		return;
	fprintf(stderr, "barepmu: stopped after %d s (--timeout)", options->timeout);
	for (unsigned i = 0; i < request->nr_marks; i++)
		if (request->marks[i].last)
			fprintf(stderr, " before the mark of --until");
	fputs(": the results have what ran\n", stderr);
}

/* Writes JSON to the file, or to one without a name for the comparison alone. Returns its path. */
static char *write_json(const struct profile *profile, const struct profile_request *request)
{
	char *path = request->json ? format_text("%s", request->json)
				   : format_text("/dev/fd/%d", memfd_create("barepmu-json", 0));

	if (!json_write(profile, path))
		die(STATUS_OURS, "cannot write '%s': %s", path, strerror(errno));
	return path;
}

/* Returns whether the boot is slower than its baseline. */
static bool compare(const struct profile *profile, const struct profile_request *request)
{
	char *path = write_json(profile, request);
	int slower = 0;

	if (request->baseline) {
		slower =
		    json_compare(request->baseline, path, request->tolerance, !request->no_waits);
		if (slower < 0)
			exit(STATUS_OURS);
		fprintf(stderr, "barepmu: %d rows exceed '%s' by more than %g%%\n", slower,
			request->baseline, request->tolerance);
	}
	free(path);
	return slower;
}

static bool show_results(const struct profile *profile, const struct profile_request *request)
{
	if (request->stat)
		table_print(stderr, profile, !request->no_waits);
	if (request->html && !html_write(profile, request->html, !request->no_waits))
		die(STATUS_OURS, "cannot write all of '%s': %s", request->html, strerror(errno));
	if (request->lcov)
		fprintf(stderr, "barepmu: %zu lines that ran in %s\n",
			lcov_write(profile, request->lcov), request->lcov);
	return (request->json || request->baseline) && compare(profile, request);
}

int profile_finish(const struct options *options, int status, int stopped)
{
	static struct profile profile;
	const struct profile_request *request = &options->profile;
	struct words firmware = {.nr = 0}, own = {.nr = 0};
	const char *marks[24], *why;
	bool failed;

	explain_end(options, stopped);
	if (!profile_read(&profile, read_stream(), &why))
		die(STATUS_OURS, "the recording cannot be read: %s", why);
	for (unsigned i = 0; i < request->nr_marks; i++)
		marks[i] = request->marks[i].last ? NULL : request->marks[i].name;
	firmware_files(options, &firmware);
	own_files(options, &own);
	names_of_images(&profile, &firmware);
	names_of_symbols(&profile, &request->symbols, false);
	names_of_symbols(&profile, &own, true);
	units_resolve(&profile);
	phases_find(&profile, marks, request->nr_marks);
	if (request->record)
		write_record(&profile, options);
	failed = show_results(&profile, request);
	if (!profile.end)
		die(STATUS_OURS, "the recording is cut off: the results have what is there");
	if (stopped == SIGALRM)
		return STATUS_TIMEOUT;
	if (failed)
		return STATUS_SLOWER;
	return stopped ? 128 + stopped : status;
}

int profile_compare(const struct options *options)
{
	const struct profile_request *request = &options->profile;
	int slower = json_compare(request->diff, options->program[0], request->tolerance,
				  !request->no_waits);

	return slower < 0 ? STATUS_OURS : slower ? STATUS_SLOWER : 0;
}

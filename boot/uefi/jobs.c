/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts the job file's keys and values to strings of a run file. */
#include "boot/uefi/jobs.h"
#include "boot/uefi/toml.h"

#define MOST_DIGITS 6

/* A job that is being read. Arrays are consecutive NUL-terminated strings. */
struct draft {
	char name[JOB_NAME_BYTES], program[256], directory[256], record[64], repetitions[8];
	char timeout[JOB_TIMEOUT_BYTES], firmware[JOB_PATH_BYTES], period[8];
	char events[512], arguments[2048], environment[1024];
	uint32_t arguments_bytes, environment_bytes;
};

static const char too_long[] = "more text than a job may have";

static size_t length(const char *text)
{
	size_t bytes = 0;

	while (text[bytes])
		bytes++;
	return bytes;
}

static int same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

static const char *add_text(struct job *job, const char *text, size_t bytes)
{
	if (bytes > sizeof(job->run) - job->run_bytes)
		return too_long;
	for (size_t i = 0; i < bytes; i++)
		job->run[job->run_bytes++] = text[i];
	return NULL;
}

/* Adds one string to the run file: its kind, its text, NUL. */
static const char *add_word(struct job *job, char kind, const char *text)
{
	const char *wrong = add_text(job, &kind, 1);

	return wrong ? wrong : add_text(job, text, length(text) + 1);
}

static const char *add_words(struct job *job, char kind, const char *list, uint32_t bytes)
{
	const char *wrong = NULL;

	for (uint32_t at = 0; at < bytes && !wrong; at += (uint32_t)length(list + at) + 1)
		wrong = add_word(job, kind, list + at);
	return wrong;
}

static const char *add_all(struct job *job, const char *const words[])
{
	const char *wrong = NULL;

	for (; *words && !wrong; words++)
		wrong = add_word(job, 'A', *words);
	return wrong;
}

/* Adds the application that counts or samples, before the program. */
static const char *add_application(struct job *job, const struct draft *draft)
{
	const char *stat[] = {"/bin/stat",        "-e", draft->events, "-r",
			      draft->repetitions, "--", NULL};
	const char *record[] = {"/bin/record",    "-e", draft->record, "-o",
				"/out/perf.data", "--", NULL};

	if (draft->events[0] && draft->record[0])
		return "a job has events to count, or one to record";
	if (draft->repetitions[0] && !draft->events[0])
		return "repetitions want events";
	if (draft->events[0] && !draft->repetitions[0])
		stat[4] = "1";
	return draft->events[0]   ? add_all(job, stat)
	       : draft->record[0] ? add_all(job, record)
				  : NULL;
}

/* A name without a slash is an application of the image. */
static const char *add_program(struct job *job, const struct draft *draft)
{
	const char *wrong = add_text(job, "A/bin/", draft->program[0] == '/' ? 1 : 6);

	if (!wrong)
		wrong = add_text(job, draft->program, length(draft->program) + 1);
	return wrong;
}

/* Adds PATH and HOME unless the job sets them: programs differ in which of two equal names they
 * use. */
static const char *add_usual(struct job *job, const struct draft *draft, const char *text)
{
	unsigned at = 0, same;

	while (at < draft->environment_bytes) {
		const char *own = draft->environment + at;

		for (same = 0; own[same] && own[same] == text[same] && own[same] != '=';)
			same++;
		if (own[same] == '=' && text[same] == '=')
			return NULL;
		at += length(own) + 1;
	}
	return add_word(job, 'E', text);
}

static uint32_t number(const char *digits)
{
	uint32_t value = 0;

	for (; *digits; digits++)
		value = value * 10 + (uint32_t)(*digits - '0');
	return value;
}

/* A job that the loader runs, while the firmware stays in charge: it has no kernel. */
static const char *finish_firmware(struct job *job, const struct draft *draft)
{
	if (draft->program[0] || draft->events[0] || draft->record[0] || draft->repetitions[0] ||
	    draft->timeout[0] || draft->directory[0] || draft->environment_bytes)
		return "a job of the firmware has name, firmware, arguments and period only";
	for (size_t i = 0; i < sizeof(job->firmware); i++)
		job->firmware[i] = draft->firmware[i];
	job->period = draft->period[0] ? number(draft->period) : JOB_PERIOD;
	if (job->period < JOB_PERIOD_MIN)
		return "a period has at least 1000 cycles";
	return add_text(job, draft->arguments, draft->arguments_bytes);
}

static const char *finish(struct jobs *jobs, const struct draft *draft)
{
	struct job *job = &jobs->job[jobs->nr];
	const char *wrong;

	if (jobs->nr == MOST_JOBS)
		return "more than 16 jobs";
	if (!draft->program[0] && !draft->firmware[0])
		return "a job without a program";
	job->run_bytes = 0;
	job->firmware[0] = 0;
	for (size_t i = 0; i < sizeof(job->name); i++)
		job->name[i] = draft->name[i];
	for (size_t i = 0; i < sizeof(job->timeout); i++)
		job->timeout[i] = draft->timeout[i];
	if (draft->firmware[0]) {
		wrong = finish_firmware(job, draft);
		jobs->nr += !wrong;
		return wrong;
	}
	if (draft->period[0])
		return "a period belongs to a job with firmware";
	wrong = add_word(job, 'C', draft->directory[0] ? draft->directory : "/");
	if (!wrong)
		wrong = add_usual(job, draft, "PATH=/bin");
	if (!wrong)
		wrong = add_usual(job, draft, "HOME=/");
	if (!wrong)
		wrong = add_words(job, 'E', draft->environment, draft->environment_bytes);
	if (!wrong)
		wrong = add_application(job, draft);
	if (!wrong)
		wrong = add_program(job, draft);
	if (!wrong)
		wrong = add_words(job, 'A', draft->arguments, draft->arguments_bytes);
	jobs->nr += !wrong;
	return wrong;
}

enum kind { STRING, LIST, JOINED, NUMBER };

/* The keys of a job, and the location of their text. */
static const struct {
	const char *key;
	enum kind kind;
	size_t at, room, bytes; /* within struct draft; `bytes`: where the length goes */
} keys[] = {
#define TEXT(field) offsetof(struct draft, field), sizeof(((struct draft *)0)->field)
    {"name", STRING, TEXT(name), 0},
    {"program", STRING, TEXT(program), 0},
    {"folder", STRING, TEXT(directory), 0},
    {"record", STRING, TEXT(record), 0},
    {"events", JOINED, TEXT(events), 0},
    {"repetitions", NUMBER, TEXT(repetitions), 0},
    {"timeout", NUMBER, TEXT(timeout), 0},
    {"firmware", STRING, TEXT(firmware), 0},
    {"period", NUMBER, TEXT(period), 0},
    {"arguments", LIST, TEXT(arguments), offsetof(struct draft, arguments_bytes)},
    {"environment", LIST, TEXT(environment), offsetof(struct draft, environment_bytes)},
#undef TEXT
};

/* Checks that the value has the kind that the key requires. */
static const char *check_kind(enum kind kind, const struct toml *toml)
{
	if (kind == NUMBER)
		return toml->kind == TOML_NUMBER && toml->bytes <= MOST_DIGITS + 1
			   ? NULL
			   : "this key wants a number of up to 6 digits";
	if (kind == STRING)
		return toml->kind == TOML_STRING ? NULL : "this key wants a string";
	if (toml->kind == TOML_LIST || (kind == JOINED && toml->kind == TOML_STRING))
		return NULL;
	return "this key wants strings in brackets";
}

static const char *set_key(struct draft *draft, const struct toml *toml)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		char *to = (char *)draft + keys[i].at;
		const char *wrong;

		if (!same(keys[i].key, toml->key))
			continue;
		wrong = check_kind(keys[i].kind, toml);
		if (wrong)
			return wrong;
		if (toml->bytes > keys[i].room)
			return too_long;
		for (size_t n = 0; n < toml->bytes; n++)
			to[n] = toml->value[n];
		for (size_t n = 0; keys[i].kind == JOINED && n + 1 < toml->bytes; n++)
			to[n] = to[n] ? to[n] : ',';
		if (keys[i].kind == LIST)
			*(uint32_t *)((char *)draft + keys[i].bytes) = (uint32_t)toml->bytes;
		return NULL;
	}
	return "no key of a job: name, program, arguments, events, repetitions, record, timeout, "
	       "environment, folder, firmware, period";
}

static const char *set_end(struct jobs *jobs, const struct toml *toml)
{
	static const char *const ends[] = {"wait", "reboot", "poweroff"};

	if (!same(toml->key, "end"))
		return "before the first [[job]] stands only end";
	for (unsigned i = 0; toml->kind == TOML_STRING && i < 3; i++) {
		if (same(ends[i], toml->value)) {
			jobs->end = (enum jobs_end)i;
			return NULL;
		}
	}
	return "end is \"wait\", \"reboot\" or \"poweroff\"";
}

/* Handles a key before the first job. */
static const char *set_for_all(struct jobs *jobs, const struct toml *toml)
{
	if (same("end", toml->key))
		return set_end(jobs, toml);
	if (same("upload", toml->key))
		return upload_parse(&jobs->upload, toml->kind == TOML_STRING ? toml->value : "");
	return "before the first [[job]] stand only end and upload";
}

/* The job that is being read. */
struct reading {
	struct draft draft;
	unsigned open; /* the line of its [[job]]; 0: before the first one */
	int wrong;     /* a mistake was found in it */
};

static void note_mistake(struct jobs *jobs, struct reading *reading, unsigned line,
			 const char *what)
{
	reading->wrong = 1;
	if (jobs->nr_mistakes < JOBS_MISTAKES_MAX)
		jobs->mistake[jobs->nr_mistakes++] = (struct jobs_mistake){line, what};
}

static void close_job(struct jobs *jobs, struct reading *reading)
{
	const char *wrong = reading->open && !reading->wrong ? finish(jobs, &reading->draft) : NULL;

	if (wrong)
		note_mistake(jobs, reading, reading->open, wrong);
}

static void open_job(struct jobs *jobs, struct reading *reading, const struct toml *toml)
{
	close_job(jobs, reading);
	reading->open = toml->line;
	reading->wrong = 0;
	reading->draft = (struct draft){.name = "job"};
	if (toml->kind == TOML_TABLE && !same(toml->key, "job"))
		note_mistake(jobs, reading, toml->line, "the only table is [[job]]");
}

/* Sets a key, unless the job has a mistake already. */
static void read_key(struct jobs *jobs, struct reading *reading, const struct toml *toml)
{
	const char *wrong = !reading->open    ? set_for_all(jobs, toml)
			    : !reading->wrong ? set_key(&reading->draft, toml)
					      : NULL;

	if (wrong)
		note_mistake(jobs, reading, toml->line, wrong);
}

void jobs_parse(struct jobs *jobs, const char *text, size_t bytes)
{
	static struct reading reading;
	static struct toml toml;

	jobs->nr = jobs->nr_mistakes = 0;
	jobs->end = JOBS_WAIT;
	jobs->upload.wanted = 0;
	reading.open = 0;
	reading.wrong = 0;
	toml_open(&toml, text, bytes);
	while (toml_next(&toml)) {
		if (toml.table)
			open_job(jobs, &reading, &toml);
		else if (toml.kind != TOML_WRONG)
			read_key(jobs, &reading, &toml);
		if (toml.kind != TOML_WRONG)
			continue;
		if (!reading.wrong || !reading.open)
			note_mistake(jobs, &reading, toml.line, toml.wrong);
		toml_skip(&toml);
	}
	close_job(jobs, &reading);
}

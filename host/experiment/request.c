/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of experiments, and their files. */
#include "host/experiment/request.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/core.h"
#include "host/experiment/function.h"
#include "host/experiment/simpoints.h"
#include "host/experiment/statistics.h"
#include "host/lib/report.h"
#include "host/lib/text.h"
#include "host/machine/inherited.h"
#include "host/options.h"

#define VECTOR 10000000

const struct option experiment_long_options[] = {
    {"stats", required_argument, NULL, EXPERIMENT_STATS},
    {"skip", required_argument, NULL, EXPERIMENT_SKIP},
    {"warm-up", required_argument, NULL, EXPERIMENT_WARM},
    {"measure", required_argument, NULL, EXPERIMENT_MEASURE},
    {"interval", required_argument, NULL, EXPERIMENT_INTERVAL},
    {"roi", required_argument, NULL, EXPERIMENT_ROI},
    {"bbv", required_argument, NULL, EXPERIMENT_BBV},
    {"simpoints", required_argument, NULL, EXPERIMENT_SIMPOINTS},
    {"weights", required_argument, NULL, EXPERIMENT_WEIGHTS},
    {"reuse", no_argument, NULL, EXPERIMENT_REUSE},
    {"trace", required_argument, NULL, EXPERIMENT_TRACE},
    {"trace-format", required_argument, NULL, EXPERIMENT_FORMAT},
    {"dump-core", no_argument, NULL, EXPERIMENT_DUMP},
    {NULL, 0, NULL, 0},
};

/* A number of instructions: 250000, 250K, 10M, 1G. */
static uint64_t instructions(const char *name, const char *text)
{
	static const char units[] = "KMG";
	char *end;
	uint64_t n = strtoull(text, &end, 10);
	const char *unit = *end ? strchr(units, *end) : NULL;

	errno = 0;
	if (*text < '0' || *text > '9' || (*end && (!unit || end[1])) ||
	    n > UINT64_MAX / 2000000000)
		die(STATUS_OURS,
		    "--%s takes a number of instructions, as 250000, 10M or 1G, not '%s'", name,
		    text);
	for (const char *u = units; unit && u <= unit; u++)
		n *= 1000;
	return n;
}

/* FILE[:N]. Returns the file. */
static const char *take_vectors(const char *name, const char *argument, uint64_t *vector)
{
	const char *colon = strrchr(argument, ':');

	*vector = colon ? instructions(name, colon + 1) : VECTOR;
	if (!*vector)
		die(STATUS_OURS, "--%s: vectors of no instructions", name);
	return colon ? format_text("%.*s", (int)(colon - argument), argument) : argument;
}

static const char *format_value(const char *text)
{
	static const char *const formats[] = {"champsim", "branches", "bt9", "text"};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(text, formats[i]))
			return text;
	die(STATUS_OURS, "--trace-format is champsim, branches, bt9 or text, not '%s'", text);
}

void experiment_take(struct options *options, int option, const char *argument)
{
	struct experiment_request *r = &options->experiment;

	switch (option) {
	case EXPERIMENT_STATS:
		r->stats = argument;
		break;
	case EXPERIMENT_SKIP:
		r->skip = instructions("skip", argument);
		break;
	case EXPERIMENT_WARM:
		r->warm_all = !strcmp(argument, "all");
		r->warm_up = r->warm_all ? 0 : instructions("warm-up", argument);
		break;
	case EXPERIMENT_MEASURE:
		r->measure = instructions("measure", argument);
		break;
	case EXPERIMENT_INTERVAL:
		r->interval = instructions("interval", argument);
		break;
	case EXPERIMENT_ROI:
		r->roi = argument;
		break;
	case EXPERIMENT_BBV:
		r->bbv = take_vectors("bbv", argument, &r->vector);
		break;
	case EXPERIMENT_SIMPOINTS:
		r->simpoints = take_vectors("simpoints", argument, &r->point);
		break;
	case EXPERIMENT_WEIGHTS:
		r->weights = argument;
		break;
	case EXPERIMENT_REUSE:
		r->reuse = true;
		break;
	case EXPERIMENT_TRACE:
		r->trace = argument;
		break;
	case EXPERIMENT_FORMAT:
		r->format = format_value(argument);
		break;
	default:
		r->dump = true;
	}
}

bool experiment_wanted(const struct experiment_request *r)
{
	return r->stats || r->trace || r->bbv;
}

bool experiment_by_marks(const struct experiment_request *r)
{
	return r->roi && !strcmp(r->roi, "marks");
}

/* Opens a file that is written while the machine runs. In a directory that the machine can write it
 * could be a link that an earlier machine has left there. */
static int output_file(const struct options *options, const char *path)
{
	char *copy = format_text("%s", path), *directory = realpath(dirname(copy), NULL);
	int fd;

	for (int i = 0; directory && i < options->share_both.nr; i++) {
		size_t length = strlen(options->share_both.word[i]);

		if (!strncmp(directory, options->share_both.word[i], length) &&
		    (!directory[length] || directory[length] == '/'))
			die(STATUS_OURS, "'%s' is in a directory that the machine can write", path);
	}
	free(directory);
	free(copy);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (fd < 0)
		die(STATUS_OURS, "cannot write '%s': %s", path, strerror(errno));
	return fd;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);

	return length >= tail && !strcmp(text + length - tail, end);
}

/* Returns a descriptor for the trace: the file, or a pipe to xz or gzip that writes it. */
static int trace_file(const struct options *options, struct experiment_request *r)
{
	const char *packer = ends_with(r->trace, ".xz")   ? "xz"
			     : ends_with(r->trace, ".gz") ? "gzip"
							  : NULL;
	int file = output_file(options, r->trace), ends[2];

	if (!packer)
		return file;
	if (pipe2(ends, O_CLOEXEC))
		die(STATUS_OURS, "cannot make a pipe: %s", strerror(errno));
	r->packer = fork();
	if (r->packer == 0) {
		dup2(ends[0], STDIN_FILENO);
		dup2(file, STDOUT_FILENO);
		execlp(packer, packer, "-c", "-1", (char *)NULL);
		_exit(STATUS_NOT_FOUND);
	}
	close(ends[0]);
	close(file);
	return ends[1];
}

/* SimPoint's files name the regions. */
static void take_simpoints(struct experiment_request *r)
{
	if (!r->simpoints && !r->weights)
		return;
	if (!r->simpoints || !r->weights || !r->stats)
		die(STATUS_OURS, "--simpoints, --weights and --stats belong together");
	if (r->skip || r->measure || r->interval || r->roi || r->warm_all)
		die(STATUS_OURS, "--simpoints replaces --skip, --measure, --interval and --roi");
	r->points = simpoints_read(r->simpoints, r->weights);
}

void experiment_prepare(struct options *options)
{
	struct experiment_request *r = &options->experiment;
	bool region = r->skip || r->warm_up || r->measure || r->interval || r->roi || r->warm_all;

	take_simpoints(r);
	if (region && !experiment_wanted(r))
		die(STATUS_OURS, "--skip, --warm-up, --measure, --interval and --roi want --stats, "
				 "--trace or --bbv");
	if (!experiment_wanted(r))
		return;
	if (!core_is_used(options))
		die(STATUS_OURS, "--stats, --trace and --bbv need a simulated core");
	if (r->reuse && !r->stats)
		die(STATUS_OURS, "--reuse wants --stats");
	if (options->processors > 1 && (r->trace || r->bbv || r->reuse || r->points))
		die(STATUS_OURS, "--trace, --bbv, --reuse and --simpoints are for one processor");
	if (r->stats) {
		statistics_check(r->stats);
		r->stats_fd = inherited(memfd_create("barepmu-stats", MFD_CLOEXEC));
	}
	if (r->trace)
		r->trace_fd = inherited(trace_file(options, r));
	if (r->bbv)
		r->bbv_fd = inherited(output_file(options, r->bbv));
}

static char *number_word(char *words, const char *name, uint64_t value)
{
	return value ? format_text("%s,%s=%llu", words, name, (unsigned long long)value) : words;
}

/* Where the region begins: by marks, or at a function of the program. */
static char *roi_words(const struct options *options, char *words)
{
	const char *roi = options->experiment.roi;

	if (!roi)
		return words;
	if (experiment_by_marks(&options->experiment))
		return format_text("%s,marks=on", words);
	return format_text("%s,function=%llu", words,
			   (unsigned long long)function_address(options, roi));
}

char *experiment_words(const struct options *options)
{
	const struct experiment_request *r = &options->experiment;
	char *words = format_text("%s", "");

	if (r->stats_fd)
		words = format_text("%s,stats=/dev/fd/%d", words, r->stats_fd);
	if (r->trace_fd)
		words = format_text("%s,trace=/dev/fd/%d,format=%s", words, r->trace_fd,
				    r->format ? r->format : "champsim");
	if (r->bbv_fd)
		words = format_text("%s,vectors=/dev/fd/%d,vector=%llu", words, r->bbv_fd,
				    (unsigned long long)r->vector);
	if (!experiment_wanted(r))
		return words;
	words = number_word(words, "skip", r->skip);
	words = number_word(words, "warm", r->warm_up);
	words = number_word(words, "measure", r->measure);
	words = number_word(words, "interval", r->interval);
	for (size_t i = 0; r->points && i < r->points->nr; i++)
		words = format_text("%s%s%llu", words, i ? ":" : ",points=",
				    (unsigned long long)(r->points->at[i].interval * r->point));
	words = number_word(words, "measure", r->points ? r->point : 0);
	if (r->reuse)
		words = format_text("%s,reuse=on", words);
	if (r->warm_all)
		words = format_text("%s,warm-all=on", words);
	return roi_words(options, words);
}

void experiment_finish(const struct options *options)
{
	const struct experiment_request *r = &options->experiment;
	int status = 0;

	if (r->trace_fd)
		close(r->trace_fd);
	if (r->packer && (waitpid(r->packer, &status, 0) < 0 || status))
		die(STATUS_OURS, "the trace could not be packed: is xz (or gzip) installed?");
	if (r->stats_fd)
		statistics_finish(options, r->stats_fd, r->stats);
}

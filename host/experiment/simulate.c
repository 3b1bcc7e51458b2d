/* SPDX-License-Identifier: BSD-2-Clause */
/* `barepmu simulate TRACE`: the simulator's caches, TLBs and predictors on a trace, without a
 * guest. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emulator/sim/experiment/bt9.h"
#include "emulator/sim/experiment/champsim.h"
#include "emulator/sim/experiment/timeline.h"
#include "emulator/sim/options/parse.h"
#include "host/core.h"
#include "host/experiment/compare.h"
#include "host/experiment/statistics.h"
#include "host/lib/report.h"
#include "host/lib/text.h"

struct simulation {
	const char *core, *stats, *path;
	uint64_t warm_up, measure;
	FILE *trace;
	pid_t unpacker;
};

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);

	return length >= tail && !strcmp(text + length - tail, end);
}

/* Opens the trace, through xz or gzip by the end of its name. */
static void open_trace(struct simulation *s)
{
	const char *program = ends_with(s->path, ".xz")   ? "xz"
			      : ends_with(s->path, ".gz") ? "gzip"
							  : NULL;
	int file = open(s->path, O_RDONLY | O_CLOEXEC), ends[2];

	if (file < 0)
		die(STATUS_OURS, "cannot read '%s': %s", s->path, strerror(errno));
	if (!program) {
		s->trace = fdopen(file, "r");
		return;
	}
	if (pipe2(ends, O_CLOEXEC))
		die(STATUS_OURS, "cannot make a pipe: %s", strerror(errno));
	s->unpacker = fork();
	if (!s->unpacker) {
		dup2(file, STDIN_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		execlp(program, program, "-dc", (char *)NULL);
		_exit(STATUS_NOT_FOUND);
	}
	close(ends[1]);
	close(file);
	s->trace = fdopen(ends[0], "r");
}

/* Reads the next instruction; false at the end. */
static bool next_insn(struct simulation *s, struct champsim_insn *insn)
{
	size_t bytes = fread(insn, 1, sizeof(*insn), s->trace);

	if (bytes && bytes < sizeof(*insn))
		die(STATUS_OURS, "'%s' ends within an instruction: no ChampSim trace", s->path);
	return bytes;
}

/* Runs the trace. Each branch needs the next instruction, which says where it led. */
static uint64_t run_champsim(struct simulation *s, struct timeline *t)
{
	struct champsim_insn now, next;
	uint64_t nr = 0;
	bool more = next_insn(s, &now);

	while (more) {
		more = next_insn(s, &next);
		if (nr == s->warm_up)
			timeline_measure(t);
		timeline_insn(t, &now, more ? next.ip : now.ip + 4);
		nr++;
		if (s->measure && nr == s->warm_up + s->measure)
			break;
		now = next;
	}
	return nr;
}

/* A line of a branch trace: "PC TARGET KIND TAKEN". */
static uint64_t run_branches(struct simulation *s, struct timeline *t)
{
	static const char *const kinds[] = {"conditional", "jump",          "indirect-jump",
					    "call",        "indirect-call", "return"};
	char line[256], kind[32];
	uint64_t nr = 0;

	while (fgets(line, sizeof(line), s->trace)) {
		unsigned long long pc, target;
		unsigned taken, which = 0;

		if (*line == '#')
			continue;
		if (sscanf(line, "%llx %llx %31s %u", &pc, &target, kind, &taken) != 4)
			die(STATUS_OURS, "'%s': no branch: %.40s", s->path, line);
		while (which < 6 && strcmp(kinds[which], kind))
			which++;
		if (which == 6)
			die(STATUS_OURS, "'%s': unknown kind of branch '%s'", s->path, kind);
		if (nr == s->warm_up)
			timeline_measure(t);
		timeline_branch(t, pc, which, taken, target, pc + 2);
		nr++;
		if (s->measure && nr == s->warm_up + s->measure)
			break;
	}
	return nr;
}

/* A trace of the branch prediction championship of 2016. */
static uint64_t run_bt9(struct simulation *s, struct timeline *t)
{
	const char *why;
	struct bt9_reader *reader = bt9_reader_new(s->trace, &why);
	struct bt9_branch branch;
	uint64_t nr = 0;

	if (!reader)
		die(STATUS_OURS, "'%s': %s", s->path, why);
	while (bt9_read(reader, &branch, &why)) {
		if (nr == s->warm_up)
			timeline_measure(t);
		timeline_pass(t, branch.before);
		timeline_branch(t, branch.pc, branch.kind, branch.taken, branch.target,
				branch.pc + branch.size);
		nr++;
		if (s->measure && nr == s->warm_up + s->measure)
			break;
	}
	if (why)
		die(STATUS_OURS, "'%s': %s", s->path, why);
	bt9_reader_free(reader);
	return nr;
}

/* Returns how many instructions, or branches, the trace has. Names say which kind it is. */
static uint64_t run_trace(struct simulation *s, struct timeline *t)
{
	const char *slash = strrchr(s->path, '/'), *name = slash ? slash + 1 : s->path;

	if (strstr(name, "bt9"))
		return run_bt9(s, t);
	return strstr(name, "branches") ? run_branches(s, t) : run_champsim(s, t);
}

static void print_counts(const struct timeline_counts *c)
{
	for (size_t i = 0; i < timeline_names; i++)
		printf("%16llu  %s\n", (unsigned long long)timeline_value(c, i), timeline_name(i));
	if (c->cycles)
		printf("%16.4f  ipc\n", (double)c->instructions / (double)c->cycles);
}

/* Writes the counts in the form of `run --stats`. */
static void write_stats(const struct simulation *s, const struct timeline_counts *c)
{
	json_t *user = json_object(), *processor = json_object(), *all = json_object(),
	       *processors = json_array();

	for (size_t i = 0; i < timeline_names; i++)
		json_object_set_new(user, timeline_name(i),
				    json_integer((json_int_t)timeline_value(c, i)));
	json_object_set_new(processor, "user", user);
	json_array_append_new(processors, processor);
	json_object_set_new(all, "format", json_integer(1));
	json_object_set_new(all, "core", json_string(s->core));
	json_object_set_new(all, "trace", json_string(s->path));
	json_object_set_new(all, "processors", processors);
	statistics_add_ratios(all);
	statistics_write(all, s->stats);
	json_decref(all);
}

static uint64_t number_of(const char *name, const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 10);

	if (*text < '0' || *text > '9' || *end)
		die(STATUS_OURS, "simulate: %s takes a number, not '%s'", name, text);
	return n;
}

static void parse(struct simulation *s, char **arguments)
{
	s->core = "skylake";
	for (; *arguments; arguments++) {
		const char *name = *arguments;

		if (*name != '-') {
			if (s->path)
				die(STATUS_OURS, "simulate wants one trace");
			s->path = name;
			continue;
		}
		if (!arguments[1])
			die(STATUS_OURS, "option '%s' wants a value", name);
		arguments++;
		if (!strcmp(name, "--core"))
			s->core = check_core(*arguments);
		else if (!strcmp(name, "--stats"))
			s->stats = *arguments;
		else if (!strcmp(name, "--warm-up"))
			s->warm_up = number_of(name, *arguments);
		else if (!strcmp(name, "--measure"))
			s->measure = number_of(name, *arguments);
		else
			die(STATUS_OURS, "simulate: unknown option '%s'", name);
	}
	if (!s->path)
		die(STATUS_OURS, "simulate wants a trace: barepmu simulate [--core NAME] TRACE");
	if (s->stats)
		statistics_check(s->stats);
}

int simulate_trace(char **arguments)
{
	static struct core_config config;
	static struct simulation s;
	struct timeline_counts counts;
	struct timeline *t;
	char error[512];
	uint64_t nr;

	parse(&s, arguments);
	if (core_config_parse(check_core(s.core), &config, error, sizeof(error)))
		die(STATUS_OURS, "%s", error);
	open_trace(&s);
	t = timeline_new(&config);
	if (!t)
		die(STATUS_OURS, "out of memory");
	nr = run_trace(&s, t);
	timeline_counts(t, &counts);
	fclose(s.trace);
	if (!nr)
		die(STATUS_OURS, "'%s' is empty, or cannot be unpacked", s.path);
	print_counts(&counts);
	if (s.stats)
		write_stats(&s, &counts);
	timeline_free(t);
	return 0;
}

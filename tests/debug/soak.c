/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs programs again and again, and says what that left behind: nothing, to the object.
 * usage: soak ROUNDS PROGRAM...     a program may be words: "/t/stress-ng --pipe 2"; SEED is
 * another number in each round */
#include "tests/debug/debug.h"
#include "tests/fuzz/fuzz.h"
#include <sys/prctl.h>

#define MOST_WORDS 32
#define OUTPUT     "/tmp/soak.output"

/* Prints the failures of the last program, and their reasons: the comments before them. A
 * process of its own prints, whose memory is not counted. */
static void tell_why(const char *program, int status)
{
	char line[256];
	FILE *output;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child) {
		waitpid(child, NULL, 0);
		return;
	}
	printf("# %s: status %d\n", program, status);
	output = fopen(OUTPUT, "r");
	while (output && fgets(line, sizeof(line), output))
		if (strncmp(line, "not ok", 6) == 0 || *line == '#')
			printf("# %s", line);
	exit(0);
}

/* Returns its exit status, 128 + signal. */
static int run(const char *words, unsigned round)
{
	char copy[512], seed[16], *arguments[MOST_WORDS + 1] = {0};
	pid_t child = fork();
	int status = 0, count = 0;

	if (!child) {
		prctl(PR_SET_CHILD_SUBREAPER,
		      1); /* as when it is the first process: it counts what its orphans hold */
		snprintf(copy, sizeof(copy), "%s", words);
		snprintf(seed, sizeof(seed), "%u", 1000 * round + 1);
		for (char *at = strtok(copy, " "); at && count < MOST_WORDS; at = strtok(NULL, " "))
			arguments[count++] = strcmp(at, "SEED") ? at : seed;
		close(1);
		open(OUTPUT, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		execv(arguments[0], arguments);
		_exit(127);
	}
	waitpid(child, &status, 0);
	while (waitpid(-1, NULL, 0) > 0)
		; /* orphans are ours */
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static unsigned round_of(int argc, char **argv, unsigned round)
{
	unsigned failed = 0;

	for (int i = 2; i < argc; i++) {
		int status = run(argv[i], round);

		if (status)
			tell_why(argv[i], status);
		unlink(OUTPUT);
		failed += status != 0;
	}
	return failed;
}

/* Pages that are neither free, nor kept for the next task's kernel stack, nor shared by small
 * objects, which are counted themselves. */
static long pages_held(const struct debug_count *count)
{
	return (long)(count->pages - count->stacks);
}

/* Pages of files: a page of the image's files stays once a program has touched it. */
static unsigned long cached_kib(void)
{
	unsigned long kib = 0;
	char line[128];
	FILE *file = fopen("/proc/meminfo", "r");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Cached: %lu", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib;
}

static void tell_memory(const char *when)
{
	uint64_t free = free_memory(); /* memory that the debug kernel keeps back is free again */
	struct debug_count count = debug_count();

	printf("# %s, %lu s: %lu KiB free, %lu KiB of files, pages held %ld, of stacks %ld, of "
	       "small objects %ld\n",
	       when, now_ms() / 1000, free >> 10, cached_kib(), pages_held(&count),
	       (long)count.stacks, (long)count.slabs);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct debug_count before, after;
	char when[32];
	unsigned rounds = 0, failed, wanted;

	if (argc < 3)
		return tap_skip_all("usage: soak ROUNDS PROGRAM...");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	wanted = (unsigned)strtoul(argv[1], NULL, 10);
	failed = round_of(argc, argv, 0); /* objects of the first round that stay permanently */
	tell_why(argv[0], 0);             /* the pages of this file, too, stay once they are used */
	tell_memory("before");
	before = debug_count();
	do {
		failed += round_of(argc, argv, ++rounds);
		snprintf(when, sizeof(when), "round %u", rounds);
		tell_memory(when);
	} while (rounds < wanted);
	ok(!failed, "%u rounds: all programs ended well", rounds);
	after = debug_count();
	is((long)(after.small - before.small), 0, "objects that are left");
	is((long)(after.large - before.large), 0, "large objects");
	is(pages_held(&after) - pages_held(&before), 0, "pages");
	is((long)(after.accounts - before.accounts), 0, "users are charged with as much as before");
	is((long)(after.tasks - before.tasks), 0, "tasks");
	debug_control(DEBUG_CHECK, 0, 0);
	return tap_end();
}

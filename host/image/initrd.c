/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds what the image finds in its files: the applications, the program and the run file. */
#include "host/image/initrd.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/image/archive.h"
#include "host/image/environment.h"
#include "host/image/kernel.h"
#include "host/image/libraries.h"
#include "host/image/linux.h"
#include "host/image/program.h"
#include "host/lib/home.h"
#include "host/lib/missing.h"
#include "host/lib/report.h"
#include "host/lib/text.h"
#include "host/machine/link/share.h"

#define MAX_ARGUMENT (256 << 20) /* bytes of a file that goes along unasked */

/* One string of the run file (docs/protocols.md): its kind, its text, NUL. */
static void run_word(struct buffer *run, char kind, const char *text)
{
	buffer_append(run, &kind, 1);
	buffer_append(run, text, strlen(text) + 1);
}

static void run_words(struct buffer *run, char kind, const struct words *words)
{
	for (int i = 0; i < words->nr; i++)
		run_word(run, kind, words->word[i]);
}

/* True when an application of the same name runs the program. */
static bool has_application(const struct options *options)
{
	return !strcmp(options->command, "stat") || !strcmp(options->command, "record") ||
	       !strcmp(options->command, "list") || !strcmp(options->command, "bench");
}

/* Adds the application before PROGRAM, with its options. */
static void run_application(struct buffer *run, const struct options *options)
{
	bool record = !strcmp(options->command, "record");
	const char *output = options->output;

	run_word(run, 'A', format_text("/bin/%s", options->command));
	run_words(run, 'A', &options->pass);
	if (record) {
		run_word(run, 'A', "-o");
		run_word(run, 'A', strcmp(output, "-") ? "/out/perf.data" : "-");
		run_word(run, 'A', "-N");
		run_word(run, 'A', output);
		run_word(run, 'A', "-K");
		run_word(run, 'A', kernel_text());
	} else if (output) {
		run_word(run, 'A', "-o");
		run_word(run, 'A', "/out/stat.txt");
	}
	if (*options->program)
		run_word(run, 'A', "--");
}

bool directories_are_shared(const struct options *options)
{
	return strcmp(options->command, "image") && (!options->no_share || options->share.nr);
}

static void run_shares(struct buffer *run, const struct options *options)
{
	run_words(run, 'S', share_choose(options));
	run_words(run, 'W', &options->share_both);
}

static void run_environment(struct buffer *run, const struct options *options)
{
	size_t nr;
	const char *const *texts = environment_of(options, &nr);

	for (size_t i = 0; i < nr; i++)
		run_word(run, 'E', texts[i]);
	free((void *)texts);
}

/* Writes the run file: the program, or the application that measures it. */
static struct buffer build_run_file(const struct options *options, const char *program)
{
	struct buffer run = {NULL, 0, 0};

	run_word(&run, 'C', options->cwd);
	if (directories_are_shared(options))
		run_shares(&run, options);
	run_environment(&run, options);
	if (has_application(options))
		run_application(&run, options);
	if (program)
		run_word(&run, 'A', program);
	for (char **word = options->program; *word && word[1]; word++)
		run_word(&run, 'A', word[1]);
	return run;
}

/* Adds a program's libraries, or the libraries of all programs in a directory. */
static void add_libraries(struct buffer *archive, const struct options *options, const char *path)
{
	struct stat info;

	if (stat(path, &info))
		return;
	if (S_ISREG(info.st_mode) && info.st_mode & 0111)
		archive_add_libraries(archive, path);
	if (S_ISDIR(info.st_mode))
		archive_add_directory_libraries(archive, options, path);
}

/* Adds HOSTFILE[:PATH]. An existing file whose name contains a colon is meant as a whole. */
static void add_extra(struct buffer *archive, const struct options *options, const char *text)
{
	char *host = realpath(text, NULL), *copy, *colon, *place;

	if (host) {
		place = *text == '/' ? NULL : added_place(options, text);
		archive_add_host(archive, host, place ? place : host);
		add_libraries(archive, options, host);
		free(place);
		return;
	}
	copy = format_text("%s", text);
	colon = strrchr(copy, ':');
	place = colon ? added_place(options, colon + 1) : NULL;
	if (!place || !strcmp(place, "/"))
		missing_file(STATUS_OURS, "add", text, false);
	*colon = '\0';
	archive_add_host(archive, copy, place);
	add_libraries(archive, options, copy);
	free(place);
	free(copy);
}

/* Adds a script's interpreter, with its libraries. */
static void add_interpreter(struct buffer *archive, const struct buffer *script)
{
	char *interpreter = script_interpreter(script);

	if (!interpreter)
		return;
	archive_add_host(archive, interpreter, interpreter);
	archive_add_libraries(archive, interpreter);
	free(interpreter);
}

/* Adds the name in /bin by which a stick's job starts the program. */
static void add_job_name(struct buffer *archive, const struct program *program)
{
	const char *name = program_job_name(program);
	char *link = name ? format_text("/bin/%s", name) : NULL;

	if (link && strcmp(link, program->place))
		archive_add_link(archive, link, program->place);
	free(link);
}

/* Adds the program at its host path (unless --add moves it) and its dependencies. */
static void add_program(struct buffer *archive, const struct program *program)
{
	struct buffer file = read_file(program->host);

	if (!program->added)
		archive_add(archive, program->place, 0755, file.bytes, file.size);
	if (strcmp(program->name, program->place))
		archive_add_link(archive, program->name, program->place);
	add_interpreter(archive, &file);
	free(file.bytes);
	archive_add_libraries(archive, program->host);
}

/* Adds the caller's home directory, so that programs can change to it; --share shows its
 * contents. */
static void add_home(struct buffer *archive, const struct options *options)
{
	const char *home = getenv("HOME");

	if (strcmp(options->command, "image") && home && *home == '/' && home[1] &&
	    !strstr(home, ".."))
		archive_add_directory(archive, home);
}

/* Adds the files that the command line names after PROGRAM: not every kernel can show the host's
 * directories. */
static void add_arguments(struct buffer *archive, const struct options *options)
{
	for (char **word = options->program; *word && word[1]; word++) {
		char *host = realpath(word[1], NULL), *place = NULL;
		struct stat info;

		if (host && !stat(host, &info) && S_ISREG(info.st_mode) &&
		    info.st_size <= MAX_ARGUMENT)
			place = added_place(options, word[1]);
		if (place) {
			archive_add_host(archive, host, place);
			add_libraries(archive, options, host);
		}
		free(place);
		free(host);
	}
}

/* Adds the files that `linux` needs. */
static void add_linux(struct buffer *archive, const struct options *options)
{
	archive_add_directory(archive, "/tmp");
	add_arguments(archive, options);
	linux_files(archive, options);
	if (directories_are_shared(options))
		linux_modules(archive);
}

struct buffer build_initrd(const struct options *options)
{
	struct buffer archive = {NULL, 0, 0}, run;
	struct program program = find_program(options);

	archive_add_host(&archive, home_file("apps"), "/bin");
	archive_add_directory(&archive, "/out");
	if (!options->cwd_chosen && strcmp(options->cwd, "/"))
		archive_add_directory(&archive, options->cwd);
	add_home(&archive, options);
	for (int i = 0; i < options->add.nr; i++)
		add_extra(&archive, options, options->add.word[i]);
	for (const struct extra *extra = options->extra; extra; extra = extra->next)
		archive_add(&archive, extra->path, 0444, extra->content.bytes, extra->content.size);
	if (program.host)
		add_program(&archive, &program);
	if (program.host && !strcmp(options->command, "image"))
		add_job_name(&archive, &program);
	if (program.host || strcmp(options->command, "image")) {
		run = build_run_file(options, program.name);
		archive_add(&archive, "/.barepmu/run", 0444, run.bytes, run.size);
		free(run.bytes);
	}
	if (!strcmp(options->command, "linux"))
		add_linux(&archive, options);
	archive_end(&archive);
	free(program.host);
	free(program.place);
	free(program.name);
	return archive;
}

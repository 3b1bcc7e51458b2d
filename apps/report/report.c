/* SPDX-License-Identifier: BSD-2-Clause */
/* report: shows the profile of a perf.data file as a table, a flame graph or a page. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "apps/lib/perfdata/perfdata.h"
#include "apps/lib/workload.h"
#include "apps/report/callgrind.h"
#include "apps/report/flame.h"
#include "apps/report/helpers.h"
#include "apps/report/names.h"
#include "apps/report/page.h"
#include "apps/report/profile.h"
#include "apps/report/tree.h"

struct options {
	bool annotate;
	const char *function; /* of --annotate; NULL: the hottest */
	const char *path, *flame, *html, *callgrind, *compare;
	const char *output; /* the picture's file, where its own option does not name it; or NULL */
	struct table_options table;
};

static const char usage_text[] =
    "usage: report [-i FILE] [--sort KEYS] [--children] [--callers] [--flame FILE.svg [--diff "
    "OLD]]\n"
    "              [--html FILE.html] [--annotate[=NAME]] [--stdio] [FILE]\n"
    "  --sort KEYS        lines are by these: comm, dso, symbol (all three)\n"
    "  --children         each function with what it called, by the call chains\n"
    "  --callers          below each function those that called it\n"
    "  --flame FILE.svg   a flame graph that can be searched and zoomed\n"
    "  --diff OLD         red has grown since the profile OLD, blue has shrunk\n"
    "  --callgrind FILE   for KCachegrind and callgrind_annotate\n"
    "  --no-demangle      names of C++ and Rust as the symbol tables have them\n"
    "  --annotate[=NAME]  the code of the hottest function, or of this one, with its samples\n"
    "  --html FILE.html   one page: table, flame graph, samples over time, hottest addresses\n"
    "  -o FILE            the file of --flame, --callgrind or --html, as in --flame -o FILE\n";

static int fail(const char *what, const char *text)
{
	fprintf(stderr, "report: %s%s\n", what, text);
	return STATUS_OURS;
}

/* True if the file begins as perf.data does. */
static bool is_profile(const char *path)
{
	char start[sizeof(PERFDATA_MAGIC) - 1];
	FILE *file = fopen(path, "re");
	bool same = file && fread(start, sizeof(start), 1, file) == 1 &&
		    !memcmp(start, PERFDATA_MAGIC, sizeof(start));

	if (file)
		fclose(file);
	return same;
}

static FILE *create(const char *path)
{
	FILE *file = fopen(path, "we");

	if (file)
		return file;
	fprintf(stderr, "report: cannot write '%s': %s\n", path, strerror(errno));
	exit(STATUS_OURS);
}

static void finish(FILE *file, const char *path)
{
	bool whole = !ferror(file);

	if (!fclose(file) && whole)
		return;
	fprintf(stderr, "report: cannot write '%s': %s\n", path, strerror(errno));
	exit(STATUS_OURS);
}

static void open_profile(struct perfdata_reader *reader, const char *path)
{
	char error[EVENT_ERROR_SIZE];

	if (!perfdata_read(reader, path, error))
		return;
	fprintf(stderr, "report: %s\n", error);
	exit(STATUS_OURS);
}

/* Returns the event of pictures and code: the first with samples (in a group, auxiliary events have
 * none). */
static int main_event(const struct perfdata_reader *reader)
{
	int first = -1;

	for (size_t i = 0; i < reader->nr_records && first; i++) {
		const struct perf_event_header *record = reader->records[i].header;
		int event =
		    record->type == PERF_RECORD_SAMPLE ? perfdata_event_of(reader, record) : first;

		if (first < 0 || event < first)
			first = event;
	}
	return first < 0 ? 0 : first;
}

/* The other profile's event is the one at the same index. */
static void write_flame(const struct options *options, const struct perfdata_reader *reader)
{
	struct node root = {.name = "all", .ring = '.'};
	struct perfdata_reader old;
	FILE *out = create(options->flame);
	int event = main_event(reader);
	char title[256], note[512];

	tree_add(&root, reader, event, false);
	if (options->compare) {
		open_profile(&old, options->compare);
		tree_add(&root, &old, event < old.nr_attrs ? event : 0, true);
	}
	snprintf(title, sizeof(title), "%s by call stack%s", perfdata_event_name(reader, event),
		 options->compare ? ", changed" : "");
	snprintf(note, sizeof(note), "width: share of %s%s; %s", perfdata_event_name(reader, event),
		 options->compare
		     ? "; red: share has grown, blue: has shrunk; full colour: by 10 points"
		     : "; orange: ring 3, blue: kernel",
		 perfdata_string(reader, PERFDATA_CPUDESC));
	flame_write(out, &root, title, note, options->compare != NULL);
	finish(out, options->flame);
}

static void write_page(const struct options *options, const struct perfdata_reader *reader)
{
	static const struct table_options plain = {.keys = KEY_ALL};
	struct profile profile = {0};
	FILE *out = create(options->html);
	int event = main_event(reader);

	profile_make(&profile, reader, event, &plain);
	page_write(out, reader, event, &profile);
	finish(out, options->html);
	profile_free(&profile);
}

static void write_callgrind(const struct options *options, const struct perfdata_reader *reader)
{
	FILE *out = create(options->callgrind);

	callgrind_write(out, reader, main_event(reader));
	finish(out, options->callgrind);
}

static int show_code(const struct options *options, const struct perfdata_reader *reader)
{
	static const struct table_options plain = {.keys = KEY_ALL};
	struct profile profile = {0};
	int event = main_event(reader);
	bool found;

	profile_make(&profile, reader, event, &plain);
	found = page_annotate(stdout, reader, event, &profile, options->function);
	profile_free(&profile);
	if (found)
		return fflush(stdout) ? STATUS_OURS : 0;
	return fail("no samples in ",
		    options->function ? options->function : "functions that a file has");
}

/* Parses a list of comm, dso, symbol. 0: another word. */
static unsigned sort_keys(const char *text)
{
	static const char *const names[] = {"comm", "dso", "symbol", "sym"}; /* the last as perf */
	unsigned keys = 0;

	while (*text) {
		size_t length = strcspn(text, ",");
		unsigned key = 0;

		while (key < 4 &&
		       (strlen(names[key]) != length || strncmp(names[key], text, length)))
			key++;
		if (key == 4)
			return 0;
		keys |= 1u << (key < 3 ? key : 2);
		text += length + (text[length] == ',');
	}
	return keys;
}

static int usage(FILE *out, int status)
{
	fputs(usage_text, out);
	return status;
}

/* clang-format off */
static const struct option long_options[] = {
    {"input", required_argument, NULL, 'i'},
    {"output", required_argument, NULL, 'o'},
    {"sort", required_argument, NULL, 's'},
    {"children", no_argument, NULL, 'c'},
    {"callers", no_argument, NULL, 'C'},
    {"annotate", optional_argument, NULL, 'a'},
    {"flame", required_argument, NULL, 'F'},
    {"diff", required_argument, NULL, 'd'},
    {"html", required_argument, NULL, 'H'},
    {"callgrind", required_argument, NULL, 'G'},
    {"no-demangle", no_argument, NULL, 'N'},
    {"help", no_argument, NULL, 'h'},
    /* Options of perf that change nothing here. */
    {"stdio", no_argument, NULL, 'n'},
    {"no-children", no_argument, NULL, 'n'},
    {"force", no_argument, NULL, 'n'},
    {"show-nr-samples", no_argument, NULL, 'n'},
    {NULL, 0, NULL, 0},
};
/* clang-format on */

/* Returns the field that is an option's text, or NULL. */
static const char **text_field(struct options *options, int letter)
{
	switch (letter) {
	case 'i':
		return &options->path;
	case 'o':
		return &options->output;
	case 'F':
		return &options->flame;
	case 'H':
		return &options->html;
	case 'G':
		return &options->callgrind;
	case 'd':
		return &options->compare;
	default:
		return NULL;
	}
}

/* Takes an option without a text of its own. Returns 0, or the exit status. */
static int take_option(struct options *options, int letter)
{
	switch (letter) {
	case 'a':
		options->annotate = true;
		options->function = optarg;
		return 0;
	case 'c':
		options->table.children = true;
		return 0;
	case 'C':
		options->table.callers = true;
		return 0;
	case 'N':
		names_keep_mangled();
		return 0;
	case 's':
		options->table.keys = sort_keys(optarg);
		return options->table.keys
			   ? 0
			   : fail("--sort wants comm, dso and symbol, not ", optarg);
	case 'f':
	case 'n':
		return 0;
	case 'h':
		exit(usage(stdout, 0));
	default:
		return usage(stderr, STATUS_OURS);
	}
}

static int refuse(int letter, const char *typed)
{
	fprintf(stderr,
		letter == ':' ? "report: option '%s' wants a value\n"
			      : "report: unknown option '%s': see `report -h`\n",
		typed);
	return STATUS_OURS;
}

/* Returns the field with the file of the first picture, or NULL. */
static const char **picture_field(struct options *options)
{
	return options->flame       ? &options->flame
	       : options->html      ? &options->html
	       : options->callgrind ? &options->callgrind
				    : NULL;
}

/* Gives the picture the file that -o names, as in `--flame -o FILE` and `--flame PROFILE -o FILE`.
 */
static int settle_picture(struct options *options, bool has_operand)
{
	const char **file = picture_field(options);

	if (!options->output)
		return file && !**file ? fail("a picture wants its file: --flame FILE.svg", "") : 0;
	if (!file)
		return fail("-o names the file of --flame, --html or --callgrind", "");
	if (**file && has_operand)
		return fail("the picture has two files, one of them by -o ", options->output);
	if (**file)
		options->path = *file;
	*file = options->output;
	return 0;
}

static bool replaces_profile(const struct options *options)
{
	const char *const files[] = {options->flame, options->html, options->callgrind};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (files[i] && is_profile(files[i]))
			return true;
	return false;
}

/* An option in the place of a picture's file is read as an option. */
static const char *text_of(int letter, char **argv)
{
	bool is_option = *optarg == '-' && optarg[1] && optarg == argv[optind - 1];

	if (!strchr("FHG", letter) || !is_option)
		return optarg;
	optind--;
	return "";
}

static int parse(struct options *options, int argc, char **argv)
{
	int letter, status = 0;
	bool has_operand;

	*options = (struct options){.path = "perf.data", .table.keys = KEY_ALL};
	opterr = 0;
	while (!status &&
	       (letter = getopt_long(argc, argv, ":i:o:s:fnh", long_options, NULL)) != -1) {
		const char **to = text_field(options, letter);

		if (letter == '?' || letter == ':')
			status = refuse(letter, argv[optind - 1]);
		else if (to)
			*to = text_of(letter, argv);
		else
			status = take_option(options, letter);
	}
	has_operand = optind < argc;
	status = status ? status : settle_picture(options, has_operand);
	if (status)
		return status;
	if (has_operand)
		options->path = argv[optind++];
	if (replaces_profile(options))
		return fail("a picture must not replace a profile: --flame FILE.svg PROFILE", "");
	if (optind < argc)
		return fail("it takes one profile, not besides ", argv[optind]);
	if (options->compare && !options->flame)
		return fail("--diff wants --flame FILE.svg", "");
	return 0;
}

/* Returns the columns of the terminal, or 0 if standard output is none. */
static int terminal_width(void)
{
	struct winsize size = {0};

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

int report_main(int argc, char **argv)
{
	struct perfdata_reader reader;
	struct options options;
	int status = parse(&options, argc, argv);
	bool pictures;

	if (status)
		return status;
	open_profile(&reader, options.path);
	if (options.flame)
		write_flame(&options, &reader);
	if (options.html)
		write_page(&options, &reader);
	if (options.callgrind)
		write_callgrind(&options, &reader);
	if (options.annotate)
		return show_code(&options, &reader);
	pictures = options.flame || options.html || options.callgrind;
	options.table.width = terminal_width();
	for (int event = 0; !pictures && event < reader.nr_attrs; event++) {
		struct profile profile = {0};

		profile_make(&profile, &reader, event, &options.table);
		profile_print(&profile, &reader, event, &options.table);
		profile_free(&profile);
	}
	return fflush(stdout) ? STATUS_OURS : 0;
}

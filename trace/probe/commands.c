/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands of tracefs's kprobe_events and uprobe_events: p[:[GROUP/]EVENT] PLACE [ARGUMENT]...
 * and r..., -:[GROUP/]EVENT. */
#include <linux/errno.h>
#include <linux/stat.h>
#include "kernel/base/string.h"
#include "kernel/base/symbols.h"
#include "kernel/base/text.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/path.h"
#include "kernel/mem/memory.h"
#include "trace/probe/base/words.h"
#include "trace/probe/probe.h"

static char *copy_of(const char *string)
{
	char *copy = kalloc(strlen(string) + 1);

	if (copy)
		memcpy(copy, string, strlen(string) + 1);
	return copy;
}

/* ---- names ---- */

static int set_name(char name[PROBE_NAME], const char *word, bool of_group)
{
	if (!word_is_name(word, of_group))
		return -EINVAL;
	return strlcpy(name, word, PROBE_NAME) < PROBE_NAME ? 0 : -EINVAL;
}

/* "GROUP/EVENT", "EVENT", or nothing (NULL). */
static int parse_names(struct probe *probe, char *word)
{
	char *slash = word ? strchr(word, '/') : NULL;
	char *dot = word && !slash ? strchr(word, '.') : NULL;
	int err = 0;

	slash = slash ? slash : dot;
	strlcpy(probe->system, probe->of_program ? "uprobes" : "kprobes", PROBE_NAME);
	if (slash) {
		*slash = 0;
		err = set_name(probe->system, word, true);
		word = slash + 1;
	}
	if (!err && word && *word)
		err = set_name(probe->name, word, false);
	return err;
}

/* Makes a name from the address, if none was given. */
static void default_name(struct probe *probe)
{
	const char *base = probe->place ? strrchr(probe->place, '/') : NULL;
	struct text text;

	if (probe->name[0])
		return;
	base = base ? base + 1 : probe->place;
	text_init(&text, probe->name, sizeof(probe->name));
	if (probe->of_program)
		text_print(&text, "p_%s_0x%lx", base, probe->offset);
	else if (probe->place)
		text_print(&text, "%c_%s_%lu", probe->returns ? 'r' : 'p', base, probe->offset);
	else
		text_print(&text, "%c_0x%lx", probe->returns ? 'r' : 'p', probe->address);
	for (char *c = probe->name; *c; c++)
		if (!((*c | 0x20) >= 'a' && (*c | 0x20) <= 'z') && !(*c >= '0' && *c <= '9'))
			*c = '_';
}

/* ---- places ---- */

/* Cuts "(OFFSET)" off the end of an address: its semaphore. */
static int parse_semaphore(struct probe *probe, char *word)
{
	char *begin = strchr(word, '('), *end = begin ? strchr(begin, ')') : NULL;

	if (!begin)
		return 0;
	if (!end || end[1])
		return -EINVAL;
	*begin = *end = 0;
	return word_number(begin + 1, &probe->semaphore) ? 0 : -EINVAL;
}

/* PATH:OFFSET[%return][(OFFSET)]. */
static int parse_program(struct probe *probe, char *word)
{
	char *colon = strrchr(word, ':'), *more;
	int err;

	if (!colon)
		return -EINVAL;
	*colon = 0;
	err = parse_semaphore(probe, colon + 1);
	if (err)
		return err;
	more = strchr(colon + 1, '%');
	if (more && strcmp(more, "%return") != 0)
		return -EINVAL;
	if (more) {
		*more = 0;
		probe->returns = true;
	}
	if (!word_number(colon + 1, &probe->offset))
		return -EINVAL;
	err = path_lookup(NULL, word, 0, &probe->inode);
	if (err)
		return err;
	if (!S_ISREG(probe->inode->mode))
		return -EINVAL;
	probe->place = copy_of(word);
	return probe->place ? 0 : -ENOMEM;
}

/* True if a function starts there, whichever symbol named the address. */
static bool is_entry(const struct probe *probe)
{
	uint64_t offset;

	return symbols_find(probe->address, &offset) && !offset;
}

/* SYMBOL[+OFFSET] or an address. */
static int parse_kernel(struct probe *probe, char *word)
{
	char *plus = strchr(word, '+'), *more = strchr(word, '%');
	uint64_t start;

	if (more && strcmp(more, "%return") != 0)
		return -EINVAL;
	if (more) {
		*more = 0;
		probe->returns = true;
	}
	if (word_number(word, &probe->address))
		return kprobe_check(probe->address);
	if (strchr(word, '-') || strchr(word, ':'))
		return -EINVAL;
	if (plus)
		*plus = 0;
	if (plus && !word_number(plus + 1, &probe->offset))
		return -EINVAL;
	if (!word_symbol(word, &start))
		return -ENOENT;
	probe->address = start + probe->offset;
	if (probe->returns && !is_entry(probe))
		return -EINVAL;
	probe->place = copy_of(word);
	return probe->place ? kprobe_check(probe->address) : -ENOMEM;
}

static int parse_arguments(struct probe *probe, char *rest)
{
	unsigned where =
	    (probe->of_program ? FETCH_OF_USER : 0) | (probe->returns ? FETCH_OF_RETURN : 0) |
	    (!probe->of_program && !probe->returns && is_entry(probe) ? FETCH_OF_FUNCTION : 0);
	char *word;
	int err;

	while (*rest == ' ' || *rest == '\t')
		rest++;
	if (*rest && !(probe->words = copy_of(rest)))
		return -ENOMEM;
	while ((word = word_next(&rest))) {
		if (probe->nr_args == PROBE_ARGS_MAX)
			return -E2BIG;
		err = fetch_parse(&probe->args[probe->nr_args], word, probe->nr_args, where);
		if (err)
			return err;
		for (unsigned i = 0; i < probe->nr_args; i++)
			if (strcmp(probe->args[i].name, probe->args[probe->nr_args].name) == 0)
				return -EINVAL;
		probe->nr_args++;
	}
	return 0;
}

/* ---- commands ---- */

static int define(struct probe *probe, char *what, char *rest)
{
	char *names = strchr(what, ':'), *place;
	uint64_t most;
	int err;

	probe->returns = *what == 'r';
	if (names)
		*names++ = 0;
	/* The number after the kernel's r: the maximum of calls in progress. */
	if (what[1] && (probe->of_program || !probe->returns || !word_number(what + 1, &most)))
		return -EINVAL;
	err = parse_names(probe, names);
	place = word_next(&rest);
	if (err || !place)
		return err ? err : -EINVAL;
	err = probe->of_program ? parse_program(probe, place) : parse_kernel(probe, place);
	if (!err)
		err = parse_arguments(probe, rest);
	default_name(probe);
	return err ? err : probe_publish(probe);
}

static int create(char *what, char *rest, bool of_program)
{
	struct probe *probe = probe_new();
	int err;

	if (!probe)
		return -ENOMEM;
	probe->of_program = of_program;
	probe->event.flags = of_program ? TRACE_ONE_KIND : 0;
	probe->is_named = true;
	err = define(probe, what, rest);
	if (err)
		probe_free(probe);
	return err;
}

static int destroy(char *names, bool of_program)
{
	struct probe wanted = {.of_program = of_program}, *probe;
	int err = *names == ':' ? parse_names(&wanted, names + 1) : -EINVAL;

	if (err)
		return err;
	probe = probe_by_name(wanted.system, wanted.name);
	if (!probe || probe->of_program != of_program)
		return -ENOENT;
	if (probe->event.users)
		return -EBUSY;
	probe_free(probe);
	return 0;
}

static int command(char *line, bool of_program)
{
	char *comment = strchr(line, '#'), *what;

	if (comment)
		*comment = 0;
	what = word_next(&line);
	if (!what)
		return 0;
	switch (*what) {
	case 'p':
	case 'r':
		return create(what, line, of_program);
	case '-':
		return destroy(what + 1, of_program);
	default:
		return -EINVAL;
	}
}

int probe_commands(const char *text, uint64_t of_program)
{
	char *copy = copy_of(text), *line = copy;
	int err = copy ? 0 : -ENOMEM;

	while (!err && line && *line) {
		char *end = strchr(line, '\n');

		if (end)
			*end++ = 0;
		err = command(line, of_program);
		line = end;
	}
	kfree(copy);
	return err;
}

int probe_clear(uint64_t of_program)
{
	struct probe *probe;

	for (uint64_t at = 0; (probe = probe_next(&at));)
		if (probe->of_program == of_program && probe->event.users)
			return -EBUSY;
	for (uint64_t at = 0; (probe = probe_next(&at));)
		if (probe->of_program == of_program)
			probe_free(probe);
	return 0;
}

/* ---- what there is ---- */

static void list_place(struct text *out, const struct probe *probe)
{
	if (probe->of_program && probe->semaphore)
		text_print(out, "%s:0x%016lx(0x%lx)", probe->place, probe->offset,
			   probe->semaphore);
	else if (probe->of_program)
		text_print(out, "%s:0x%016lx", probe->place, probe->offset);
	else if (!probe->place)
		text_print(out, "0x%lx", probe->address);
	else if (probe->offset)
		text_print(out, "%s+%lu", probe->place, probe->offset);
	else
		text_print(out, "%s", probe->place);
}

/* An unnamed argument is shown with its generated name. */
static void list_arguments(struct text *out, const struct probe *probe)
{
	const char *word = probe->words;

	for (unsigned i = 0; i < probe->nr_args; i++) {
		size_t length = 0;

		while (*word == ' ' || *word == '\t')
			word++;
		while (word[length] && word[length] != ' ' && word[length] != '\t')
			length++;
		text_char(out, ' ');
		for (size_t at = 0; at <= length; at++)
			if (at == length)
				text_print(out, "%s=", probe->args[i].name);
			else if (word[at] == '=')
				break;
		text_add(out, word, length);
		word += length;
	}
}

void probe_list(struct text *out, uint64_t of_program)
{
	const struct probe *probe;

	for (uint64_t at = 0; (probe = probe_next(&at));) {
		if (probe->of_program != of_program)
			continue;
		text_print(out, "%c:%s/%s ", probe->returns ? 'r' : 'p', probe->system,
			   probe->name);
		list_place(out, probe);
		list_arguments(out, probe);
		text_char(out, '\n');
	}
}

void probe_profile(struct text *out, uint64_t of_program)
{
	const struct probe *probe;

	for (uint64_t at = 0; (probe = probe_next(&at));) {
		if (probe->of_program != of_program)
			continue;
		if (of_program)
			text_print(out, "  %s %-44s %15lu\n", probe->place, probe->name,
				   probe->hits);
		else
			text_print(out, "  %-44s %15lu %15lu\n", probe->name, probe->hits, 0ul);
	}
}

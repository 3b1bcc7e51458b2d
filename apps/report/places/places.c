/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracks processes through a perf.data file: their names, mappings and mapped files. */
#include "apps/report/places/places.h"

#include <search.h>
#include <stdio.h>
#include <string.h>

#include "apps/lib/symbols/symbols.h"
#include "apps/report/helpers.h"
#include "apps/report/memory.h"
#include "apps/report/names.h"
#include "apps/report/places/jit.h"
#include "apps/report/places/maps.h"

struct file {
	char *path, *unknown;    /* the name of code without a symbol */
	struct symbols *symbols; /* NULL: it cannot be read */
};

struct process {
	uint32_t pid;
	char *command;
	struct maps maps;
	struct jit *jit; /* generated code; NULL: none, or not looked for yet */
	bool jit_known;
	unsigned execs;
};

struct places {
	const char *profile;
	struct file *kernel;     /* of the build id in the profile; NULL: unknown */
	void *files, *processes; /* of tsearch(3), by path and by number */
};

/* The layouts of man 2 perf_event_open, "struct perf_event_header". */
struct mmap_event {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, length, offset;
	char name[];
};

struct mmap2_event {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, length, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
	char name[];
};

struct comm_event {
	struct perf_event_header header;
	uint32_t pid, tid;
	char name[];
};

struct fork_event {
	struct perf_event_header header;
	uint32_t pid, parent_pid;
};

static char *copy_text(const char *text)
{
	return strcpy(report_new(strlen(text) + 1), text);
}

/* Returns the last part of a path; names such as [vdso] stay whole. */
static const char *short_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Returns "[name]"; names such as [vdso] have their brackets. */
static char *bracketed(const char *name)
{
	char *text = report_new(strlen(name) + 3);

	sprintf(text, *name == '[' ? "%s" : "[%s]", name);
	return text;
}

static int by_path(const void *left, const void *right)
{
	const struct file *a = left, *b = right;

	return strcmp(a->path, b->path);
}

static int by_pid(const void *left, const void *right)
{
	const struct process *a = left, *b = right;

	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

static struct file *find_file(struct places *places, const char *path)
{
	struct file wanted = {.path = (char *)path}, *file,
		    **found = tfind(&wanted, &places->files, by_path);

	if (found)
		return *found;
	file = report_new(sizeof(*file));
	*file = (struct file){.path = copy_text(path),
			      .unknown = bracketed(short_name(path)),
			      .symbols = symbols_load(path)};
	if (!tsearch(file, &places->files, by_path))
		report_no_memory();
	return file;
}

static struct process *find_process(struct places *places, uint32_t pid)
{
	struct process wanted = {.pid = pid}, *process,
		       **found = tfind(&wanted, &places->processes, by_pid);

	if (found)
		return *found;
	process = report_new(sizeof(*process));
	process->pid = pid;
	if (!tsearch(process, &places->processes, by_pid))
		report_no_memory();
	return process;
}

/* Returns the helpers' kernel if it is the profile's, or NULL. */
static struct file *find_kernel(struct places *places, const struct perfdata_reader *profile)
{
	size_t size;
	const unsigned char *id = perfdata_kernel_id(profile, &size);
	struct file *file =
	    id && report_helpers.kernel ? find_file(places, report_helpers.kernel) : NULL;

	return file && file->symbols && symbols_has_id(file->symbols, id, size) ? file : NULL;
}

struct places *places_new(const struct perfdata_reader *profile)
{
	struct places *places = report_new(sizeof(*places));

	places->profile = profile->path;
	places->kernel = find_kernel(places, profile);
	return places;
}

/* perf maps the kernel by its addresses, under a name with this start. */
#define KERNEL_NAME "[kernel.kallsyms]"

static void add_map(struct places *places, uint32_t pid, uint64_t start, uint64_t length,
		    uint64_t offset, const char *name)
{
	bool kernel = pid == PERFDATA_KERNEL && !strncmp(name, KERNEL_NAME, strlen(KERNEL_NAME));
	struct file *file;

	if (kernel && places->kernel && symbols_offset(places->kernel->symbols, start, &offset))
		file = places->kernel;
	else
		file = find_file(places, kernel ? KERNEL_NAME : name);
	maps_add(&find_process(places, pid)->maps, start, start + length, offset, file);
}

/* Starts a child with its parent's name and mappings. */
static void fork_process(struct places *places, const struct fork_event *event)
{
	struct process *parent = find_process(places, event->parent_pid);
	struct process *child = find_process(places, event->pid);

	if (child == parent)
		return;
	child->command = parent->command;
	maps_fork(&parent->maps, &child->maps);
}

static void name_process(struct places *places, const struct comm_event *event)
{
	struct process *process = find_process(places, event->pid);

	process->command = copy_text(event->name);
	if (event->header.misc & PERF_RECORD_MISC_COMM_EXEC) {
		process->maps.root = NULL;
		process->execs++;
	}
}

/* True when the record's name ends inside it. */
static bool has_name(const struct perf_event_header *record, size_t offset)
{
	return record->size > offset &&
	       memchr((const char *)record + offset, 0, record->size - offset);
}

void places_learn(struct places *places, const struct perf_event_header *record)
{
	const struct mmap_event *mmap = (const struct mmap_event *)record;
	const struct mmap2_event *mmap2 = (const struct mmap2_event *)record;
	const struct comm_event *comm = (const struct comm_event *)record;
	bool kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;

	if (record->type == PERF_RECORD_MMAP && has_name(record, sizeof(*mmap)))
		add_map(places, kernel ? PERFDATA_KERNEL : mmap->pid, mmap->start, mmap->length,
			mmap->offset, mmap->name);
	else if (record->type == PERF_RECORD_MMAP2 && has_name(record, sizeof(*mmap2)))
		add_map(places, kernel ? PERFDATA_KERNEL : mmap2->pid, mmap2->start, mmap2->length,
			mmap2->offset, mmap2->name);
	else if (record->type == PERF_RECORD_COMM && has_name(record, sizeof(*comm)))
		name_process(places, comm);
	else if (record->type == PERF_RECORD_FORK && record->size >= sizeof(struct fork_event))
		fork_process(places, (const struct fork_event *)record);
}

static const struct map *map_at(struct places *places, uint32_t pid, uint64_t ip)
{
	return maps_find(&find_process(places, pid)->maps, ip);
}

bool places_map(struct places *places, uint32_t pid, uint64_t ip, struct place_map *found)
{
	const struct map *map = map_at(places, pid, ip);

	if (!map)
		return false;
	*found = (struct place_map){map->file->path, map->start, map->offset,
				    find_process(places, pid)->execs};
	return true;
}

/* Returns the name of generated code at the address, or NULL. */
static const char *generated_at(struct places *places, uint32_t pid, uint64_t ip)
{
	struct process *process = find_process(places, pid);

	if (!process->jit_known)
		process->jit = jit_load(places->profile, pid);
	process->jit_known = true;
	return process->jit ? jit_find(process->jit, ip) : NULL;
}

struct place places_find(struct places *places, uint32_t pid, uint64_t ip, bool kernel)
{
	const char *command = find_process(places, pid)->command;
	struct place place = {.command = command ? command : "[unknown]",
			      .file = "[unknown]",
			      .function = "[unknown]"};
	const struct map *map = map_at(places, kernel ? PERFDATA_KERNEL : pid, ip);
	const char *symbol = NULL;
	uint64_t offset;

	if (!kernel && (!map || !map->file->symbols))
		symbol = generated_at(places, pid, ip);
	if (symbol) {
		place.file = "[JIT]";
		place.function = name_shown(symbol);
		place.known = true;
	}
	if (!map || symbol)
		return place;
	place.file = short_name(map->file->path);
	place.function = map->file->unknown;
	place.offset = offset = ip - map->start + map->offset;
	symbol = map->file->symbols ? symbols_find(map->file->symbols, offset) : NULL;
	if (!symbol)
		return place;
	place.function = name_shown(symbol);
	place.known = true;
	if (symbols_range(map->file->symbols, offset, &place.address, &place.start, &place.end))
		place.path = map->file->path;
	return place;
}

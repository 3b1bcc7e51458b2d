/* SPDX-License-Identifier: BSD-2-Clause */
/* /sys/kernel/tracing: the events and the formats of their records. Directories and files are made
 * on lookup. */
#include <linux/errno.h>
#include <linux/magic.h>
#include <linux/stat.h>
#include "kernel/base/string.h"
#include "kernel/base/symbols.h"
#include "kernel/base/text.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/synthetic.h"
#include "trace/base/event.h"
#include "trace/buffer/buffer.h"
#include "trace/buffer/instance.h"
#include "trace/buffer/names.h"
#include "trace/probe/probe.h"
#include "trace/tracefs.h"

#define INO_EVENTS (1ul << 40) /* numbers of the files that are made */

/* Position of a listing behind a system's events: at its files. */
#define FILES_COOKIE (1ul << 32)

/* The directories of events/. The table of tracepoints has their events. */
static const char *const systems[] = {"raw_syscalls", "sched",       "exceptions", "signal",
				      "task",         "irq_vectors", "syscalls",   "ftrace",
				      "kmem",         "mmap",        "timer"};

#define NR_SYSTEMS (sizeof(systems) / sizeof(systems[0]))
#define SYSCALLS   6 /* its number among them */

/* The systems of the table, then groups of probes, numbered from 1. */
const char *system_next(uint64_t *system)
{
	uint64_t group = *system < NR_SYSTEMS ? 0 : *system - NR_SYSTEMS + 1;
	const char *name;

	if (!group)
		return systems[*system];
	name = probe_group_next(&group);
	if (name)
		*system = NR_SYSTEMS + group - 1;
	return name;
}

const char *system_name(uint64_t system)
{
	uint64_t found = system;
	const char *name = system_next(&found);

	return found == system ? name : NULL;
}

struct trace_event *next_event(uint64_t system, uint64_t *at)
{
	struct trace_event *event;
	struct probe *probe;

	if (system >= NR_SYSTEMS) {
		probe = probe_in_group(system - NR_SYSTEMS + 1, at);
		return probe ? &probe->event : NULL;
	}
	if (system == SYSCALLS) {
		while (*at < syscalls_count())
			if ((event = syscalls_event((*at)++)))
				return event;
		return NULL;
	}
	while (*at < NR_POINTS) {
		event = &trace_points[(*at)++];
		if (strcmp(event->system, systems[system]) == 0)
			return event;
	}
	return NULL;
}

/* ---- files ---- */

/* A probe may have been removed since its file was found. */
static void make_id(struct text *out, uint64_t id)
{
	text_print(out, "%lu\n", instance_of(id));
}

static void make_format(struct text *out, uint64_t id)
{
	const struct trace_event *event = trace_find(instance_of(id));

	if (event)
		trace_format(event, out);
}

static void make_text(struct text *out, uint64_t text)
{
	text_print(out, "%s", (const char *)text);
}

static void make_events(struct text *out, uint64_t id)
{
	struct trace_event *event;

	(void)id;
	for (uint64_t system = 0; system_next(&system); system++)
		for (uint64_t at = 0; (event = next_event(system, &at));)
			text_print(out, "%s:%s\n", event->system, event->name);
}

static const struct synthetic event_format = {.path = "format", .make = make_format, .mode = 0440};
static const struct synthetic event_id = {
    .path = "id", .make = make_id, .mode = 0440, .end = END_START};
static const struct synthetic *const event_files[] = {&event_enable_file, &event_filter_file,
						      &event_format, &event_id};

/* Files of a system; their id is the system's number. */
static const struct synthetic *const system_files[] = {&system_enable_file, &system_filter_file};

#define NR_SYSTEM_FILES (sizeof(system_files) / sizeof(system_files[0]))

#define NR_FILES (sizeof(event_files) / sizeof(event_files[0]))

/* Lists the functions that can be probed. */
static void make_functions(struct text *out, uint64_t id)
{
	uint64_t address;

	(void)id;
	for (uint32_t i = 0; i < symbols_count(); i++) {
		const char *name = symbols_get(i, &address);

		if (!kprobe_check(address))
			text_print(out, "%s\n", name);
	}
}

static const struct synthetic text_file = {.make = make_text, .mode = 0440, .end = END_START};
static const struct synthetic top_files[] = {
    {.path = "saved_cmdlines", .make = names_show, .mode = 0440},
    {.path = "available_events", .make = make_events, .mode = 0440},
    {.path = "available_filter_functions", .make = make_functions, .mode = 0440},
};

#define COMMANDS .make = probe_list, .store = probe_commands, .cut = probe_clear, .mode = 0640
#define PROFILE  .make = probe_profile, .mode = 0440

/* Their ids: of programs, or of the kernel. */
static const struct synthetic probe_files[2][2] = {
    {{.path = "kprobe_events", COMMANDS}, {.path = "kprobe_profile", PROFILE}},
    {{.path = "uprobe_events", COMMANDS}, {.path = "uprobe_profile", PROFILE}},
};

/* Formats of the pages and records of tracefs's buffer. */
static const char *const texts[][2] = {
    {"events/header_page", "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
			   "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
			   "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
			   "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n"},
    {"events/header_event",
     "# compressed entry header\n"
     "\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray       :   32 bits\n\n"
     "\tpadding     : type == 29\n\ttime_extend : type == 30\n\ttime_stamp : type == 31\n"
     "\tdata max type_len  == 28\n"},
    /* perf probe searches for these words to detect a kernel's features. */
    {"README",
     "kprobe_events, uprobe_events: create, list and remove probes\n"
     "\t  write: p[:[GROUP/]EVENT] PLACE [ARGUMENT]...\n"
     "\t         r[:[GROUP/]EVENT] PLACE [ARGUMENT]...\n"
     "\t         -:[GROUP/]EVENT\n"
     "\t  place (kprobe): <symbol>[+<offset>]|<address>\n"
     "\t  place (uprobe): <path>:<offset>[%return][(ref_ctr_offset)]\n"
     "\t  argument: [NAME=]FETCH[:TYPE]\n"
     "\t  fetch: %<register>, $stack<N>, $stack, $retval, $comm, $arg<N>,\n"
     "\t         @<address>, @<symbol>[+<offset>], +|-[u]<offset>(<fetch>), \\imm-value,\n"
     "\t  type: s8/16/32/64, u8/16/32/64, x8/16/32/64, string, symbol, ustring\n"},
    {"printk_formats", ""},
};

/* ---- directories ---- */

static struct inode *make_inode(uint32_t mode, const struct inode_ops *ops, uint64_t priv)
{
	struct inode *inode = inode_new(mode);

	if (!inode)
		return NULL;
	inode->ops = ops;
	inode->priv = priv;
	inode->ino = INO_EVENTS + instance_of(priv) + (priv >> INSTANCE_SHIFT << 32);
	inode->nlink = S_ISDIR(mode) ? 2 : 1;
	inode->magic = TRACEFS_MAGIC;
	return inode;
}

static struct inode *make_file(const struct synthetic *file, uint64_t id)
{
	struct inode *inode = synthetic_inode(file, id);

	if (inode) {
		inode->nlink = 1;
		inode->magic = TRACEFS_MAGIC;
	}
	return inode;
}

static bool list_entry(const char *entry, uint32_t kind, uint64_t number, char *name, uint64_t *ino,
		       uint32_t *mode)
{
	strlcpy(name, entry, NAME_LONGEST);
	*ino = INO_EVENTS + number;
	*mode = kind;
	return true;
}

/* An event's directory; `priv` is its id. */
static struct inode *event_lookup(struct inode *dir, const char *name, size_t length)
{
	for (unsigned i = 0; i < NR_FILES; i++)
		if (string_is(name, length, event_files[i]->path))
			return make_file(event_files[i], dir->priv);
	return NULL;
}

static bool event_list(struct inode *dir, uint64_t *cookie, char *name, uint64_t *ino,
		       uint32_t *mode)
{
	uint64_t i = (*cookie)++;

	return i < NR_FILES && list_entry(event_files[i]->path, S_IFREG,
					  instance_of(dir->priv) << 8 | i, name, ino, mode);
}

static const struct inode_ops event_ops = {.lookup = event_lookup, .list = event_list};

/* Returns the event of that name, NULL: there is none. */
static struct trace_event *find_event(uint64_t system, const char *name, size_t length)
{
	const char *group = system_name(system);
	struct trace_event *event;
	char copy[PROBE_NAME];
	struct probe *probe;

	if (system < NR_SYSTEMS) {
		for (uint64_t at = 0; (event = next_event(system, &at));)
			if (string_is(name, length, event->name))
				return event;
		return NULL;
	}
	if (!group || length >= sizeof(copy))
		return NULL;
	memcpy(copy, name, length);
	copy[length] = 0;
	probe = probe_by_name(group, copy);
	return probe ? &probe->event : NULL;
}

/* A system's directory; `priv` is its number. */
static struct inode *system_lookup(struct inode *dir, const char *name, size_t length)
{
	struct trace_event *event;

	for (unsigned i = 0; i < NR_SYSTEM_FILES; i++)
		if (string_is(name, length, system_files[i]->path))
			return make_file(system_files[i], dir->priv);
	event = find_event(instance_of(dir->priv), name, length);
	return event ? make_inode(S_IFDIR | 0750, &event_ops, instance_id(dir->priv, event->id))
		     : NULL;
}

static bool system_list(struct inode *dir, uint64_t *cookie, char *name, uint64_t *ino,
			uint32_t *mode)
{
	struct trace_event *event = next_event(instance_of(dir->priv), cookie);
	uint64_t i = *cookie - FILES_COOKIE;

	if (event)
		return list_entry(event->name, S_IFDIR, event->id, name, ino, mode);
	if (*cookie < FILES_COOKIE)
		i = 0;
	if (i >= NR_SYSTEM_FILES)
		return false;
	*cookie = FILES_COOKIE + i + 1;
	return list_entry(system_files[i]->path, S_IFREG,
			  3ul << 32 | instance_of(dir->priv) << 8 | i, name, ino, mode);
}

static const struct inode_ops system_ops = {.lookup = system_lookup, .list = system_list};

static struct inode *events_lookup(struct inode *dir, const char *name, size_t length)
{
	uint64_t i = 0, group;

	if (string_is(name, length, "enable"))
		return make_file(&system_enable_file, instance_id(dir->priv, ALL_SYSTEMS));
	while (i < NR_SYSTEMS && !string_is(name, length, systems[i]))
		i++;
	group = i == NR_SYSTEMS ? probe_group(name, length) : 1;
	return group
		   ? make_inode(S_IFDIR | 0750, &system_ops, instance_id(dir->priv, i + group - 1))
		   : NULL;
}

static bool events_list(struct inode *dir, uint64_t *cookie, char *name, uint64_t *ino,
			uint32_t *mode)
{
	uint64_t system = *cookie - 1;
	const char *entry;

	(void)dir;
	if (!*cookie) {
		*cookie = 1;
		return list_entry(system_enable_file.path, S_IFREG, 1ul << 32, name, ino, mode);
	}
	entry = system_next(&system);
	*cookie = system + 2;
	return entry && list_entry(entry, S_IFDIR, 1ul << 32 | (system + 1), name, ino, mode);
}

static const struct inode_ops events_ops = {.lookup = events_lookup, .list = events_list};

/* ---- instances ---- */

/* Entries of the top and of instances. */
static struct inode *part_lookup(struct inode *dir, const char *name, size_t length)
{
	struct inode *inode;

	if (string_is(name, length, set_event_file.path))
		return make_file(&set_event_file, dir->priv);
	if (string_is(name, length, "events"))
		return make_inode(S_IFDIR | 0750, &events_ops, dir->priv);
	inode = buffer_file(dir->priv, name, length);
	if (inode)
		inode->magic = TRACEFS_MAGIC;
	return inode;
}

static bool list_part(struct inode *dir, uint64_t *cookie, char *name, uint64_t *ino,
		      uint32_t *mode)
{
	uint64_t i = (*cookie)++;
	bool is_directory;
	const char *entry;

	(void)dir;
	if (!i)
		return list_entry(set_event_file.path, S_IFREG, 2ul << 32, name, ino, mode);
	entry = buffer_file_name(i - 1, &is_directory);
	return entry &&
	       list_entry(entry, is_directory ? S_IFDIR : S_IFREG, 2ul << 32 | i, name, ino, mode);
}

/* Lists an instance: events/ is first. */
static bool part_list(struct inode *dir, uint64_t *cookie, char *name, uint64_t *ino,
		      uint32_t *mode)
{
	uint64_t next = *cookie - 1;

	if (!*cookie) {
		*cookie = 1;
		return list_entry("events", S_IFDIR, 1ul << 32, name, ino, mode);
	}
	if (!list_part(dir, &next, name, ino, mode))
		return false;
	*cookie = next + 1;
	return true;
}

static int part_leave(struct inode *dir)
{
	return instance_remove(dir->priv);
}

/* The second mount point of tracefs shows the same instances. */
static struct inode *find_instances(void)
{
	static const char *const way[] = {"sys", "kernel", "tracing", "instances"};
	struct inode *inode = root_inode;

	for (unsigned i = 0; inode && i < sizeof(way) / sizeof(way[0]); i++) {
		struct dirent *entry = dir_find(inode, way[i], strlen(way[i]));

		inode = entry ? entry->inode : NULL;
	}
	if (inode)
		inode_get(inode);
	return inode;
}

static struct inode *top_lookup(struct inode *dir, const char *name, size_t length)
{
	if (string_is(name, length, "instances"))
		return find_instances();
	return part_lookup(dir, name, length);
}

/* Its events/ is an ordinary directory. */
static const struct inode_ops top_ops = {.lookup = top_lookup, .list = list_part};
static const struct inode_ops instance_ops = {
    .lookup = part_lookup, .list = part_list, .leave = part_leave};

/* A new directory is an instance. */
static int instances_adopt(struct inode *dir, const char *name, struct inode *inode)
{
	int err;

	(void)dir;
	(void)name;
	if (!S_ISDIR(inode->mode) || inode->ops)
		return -EPERM;
	err = instance_new(&inode->priv);
	if (!err)
		inode->ops = &instance_ops;
	return err;
}

static const struct inode_ops instances_ops = {.adopt = instances_adopt};

/* ---- start ---- */

static const struct synthetic_directory mount = {.mode = 0700,
						 .magic = TRACEFS_MAGIC,
						 .ops = &top_ops},
					debug = {.mode = 0700, .magic = DEBUGFS_MAGIC},
					events = {.mode = 0750, .ops = &events_ops},
					instances = {.mode = 0750, .ops = &instances_ops};

static const char *joined(char *buffer, const char *directory, const char *name)
{
	struct text text;

	text_init(&text, buffer, NAME_LONGEST);
	text_print(&text, "%s/%s", directory, name);
	return buffer;
}

static void add_mount(const char *at)
{
	char path[NAME_LONGEST];

	synthetic_directory(at, &mount);
	synthetic_directory(joined(path, at, "events"), &events);
	synthetic_add_all(at, top_files, sizeof(top_files) / sizeof(top_files[0]), 0);
	for (unsigned i = 0; i < 2; i++)
		synthetic_add_all(at, probe_files[i], 2, i);
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		synthetic_add_at(joined(path, at, texts[i][0]), &text_file, (uint64_t)texts[i][1]);
}

void tracefs_init(void)
{
	instances_init();
	synthetic_directory("/sys/kernel/debug", &debug);
	add_mount("/sys/kernel/tracing");
	synthetic_directory("/sys/kernel/tracing/instances", &instances);
	add_mount("/sys/kernel/debug/tracing");
}

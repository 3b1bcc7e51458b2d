/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The host's directories on stock Linux: a file system served by a thread of the first process
 * (FUSE), whose answers come from the host command (docs/protocols.md, "The link"). An overlay
 * puts each directory below the archive's files and keeps changes in memory.
 */
#define _GNU_SOURCE
#include "apps/linux/shares.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	HUGE_PAGE = 2 << 20,
	REQUEST = 64 << 10,                   /* more than the kernel's least, 8 KiB */
	PIECE = LINK_PAGES * LINK_PAGE_BYTES, /* of a file */
	BUCKETS = 4096,
	FOREVER = 1 << 30, /* seconds: nothing changes on the host while a machine runs */
	MINOR = 31,
};

/* Where in the huge page a directory's names are, and a piece of a file. */
#define NAMES_AT   ((sizeof(struct link) + LINK_PAGE_BYTES - 1) & ~(LINK_PAGE_BYTES - 1ul))
#define PIECE_AT   (HUGE_PAGE - PIECE)
#define NAMES_ROOM (PIECE_AT - NAMES_AT)

/* A file or directory that the kernel knows by its number, which is one more than the index. The
 * root is the first, the shared directories follow. */
struct node {
	char *path, *target;
	uint64_t size;
	int64_t mtime_ns;
	uint32_t mode, next; /* next: in the same bucket; 0: none */
};

static struct node *nodes;
static uint32_t nr_nodes, buckets[BUCKETS];
static int nr_shares, fuse;
static char *const *shares;
static struct link *memory;
static uint64_t memory_address;
static uint32_t listed; /* the directory whose names are in memory; 0: none */
static int64_t listed_bytes;

static int64_t request(enum link_question question, const char *path)
{
	uint32_t number = memory->ask + 1;

	strcpy(memory->path, path);
	memory->question = question;
	__atomic_store_n(&memory->ask, number, __ATOMIC_RELEASE);
	outb('!', LINK_BELL);
	do
		outb(0, LINK_DOOR + number % LINK_DOORS);
	while (__atomic_load_n(&memory->answer, __ATOMIC_ACQUIRE) != number);
	return memory->result;
}

static int64_t request_names(enum link_question question, const char *path)
{
	listed = 0;
	memory->data = memory_address + NAMES_AT;
	memory->data_bytes = NAMES_ROOM;
	return request(question, path);
}

static int64_t request_piece(const char *path, uint64_t offset, uint32_t size)
{
	memory->data = 0;
	memory->data_bytes = size < PIECE ? size : PIECE;
	memory->offset = offset;
	for (unsigned i = 0; i < LINK_PAGES; i++)
		memory->page[i] = memory_address + PIECE_AT + i * LINK_PAGE_BYTES;
	return request(LINK_ASK_FILE, path);
}

static uint32_t bucket_of(const char *path)
{
	uint32_t hash = 2166136261u;

	while (*path)
		hash = (hash ^ (unsigned char)*path++) * 16777619u;
	return hash % BUCKETS;
}

static uint32_t find_node(const char *path)
{
	uint32_t i = buckets[bucket_of(path)];

	while (i && strcmp(nodes[i].path, path))
		i = nodes[i].next;
	return i;
}

/* Returns the new node's index. Without memory for it the machine ends: no program could start. */
static uint32_t add_node(struct node node)
{
	uint32_t *bucket = &buckets[bucket_of(node.path)];

	if (!(nr_nodes & (nr_nodes - 1))) {
		struct node *grown = realloc(nodes, (nr_nodes ? 2 * nr_nodes : 1) * sizeof(*nodes));

		if (!grown)
			abort();
		nodes = grown;
	}
	node.next = *bucket;
	nodes[nr_nodes] = node;
	*bucket = nr_nodes;
	return nr_nodes++;
}

static void add_directory(const char *path)
{
	add_node((struct node){.path = strdup(path), .mode = S_IFDIR | 0755});
}

/* Joins a directory's path and a name; false: too long for a request. */
static bool join(char path[LINK_PATH], uint32_t directory, const char *name, size_t length)
{
	return snprintf(path, LINK_PATH, "%s/%.*s", nodes[directory].path, (int)length, name) <
	       LINK_PATH;
}

/* Returns the node of a directory's entry; 0: its path is too long. */
static uint32_t take_entry(uint32_t directory, const struct link_entry *entry)
{
	char path[LINK_PATH];
	uint32_t found;

	if (!join(path, directory, entry->text, entry->name_bytes))
		return 0;
	found = find_node(path);
	if (found)
		return found;
	return add_node(
	    (struct node){.path = strdup(path),
			  .target = strndup(entry->text + entry->name_bytes, entry->target_bytes),
			  .size = entry->size,
			  .mtime_ns = entry->mtime_ns,
			  .mode = entry->mode});
}

/* Replies; error: negative. */
static void reply(uint64_t unique, int error, const void *payload, size_t bytes)
{
	struct fuse_out_header header = {(uint32_t)(sizeof(header) + bytes), error, unique};
	struct iovec parts[] = {{&header, sizeof(header)}, {(void *)payload, bytes}};

	if (writev(fuse, parts, 2) < 0)
		return; /* the kernel gave the request up */
}

static struct fuse_attr attributes(uint32_t index)
{
	const struct node *node = &nodes[index];
	uint64_t seconds = (uint64_t)(node->mtime_ns / 1000000000);
	uint32_t ns = (uint32_t)(node->mtime_ns % 1000000000);

	return (struct fuse_attr){.ino = index + 1,
				  .size = node->size,
				  .blocks = (node->size + 511) / 512,
				  .atime = seconds,
				  .mtime = seconds,
				  .ctime = seconds,
				  .atimensec = ns,
				  .mtimensec = ns,
				  .ctimensec = ns,
				  .mode = node->mode,
				  .nlink = S_ISDIR(node->mode) ? 2 : 1,
				  .blksize = LINK_PAGE_BYTES};
}

/* Finds a name; 0: *error says why not. */
static uint32_t look_up(uint32_t directory, const char *name, int *error)
{
	char path[LINK_PATH];
	uint32_t found = directory ? 0 : (uint32_t)atoi(name);
	int64_t bytes;

	*error = -ENOENT;
	if (!directory)
		return found <= (uint32_t)nr_shares ? found : 0;
	if (!join(path, directory, name, strlen(name))) {
		*error = -ENAMETOOLONG;
		return 0;
	}
	found = find_node(path);
	if (found)
		return found;
	bytes = request_names(LINK_ASK_NAME, path);
	if (bytes < 0)
		*error = (int)bytes;
	return bytes <= 0 ? 0 : take_entry(directory, (void *)((char *)memory + NAMES_AT));
}

static void serve_lookup(const struct fuse_in_header *in, const void *argument)
{
	struct fuse_entry_out out = {.entry_valid = FOREVER, .attr_valid = FOREVER};
	int error;
	uint32_t found = look_up((uint32_t)in->nodeid - 1, argument, &error);

	if (!found && error != -ENOENT) {
		reply(in->unique, error, NULL, 0);
		return;
	}
	if (found) {
		out.nodeid = found + 1;
		out.attr = attributes(found);
	}
	reply(in->unique, 0, &out, sizeof(out));
}

static void serve_getattr(const struct fuse_in_header *in, const void *argument)
{
	struct fuse_attr_out out = {.attr_valid = FOREVER,
				    .attr = attributes((uint32_t)in->nodeid - 1)};

	(void)argument;
	reply(in->unique, 0, &out, sizeof(out));
}

static void serve_readlink(const struct fuse_in_header *in, const void *argument)
{
	const char *target = nodes[in->nodeid - 1].target;

	(void)argument;
	reply(in->unique, 0, target, strlen(target));
}

static void serve_read(const struct fuse_in_header *in, const void *argument)
{
	const struct fuse_read_in *read = argument;
	int64_t bytes = request_piece(nodes[in->nodeid - 1].path, read->offset, read->size);

	reply(in->unique, bytes < 0 ? (int)bytes : 0, (char *)memory + PIECE_AT,
	      bytes < 0 ? 0 : (size_t)bytes);
}

/* Appends a name of a directory to `out`; false: it has no room. `after`: the next name's offset.
 */
static bool put_name(struct iovec *out, size_t room, uint32_t node, const char *name, size_t length,
		     uint64_t after)
{
	struct fuse_dirent *to = (void *)((char *)out->iov_base + out->iov_len);
	size_t bytes = (sizeof(*to) + length + 7) & ~7ul;

	if (bytes > room - out->iov_len)
		return false;
	*to = (struct fuse_dirent){node + 1, after, (uint32_t)length, nodes[node].mode >> 12};
	memset(to->name, 0, bytes - sizeof(*to));
	memcpy(to->name, name, length);
	out->iov_len += bytes;
	return true;
}

/* Brings the names of a directory, unless they are there. */
static int64_t list(uint32_t directory)
{
	if (listed != directory) {
		listed_bytes = request_names(LINK_ASK_DIRECTORY, nodes[directory].path);
		listed = directory;
	}
	return listed_bytes > (int64_t)NAMES_ROOM ? -EFBIG : listed_bytes;
}

/* Offsets: 0 and 1 are the directory and the one above, others two more than the entry's place. */
static void put_names(struct iovec *out, size_t room, uint32_t directory, uint64_t offset)
{
	static const char dots[] = "..";

	for (; offset < 2; offset++)
		if (!put_name(out, room, directory, dots, offset + 1, offset + 1))
			return;
	while (offset - 2 < (uint64_t)listed_bytes) {
		const struct link_entry *entry = (void *)((char *)memory + NAMES_AT + offset - 2);
		uint32_t node = take_entry(directory, entry);

		offset += entry->bytes;
		if (node && !put_name(out, room, node, entry->text, entry->name_bytes, offset))
			return;
	}
}

static void serve_readdir(const struct fuse_in_header *in, const void *argument)
{
	static char bytes[REQUEST] __attribute__((aligned(8)));
	const struct fuse_read_in *read = argument;
	uint32_t directory = (uint32_t)in->nodeid - 1;
	struct iovec out = {bytes, 0};
	int64_t error = directory ? list(directory) : -EACCES;

	if (error >= 0)
		put_names(&out, read->size < REQUEST ? read->size : REQUEST, directory,
			  read->offset);
	reply(in->unique, error < 0 ? (int)error : 0, bytes, out.iov_len);
}

static void serve_statfs(const struct fuse_in_header *in, const void *argument)
{
	static const struct fuse_statfs_out out = {
	    .st = {.bsize = LINK_PAGE_BYTES, .namelen = 255, .frsize = LINK_PAGE_BYTES}};

	(void)argument;
	reply(in->unique, 0, &out, sizeof(out));
}

static void serve_init(const struct fuse_in_header *in, const void *argument)
{
	const struct fuse_init_in *init = argument;
	struct fuse_init_out out = {.major = FUSE_KERNEL_VERSION,
				    .minor = MINOR,
				    .max_readahead = init->max_readahead,
				    .flags = init->flags &
					     (FUSE_ASYNC_READ | FUSE_MAX_PAGES |
					      FUSE_CACHE_SYMLINKS | FUSE_PARALLEL_DIROPS |
					      FUSE_NO_OPEN_SUPPORT | FUSE_NO_OPENDIR_SUPPORT),
				    .max_write = LINK_PAGE_BYTES,
				    .time_gran = 1,
				    .max_pages = LINK_PAGES};

	reply(in->unique, 0, &out, sizeof(out));
}

static void serve_nothing(const struct fuse_in_header *in, const void *argument)
{
	(void)in;
	(void)argument;
}

/* Everything else does not exist (ENOSYS), among it FUSE_OPEN: the kernel then opens files without
 * asking, and never drops what it has read of them. */
static void (*const servers[])(const struct fuse_in_header *in, const void *argument) = {
    [FUSE_LOOKUP] = serve_lookup,     [FUSE_FORGET] = serve_nothing,
    [FUSE_GETATTR] = serve_getattr,   [FUSE_READLINK] = serve_readlink,
    [FUSE_READ] = serve_read,         [FUSE_STATFS] = serve_statfs,
    [FUSE_INIT] = serve_init,         [FUSE_READDIR] = serve_readdir,
    [FUSE_INTERRUPT] = serve_nothing, [FUSE_BATCH_FORGET] = serve_nothing,
};

static void *serve(void *unused)
{
	static char bytes[REQUEST] __attribute__((aligned(8)));
	const struct fuse_in_header *in = (void *)bytes;

	while (read(fuse, bytes, sizeof(bytes)) >= (ssize_t)sizeof(*in)) {
		if (in->opcode < sizeof(servers) / sizeof(servers[0]) && servers[in->opcode])
			servers[in->opcode](in, in + 1);
		else
			reply(in->unique, -ENOSYS, NULL, 0);
	}
	return unused;
}

/* Loads a module that the host command took along; the kernel may have it built in. */
static void load_module(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		syscall(SYS_finit_module, fd, "", 0);
	close(fd);
}

static bool mount_files(void)
{
	char text[96];

	mkdir("/.barepmu/host", 0755);
	mkdir("/.barepmu/changes", 0755);
	load_module("/.barepmu/fuse.ko");
	load_module("/.barepmu/overlay.ko");
	fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(text, sizeof(text), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fuse);
	return fuse >= 0 && !ioperm(LINK_BELL, 1 + LINK_DOORS, 1) &&
	       !mount("host", "/.barepmu/host", "fuse", MS_RDONLY, text) &&
	       !mount("changes", "/.barepmu/changes", "tmpfs", 0, NULL);
}

bool shares_begin(char *const *paths, int nr, struct link *link, uint64_t address)
{
	pthread_t thread;

	_Static_assert(LINK_DOOR == LINK_BELL + 1, "ports in one piece");
	_Static_assert(sizeof(struct link) < PIECE_AT, "room for names");
	shares = paths;
	nr_shares = nr;
	memory = link;
	memory_address = address;
	add_directory("");
	for (int i = 0; i < nr; i++)
		add_directory(paths[i]);
	return mount_files() && !pthread_create(&thread, NULL, serve, NULL);
}

/* Makes a directory and those above it. */
static void make_directories(const char *path)
{
	char part[LINK_PATH];

	for (size_t i = 1; i < sizeof(part) && path[i]; i++) {
		snprintf(part, i + 1, "%s", path);
		if (path[i] == '/')
			mkdir(part, 0755);
	}
	mkdir(path, 0755);
}

/* True when an earlier directory contains this one. */
static bool is_shown(int nr)
{
	for (int i = 0; i < nr; i++) {
		size_t length = strlen(shares[i]);

		if (!strncmp(shares[nr], shares[i], length) &&
		    (shares[nr][length] == '/' || !shares[nr][length]))
			return true;
	}
	return false;
}

void shares_mount(void)
{
	char upper[64], work[64], *text;

	for (int i = 0; i < nr_shares; i++) {
		if (is_shown(i))
			continue;
		snprintf(upper, sizeof(upper), "/.barepmu/changes/%d", i);
		snprintf(work, sizeof(work), "/.barepmu/changes/work%d", i);
		mkdir(upper, 0755);
		mkdir(work, 0755);
		make_directories(shares[i]);
		if (asprintf(&text, "lowerdir=%s:/.barepmu/host/%d,upperdir=%s,workdir=%s",
			     shares[i], i + 1, upper, work) < 0 ||
		    mount("overlay", shares[i], "overlay", 0, text))
			dprintf(2, "cannot show %s: %s\n", shares[i], strerror(errno));
		free(text);
	}
}

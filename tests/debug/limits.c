/* SPDX-License-Identifier: BSD-2-Clause */
/* This kernel's own limits, and objects that only root or the number of descriptors bounds: a
 * caller that reaches a limit gets an error, and its objects go without a rest. */
#include "tests/debug/debug.h"
#include "tests/guest/bpf/bpf_sys.h"
#include <linux/btf.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define TREE  "/sys/fs/cgroup"
#define PLACE "/tmp/place"
#define FILE_ "/tmp/locked"

/* The limits of docs/security.md. */
enum { GROUPS = 4096, DEPTH = 64, MOUNTS = 1024, LOCKS = 4096, DESCRIPTORS = 40, SETS = 250 };

#define MOST_TYPES (1u << 20) /* bytes */

/* Each makes objects up to its limit, within reason, and removes them or leaves them to its end;
 * *error: the last one's errno. */

static long deep_groups(int *error)
{
	char path[1024] = TREE;
	size_t end = strlen(path);
	long made = 0;

	for (; made < 200; made++, end += 2) {
		strcpy(path + end, "/d");
		if (mkdir(path, 0700))
			break;
	}
	*error = errno;
	for (long i = made; i; i--, end -= 2) {
		path[end] = 0;
		rmdir(path);
	}
	return made;
}

static long groups(int *error)
{
	char path[64];
	long made = 0;

	for (; made < 5000; made++) {
		snprintf(path, sizeof(path), TREE "/g%ld", made);
		if (mkdir(path, 0700))
			break;
	}
	*error = errno;
	for (long i = made; i--;) {
		snprintf(path, sizeof(path), TREE "/g%ld", i);
		rmdir(path);
	}
	return made;
}

static long mounts(int *error)
{
	long made = 0;

	mkdir(PLACE, 0777);
	while (made < 5000 && !mount("none", PLACE, "tmpfs", 0, ""))
		made++;
	*error = errno;
	for (long i = made; i--;)
		umount2(PLACE, 0);
	rmdir(PLACE);
	return made;
}

static long locks(int *error)
{
	int fd = open(FILE_, O_RDWR | O_CREAT, 0600);
	struct flock lock = {.l_type = F_WRLCK, .l_len = 1};
	long made = 0;

	for (; made < 5000; made++, lock.l_start += 2)
		if (fcntl(fd, F_SETLK, &lock))
			break;
	*error = errno;
	unlink(FILE_);
	return made;
}

/* Each set watches the same number of files. */
static long watches(int *error)
{
	const struct rlimit descriptors = {2 * SETS, 2 * SETS};
	int sets[SETS];
	struct epoll_event event = {.events = EPOLLIN};
	long made = 0;

	setrlimit(RLIMIT_NOFILE, &descriptors);
	for (unsigned i = 0; i < SETS; i++)
		sets[i] = epoll_create1(0);
	for (unsigned i = 0; i < SETS - 50; i++) {
		int file = eventfd(0, 0);

		for (unsigned k = 0; k < SETS; k++, made++)
			if (epoll_ctl(sets[k], EPOLL_CTL_ADD, file, &event)) {
				*error = errno;
				return made;
			}
	}
	return made;
}

#define AREAS 2000

/* As a user: opens files of /proc that list many areas; returns the bytes in them. */
static long texts(int *error)
{
	char *areas = mmap(NULL, 2 * AREAS * PAGE, PROT_READ,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	static char buffer[65536];
	long made = 0, bytes;

	if (setuid(1000))
		return -1;
	for (size_t i = 0; i < AREAS; i++)
		mprotect(areas + 2 * i * PAGE, PAGE, PROT_READ | PROT_WRITE);
	for (unsigned i = 0; i < 200; i++) {
		int fd = open("/proc/self/maps", O_RDONLY);

		if (fd < 0) {
			*error = errno;
			break;
		}
		while ((bytes = read(fd, buffer, sizeof(buffer))) > 0)
			made += bytes;
	}
	return made;
}

/* A type, and strings of `bytes`. */
static long types_of(uint32_t bytes)
{
	static struct {
		struct btf_header header;
		struct btf_type number;
		uint32_t bits;
		char strings[MOST_TYPES];
	} data = {.header = {.magic = BTF_MAGIC,
			     .version = 1,
			     .hdr_len = sizeof(struct btf_header),
			     .type_len = 16,
			     .str_off = 16},
		  .number = {.name_off = 1, .info = BTF_KIND_INT << 24, .size = 4},
		  .bits = 32,
		  .strings = "\0number"};
	union bpf_attr attr = {.btf = (uintptr_t)&data};

	data.header.str_len = bytes;
	attr.btf_size = (uint32_t)offsetof(typeof(data), strings) + bytes;
	return bpf(BPF_BTF_LOAD, &attr);
}

static long types(int *error)
{
	const struct rlimit descriptors = {DESCRIPTORS, DESCRIPTORS};
	long made = 0, result = 0;

	setrlimit(RLIMIT_NOFILE, &descriptors);
	while (made < 5000 && (result = types_of(8)) >= 0)
		made++;
	*error = (int)-result;
	return made;
}

/* In a process of its own, whose memory goes with it. */
static long reach(long (*what)(int *error), int *error)
{
	struct {
		long made;
		int error;
	} told = {-1, 0};
	int ends[2];
	pid_t child;

	pipe(ends);
	child = fork();
	if (!child) {
		told.made = what(&told.error);
		write(ends[1], &told, sizeof(told));
		_exit(0);
	}
	close(ends[1]);
	read(ends[0], &told, sizeof(told));
	close(ends[0]);
	waitpid(child, NULL, 0);
	*error = told.error;
	return told.made;
}

static void test_limit(const char *name, long (*what)(int *error), long most, int wanted)
{
	struct debug_count before, after;
	long made;
	int error;

	reach(what, &error); /* objects of the first call that stay permanently */
	before = debug_count();
	made = reach(what, &error);
	after = debug_count();
	ok(made == most && error == wanted, "%ld %s, then errno %d (%ld, %d)", most, name, wanted,
	   made, error);
	ok(!memcmp(&before, &after, offsetof(struct debug_count, stacks)), "%s go without a rest",
	   name);
}

/* One user's watches take up a twenty-fifth of memory. */
static void test_watches(void)
{
	struct sysinfo info;
	int error;
	long made = reach(watches, &error);

	sysinfo(&info);
	ok(made * 128 < (long)(info.totalram * info.mem_unit / 25) &&
	       made * 256 > (long)(info.totalram * info.mem_unit / 25) && error == ENOSPC,
	   "%ld files in epoll sets, then errno %d", made, error);
}

/* One user's texts take up a sixteenth of memory. */
static void test_texts(void)
{
	struct sysinfo info;
	int error = 0;
	long made = reach(texts, &error);

	sysinfo(&info);
	ok(made <= (long)(info.totalram * info.mem_unit / 16) &&
	       made * 2 > (long)(info.totalram * info.mem_unit / 16) && error == ENOMEM,
	   "texts of /proc take a part of memory");
	printf("# %ld bytes, then errno %d\n", made, error);
}

/* Directories where things are made that have no limit; /tmp is everyone's. */
static void roots_directories(uint64_t unused)
{
	(void)unused;
	if (setuid(1000))
		_exit(1);
	_exit(mkdir("/tmp/user", 0700) || mkdir(TREE "/user", 0700) != -1 || errno != EACCES ||
	      mkdir("/sys/fs/bpf/user", 0700) != -1 || errno != EACCES);
}

int main(int argc, char **argv)
{
	be_well_first(argc, argv);
	if (debug_control(DEBUG_THERE, 0, 0) != 1)
		return tap_skip_all("this is no debug kernel");
	test_limit("groups in each other", deep_groups, DEPTH, EAGAIN);
	test_limit("groups", groups, GROUPS, EAGAIN);
	test_limit("mounts", mounts, MOUNTS, ENOSPC);
	test_limit("locks of a file", locks, LOCKS, ENOLCK);
	test_watches();
	test_texts();
	test_limit("types in BTF", types, DESCRIPTORS - 5, EMFILE);
	is(types_of(MOST_TYPES), -E2BIG, "not more than 1 MiB of types");
	is(contained(roots_directories, 0, ENDS_MS), 0, "groups and pins are root's to make");
	return tap_end();
}

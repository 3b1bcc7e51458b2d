/* SPDX-License-Identifier: BSD-2-Clause */
/* Control groups: their tree, their members, and events that count a group. */
#include "tests/guest/cpus.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include "tests/guest/perf.h"

#define TREE  "/sys/fs/cgroup"
#define GROUP TREE "/tests"
#define INNER GROUP "/inner"
#define V1    "/v1" /* where version 1's tree is mounted */

static long put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	long result = fd < 0 || write(fd, text, strlen(text)) < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return result;
}

static const char *look(const char *path)
{
	static char text[4096];
	int fd = open(path, O_RDONLY);
	ssize_t bytes = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	text[bytes > 0 ? bytes : 0] = 0;
	if (fd >= 0)
		close(fd);
	return text;
}

static bool is_in(const char *group)
{
	char line[128];

	snprintf(line, sizeof(line), "0::%s\n", group);
	return strstr(look("/proc/self/cgroup"), line);
}

static void test_tree(void)
{
	struct statfs fs;
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", getpid());
	is(statfs(TREE, &fs) || fs.f_type != 0x63677270, 0, "a tree of version 2");
	ok(is_in("/"), "all processes begin at the root");
	is(mkdir(GROUP, 0755), 0, "a group");
	ok(mkdir(GROUP, 0755) && errno == EEXIST, "not twice");
	is(mkdir(INNER, 0755), 0, "a group in it");
	is(access(INNER "/cgroup.procs", F_OK) || access(INNER "/cgroup.type", F_OK), 0,
	   "a new group has files");
	is(access(TREE "/cgroup.type", F_OK), -1, "the root lacks some of a group's files");
	ok(open(GROUP "/new", O_CREAT | O_RDWR, 0600) < 0 && errno == EACCES,
	   "nobody adds files: EACCES");
	ok(rmdir(GROUP) && errno == EBUSY, "a group with children is not removed: EBUSY");
	ok(strstr(look(GROUP "/cgroup.events"), "populated 0"), "nobody is in it");
	is(put(INNER "/cgroup.procs", "0"), 0, "this process goes there");
	ok(is_in("/tests/inner"), "/proc/self/cgroup shows the new group");
	ok(strstr(look(INNER "/cgroup.procs"), pid), "cgroup.procs has the process");
	ok(!*look(GROUP "/cgroup.procs"), "not in the one above");
	ok(strstr(look(GROUP "/cgroup.events"), "populated 1"),
	   "the parent group is populated as well");
	ok(rmdir(INNER) && errno == EBUSY, "a group with processes is not removed: EBUSY");
	is(put(GROUP "/cgroup.procs", "x"), -EINVAL, "cgroup.procs takes only numbers: EINVAL");
	is(put(GROUP "/cgroup.procs", " 0x0 \n"), 0, "a number in C's way, with blanks around it");
	is(put(GROUP "/cgroup.procs", "0 0"), -EINVAL, "two numbers: EINVAL");
	is(put(GROUP "/cgroup.procs", "4000000"), -ESRCH, "nobody's: ESRCH");
	is(put(TREE "/cgroup.procs", pid), 0, "back to the root");
	is(rmdir(INNER), 0, "now it is removed");
	ok(strstr(look(GROUP "/cgroup.stat"), "nr_descendants 0"), "a removed group is gone");
	is(rmdir(GROUP), 0, "the other group is removed");
}

/* A handle names a group by its number. */
static void test_handles(void)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + 8];
	} got = {.handle.handle_bytes = 4};
	struct stat st;
	uint64_t id;
	int mount_id;

	ok(name_to_handle_at(AT_FDCWD, TREE, &got.handle, &mount_id, 0) && errno == EOVERFLOW,
	   "a handle needs room");
	is(got.handle.handle_bytes, 8, "EOVERFLOW tells the handle's size");
	ok(!name_to_handle_at(AT_FDCWD, TREE, &got.handle, &mount_id, 0),
	   "a handle has eight bytes");
	stat(TREE, &st);
	memcpy(&id, got.handle.f_handle, sizeof(id));
	is(got.handle.handle_type, 0xfe, "a handle is of the groups' type");
	is((long)id, (long)st.st_ino, "a handle is the group's number");
	is((long)id, 1, "the root's is 1");
	ok(name_to_handle_at(AT_FDCWD, TREE, &got.handle, &mount_id, 1) && errno == EINVAL,
	   "a flag that there is not: EINVAL");
	ok(name_to_handle_at(AT_FDCWD, "/proc", &got.handle, &mount_id, 0) && errno == EOPNOTSUPP,
	   "files of /proc have no handles: EOPNOTSUPP");
}

static int open_in(const char *group, uint32_t type, uint64_t config, int leader)
{
	struct perf_event_attr attr = perf_attr(type, config);
	int dir = open(group, O_RDONLY | O_DIRECTORY), fd;

	attr.exclude_kernel = type == PERF_TYPE_HARDWARE;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = perf_open(&attr, dir, 0, leader, PERF_FLAG_PID_CGROUP);
	close(dir);
	return fd;
}

/* Goes to the group and faults in that many pages. */
static void fault_in(const char *procs, unsigned pages)
{
	pid_t child = fork();
	int status;

	if (!child) {
		char *memory;

		if (put(procs, "0"))
			_exit(1);
		memory = mmap(NULL, pages * 4096ul, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		for (unsigned i = 0; i < pages; i++)
			memory[i * 4096ul] = 1;
		_exit(0);
	}
	waitpid(child, &status, 0);
	if (status)
		printf("# the child failed\n");
}

struct values {
	uint64_t value, enabled, running;
};

static struct values values_of(int fd)
{
	struct values values = {0};

	if (read(fd, &values, sizeof(values)) != sizeof(values))
		printf("# cannot read\n");
	return values;
}

static void test_events(void)
{
	int all, inner, other, sibling;
	struct values values;

	mkdir(GROUP, 0755);
	mkdir(INNER, 0755);
	mkdir(GROUP "/other", 0755);
	all = open_in(GROUP, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, -1);
	inner = open_in(INNER, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, -1);
	other = open_in(GROUP "/other", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, -1);
	ok(all >= 0 && inner >= 0 && other >= 0, "events of groups");
	fault_in(INNER "/cgroup.procs", 500);
	values = values_of(inner);
	ok(values.value >= 500 && values.value < 700, "a group's event counts its processes: %lu",
	   values.value);
	ok(values.running && values.running == values.enabled,
	   "a group's event runs while a process is there");
	is((long)values_of(all).value, (long)values.value, "the parent's event counts as well");
	is((long)values_of(other).value, 0, "not the one beside it");
	is((long)values_of(other).enabled, 0,
	   "the event of a group without processes has no enabled time");
	fault_in(GROUP "/other/cgroup.procs", 300);
	ok(values_of(other).value >= 300, "the other group's event counts its processes");
	is((long)values_of(inner).value, (long)values.value, "no other's");
	ok(values_of(all).value >= values.value + 300, "the parent's are both");
	sibling = open_in(INNER, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, inner);
	ok(sibling >= 0, "a group of events");
	ok(open_in(GROUP, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, inner) < 0 &&
	       errno == EINVAL,
	   "an event group has one control group: EINVAL");
	fault_in(INNER "/cgroup.procs", 100);
	ok(values_of(sibling).value >= 100 && values_of(sibling).value < 300, "counts together");
	ioctl(inner, PERF_EVENT_IOC_DISABLE, 0);
	values = values_of(inner);
	fault_in(INNER "/cgroup.procs", 100);
	is((long)values_of(inner).value, (long)values.value, "disabled it does not");
	ioctl(inner, PERF_EVENT_IOC_ENABLE, 0);
	fault_in(INNER "/cgroup.procs", 100);
	ok(values_of(inner).value >= values.value + 100, "enabled it does");
	close(sibling);
	close(all);
	close(inner);
	close(other);
	rmdir(GROUP "/other");
	rmdir(INNER);
	rmdir(GROUP);
}

static void test_refused(void)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	int dir = open("/", O_RDONLY | O_DIRECTORY), tree = open(TREE, O_RDONLY | O_DIRECTORY);

	is(perf_open(&attr, dir, 0, -1, PERF_FLAG_PID_CGROUP) < 0 ? errno : 0, EBADF,
	   "a directory of another file system: EBADF");
	is(perf_open(&attr, 99, 0, -1, PERF_FLAG_PID_CGROUP) < 0 ? errno : 0, EBADF,
	   "no descriptor: EBADF");
	is(perf_open(&attr, tree, -1, -1, PERF_FLAG_PID_CGROUP) < 0 ? errno : 0, EINVAL,
	   "no processor: EINVAL");
	close(dir);
	close(tree);
}

/* Counts switches to and from a process of another group. */
static void test_switches(void)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES);
	int fd = perf_open(&attr, -1, 0, -1, 0);
	uint64_t before;

	ok(fd >= 0, "switches between groups");
	mkdir(GROUP, 0755);
	before = perf_value(fd);
	fault_in(GROUP "/cgroup.procs", 1);
	ok(perf_value(fd) > before, "are counted");
	close(fd);
	rmdir(GROUP);
}

/* A record when a group is made, and its number in samples of its members. */
static void test_records(void)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	static struct perf_record record;
	struct perf_ring ring = {0};
	struct stat st;
	unsigned made = 0, samples = 0, others = 0;
	int fd;

	attr.cgroup = attr.task = 1; /* alone it has no records on Linux */
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_CGROUP;
	fd = perf_open(&attr, -1, 0, -1, 0);
	ok(fd >= 0 && perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE),
	   "an event that wants to know of groups");
	mkdir(GROUP, 0755);
	stat(GROUP, &st);
	fault_in(GROUP "/cgroup.procs", 100);
	while (perf_next(&ring, &record)) {
		made += record.header.type == PERF_RECORD_CGROUP && record.words[0] == st.st_ino &&
			!strcmp((const char *)&record.words[1], "/tests");
		samples += record.header.type == PERF_RECORD_SAMPLE && record.words[0] == st.st_ino;
		others += record.header.type == PERF_RECORD_SAMPLE && record.words[0] == 1;
	}
	is(made, 1, "is told its number and path");
	ok(samples >= 100, "%u samples have the group's number", samples);
	ok(others, "%u have the root's", others);
	rmdir(GROUP);
	perf_unmap(&ring);
	close(fd);
}

/* ---- version 1 ---- */

static bool is_in_v1(const char *group)
{
	char line[128];

	snprintf(line, sizeof(line), ":perf_event:%s\n", group);
	return strstr(look("/proc/self/cgroup"), line);
}

static int directory_event(const char *group)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	int dir = open(group, O_RDONLY | O_DIRECTORY);
	int fd = perf_open(&attr, dir, 0, -1, PERF_FLAG_PID_CGROUP);

	fd = fd < 0 ? -errno : fd;
	close(dir);
	return fd;
}

static void *fault_as_thread(void *moved)
{
	char tid[16];
	char *memory;

	snprintf(tid, sizeof(tid), "%d", gettid());
	*(long *)moved = put(V1 "/one/tasks", tid);
	memory =
	    mmap(NULL, 200 * 4096ul, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (unsigned i = 0; i < 200; i++)
		memory[i * 4096ul] = 1;
	return NULL;
}

/* A thread is in a group alone. */
static void test_thread(void)
{
	int fd = directory_event(V1 "/one");
	pthread_t thread;
	long moved = -1;

	pthread_create(&thread, NULL, fault_as_thread, &moved);
	pthread_join(thread, NULL);
	is(moved, 0, "a thread goes alone");
	ok(perf_value(fd) >= 200 && perf_value(fd) < 300, "a thread alone in a group is counted");
	ok(is_in_v1("/"), "the first one stays");
	while (*look(V1 "/one/tasks"))
		usleep(1000); /* joined is not gone */
	close(fd);
}

#define LOOKS 60000 /* a millisecond apart: Linux lets groups and trees go a while later */

/* True if only the root is left, by /proc/cgroups; otherwise the tree outlives its mount. */
static bool v1_is_empty(void)
{
	const char *line = strstr(look("/proc/cgroups"), "perf_event");
	int hierarchy, groups;

	return !line || sscanf(line, "perf_event %d %d", &hierarchy, &groups) != 2 || groups == 1;
}

/* Events are of the groups of version 1 as long as its tree is mounted. */
static void test_version_1(void)
{
	struct statfs fs;
	int fd;

	mkdir(V1, 0755);
	mkdir(GROUP, 0755);
	ok(mount("none", V1, "cgroup", 0, "nothing") && errno == EINVAL, "no controller: EINVAL");
	is(mount("none", V1, "cgroup", 0, "perf_event"), 0, "version 1 is mounted");
	is(statfs(V1, &fs) || fs.f_type != 0x27e0eb, 0, "version 1 has its own magic");
	ok(strstr(look("/proc/self/mounts"), " " V1 " cgroup rw,") &&
	       strstr(look("/proc/self/mounts"), "perf_event"),
	   "/proc/mounts shows the controller");
	ok(is_in_v1("/") && is_in("/"), "in version 1 all begin at the root");
	is(access(V1 "/release_agent", F_OK) || access(V1 "/tasks", F_OK), 0,
	   "version 1's groups have files");
	is(mkdir(V1 "/one", 0755), 0, "a group");
	is(access(V1 "/one/release_agent", F_OK), -1, "version 1's groups lack the root's files");
	is(directory_event(GROUP), -ENOENT, "no event of the other tree's groups: ENOENT");
	fd = directory_event(V1 "/one");
	ok(fd >= 0, "an event of version 1's groups opens");
	fault_in(V1 "/one/cgroup.procs", 500);
	ok(perf_value(fd) >= 500 && perf_value(fd) < 700, "version 1's event counts its processes");
	fault_in(GROUP "/cgroup.procs", 500);
	ok(perf_value(fd) < 700, "no one else");
	close(fd);
	test_thread();
	ok(umount(V1) == 0 && mount("none", V1, "cgroup", 0, "perf_event") == 0 &&
	       !access(V1 "/one/tasks", F_OK),
	   "groups stay when it is mounted again");
	is(rmdir(V1 "/one"), 0, "groups are removed after a second mount");
	for (int i = 0; i < LOOKS && !v1_is_empty(); i++)
		usleep(1000);
	is(umount(V1), 0, "version 1 is unmounted");
	fd = directory_event(GROUP);
	for (int i = 0; i < LOOKS && fd == -ENOENT; i++) {
		usleep(1000);
		fd = directory_event(GROUP);
	}
	ok(fd >= 0, "events are of the other tree's groups again");
	ok(!is_in_v1("/"), "/proc/self/cgroup shows version 2 only");
	close(fd);
	rmdir(GROUP);
	rmdir(V1);
}

int main(void)
{
	place(0, 0);
	mount("cgroup2", TREE, "cgroup2", 0, NULL);
	put(TREE "/cgroup.subtree_control", "+pids"); /* Linux makes perf_event's ready with it */
	test_tree();
	test_handles();
	test_events();
	test_refused();
	test_switches();
	test_records();
	test_version_1();
	return tap_end();
}

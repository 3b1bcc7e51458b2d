/* SPDX-License-Identifier: BSD-2-Clause */
/* mount(2) and umount2(2). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/guest/tap.h"

#define AT   "/tmp/at"
#define FILE AT "/file"

#define DIRECTORIES 100 /* of a mount, each with */
#define FILES       16

static long type_of(const char *path)
{
	struct statfs fs;

	return statfs(path, &fs) ? -errno : (long)fs.f_type;
}

static long mount_at(const char *path, const char *type, const char *options)
{
	return mount("none", path, type, 0, options) ? -errno : 0;
}

static long unmount(const char *path, int flags)
{
	return umount2(path, flags) ? -errno : 0;
}

static bool is_listed(const char *line)
{
	static char text[8192];
	int fd = open("/proc/self/mounts", O_RDONLY);
	ssize_t bytes = read(fd, text, sizeof(text) - 1);

	close(fd);
	text[bytes > 0 ? bytes : 0] = 0;
	return strstr(text, line);
}

static void make(const char *path)
{
	close(open(path, O_CREAT | O_RDWR, 0600));
}

static void test_memory(void)
{
	struct stat st;
	int fd;

	mkdir(AT, 0700);
	make(FILE);
	is(mount_at(AT, "tmpfs", "mode=0711"), 0, "a directory in memory");
	is(type_of(AT), 0x01021994, "is one");
	ok(!stat(AT, &st) && (st.st_mode & 07777) == 0711, "tmpfs has the given mode");
	ok(access(FILE, F_OK) && errno == ENOENT, "a mount hides the files below");
	ok(is_listed("none " AT " tmpfs rw"), "/proc/mounts lists the mount");
	mkdir(AT "/inner", 0700);
	make(AT "/inner/file");
	ok(rmdir(AT) && errno == EBUSY, "a mount point is not removed: EBUSY");
	ok(rename(AT, "/tmp/other") && errno == EBUSY, "a mount point is not renamed: EBUSY");
	fd = open(AT "/inner/file", O_RDONLY);
	is(unmount(AT, 0), -EBUSY, "while a file is open: EBUSY");
	close(fd);
	is(chdir(AT "/inner"), 0, "somebody is there");
	is(unmount(AT, 0), -EBUSY, "still: EBUSY");
	is(chdir("/"), 0, "the mount's directory is left");
	is(mount_at(AT "/inner", "tmpfs", ""), 0, "another in it");
	is(unmount(AT, 0), -EBUSY, "a mount inside keeps the outer one: EBUSY");
	is(unmount(AT "/inner", 0), 0, "the outer mount goes after the inner one");
	is(access(AT "/inner/file", F_OK), 0, "a file that the inner mount hid is back");
	is(unmount(AT, 0), 0, "now nobody is there");
	is(access(FILE, F_OK), 0, "the directory is the old one");
	ok(!is_listed(AT), "/proc/mounts no longer lists the mount");
	is(unmount(AT, 0), -EINVAL, "not twice: EINVAL");
	is(mount_at(AT, "tmpfs", ""), 0, "again");
	fd = open(AT "/open", O_CREAT | O_RDWR, 0600);
	is(write(fd, "kept", 4), 4, "a file is made in the tmpfs");
	is(unmount(AT, MNT_DETACH), 0, "taken away while it is open");
	ok(pread(fd, &st, 4, 0) == 4 && !memcmp(&st, "kept", 4),
	   "an open file of a detached mount can be read");
	close(fd);
	is(access(FILE, F_OK), 0, "the place is free");
}

/* As a user in a directory that is removed in the meantime: removes its files and tries to make
 * one. Exit status: 0, or 1 if it could. */
static void take_away(int go)
{
	char path[32];
	char byte;
	int fd;

	setresuid(1000, 1000, 1000);
	read(go, &byte, 1);
	for (int dir = 0; dir < DIRECTORIES; dir++) {
		for (int file = 0; file < FILES; file++) {
			sprintf(path, "%d/%d", dir, file);
			unlink(path);
		}
		sprintf(path, "%d", dir);
		rmdir(path);
	}
	fd = open("new", O_CREAT | O_RDWR, 0600);
	_exit(fd >= 0);
}

static void fill(void)
{
	char path[32];

	for (int dir = 0; dir < DIRECTORIES; dir++) {
		sprintf(path, "%d", dir);
		mkdir(path, 0700);
		chown(path, 1000, 1000);
		for (int file = 0; file < FILES; file++) {
			sprintf(path, "%d/%d", dir, file);
			make(path);
		}
	}
}

/* Two remove the same names. */
static void test_taken_away(void)
{
	long made = 0, failed = 0;
	int go[2], status;

	for (int i = 0; i < 5; i++) {
		pid_t pid;

		failed += mount_at(AT, "tmpfs", "mode=0777") || chdir(AT) || pipe(go);
		fill();
		pid = fork();
		if (!pid)
			take_away(go[0]);
		failed += chdir("/");
		write(go[1], "g", 1);
		failed += unmount(AT, MNT_DETACH) != 0;
		waitpid(pid, &status, 0);
		made += status != 0;
		close(go[0]);
		close(go[1]);
	}
	is(failed, 0, "directories are taken away while a user empties them");
	is(made, 0, "detached directories take no new files");
}

static void test_known(void)
{
	is(mount_at(AT, "proc", ""), 0, "proc in another place");
	is(type_of(AT), 0x9fa0, "is proc");
	is(access(AT "/self/stat", F_OK), 0, "a second proc has its files");
	is(unmount(AT, 0), 0, "a second proc is unmounted");
	is(mount_at(AT, "sysfs", ""), 0, "sysfs");
	is(access(AT "/devices", F_OK), 0, "has its");
	is(unmount(AT, 0), 0, "a second sysfs is unmounted");
	is(mount_at(AT, "cgroup2", ""), 0, "control groups");
	is(access(AT "/cgroup.procs", F_OK), 0, "have theirs");
	is(unmount(AT, 0), 0, "debugfs and tracefs are unmounted");
	is(mount_at(AT, "bpf", ""), 0, "bpffs");
	is(type_of(AT), 0xcafe4a11, "is a new one");
	is(unmount(AT, 0), 0, "a second bpffs is unmounted");
	mkdir("/tmp/from", 0700);
	make("/tmp/from/bound");
	is(mount("/tmp/from", AT, NULL, MS_BIND, NULL), 0, "a directory's other place");
	is(access(AT "/bound", F_OK), 0, "shows what is in it");
	is(unmount(AT, 0), 0, "a bound directory is unmounted");
	unlink("/tmp/from/bound");
	rmdir("/tmp/from");
}

static void test_refused(void)
{
	pid_t child;
	int status;

	is(mount_at(AT, "no such", ""), -ENODEV, "an unknown type: ENODEV");
	is(mount_at("/tmp/none", "tmpfs", ""), -ENOENT, "no such place: ENOENT");
	is(mount_at(FILE, "tmpfs", ""), -ENOTDIR, "a file: ENOTDIR");
	is(mount("none", AT, NULL, 0, NULL) ? -errno : 0, -EINVAL, "no type: EINVAL");
	is(mount("/tmp/none", AT, NULL, MS_BIND, NULL) ? -errno : 0, -ENOENT,
	   "nothing's other place: ENOENT");
	is(unmount(AT, 0x100), -EINVAL, "unknown flags: EINVAL");
	is(unmount(AT, 0), -EINVAL, "where nothing is: EINVAL");
	is(unmount("/tmp/none", 0), -ENOENT, "nowhere: ENOENT");
	child = fork();
	if (!child)
		_exit(setresuid(65534, 65534, 65534) || mount_at("/tmp", "tmpfs", "") != -EPERM ||
		      unmount("/tmp", 0) != -EPERM);
	waitpid(child, &status, 0);
	is(status, 0, "nobody may: EPERM");
}

int main(void)
{
	mkdir("/tmp", 01777);
	test_memory();
	test_taken_away();
	test_known();
	test_refused();
	unlink(FILE);
	rmdir(AT);
	return tap_end();
}

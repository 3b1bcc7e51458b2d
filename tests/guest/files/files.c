/* SPDX-License-Identifier: BSD-2-Clause */
/* Files: written and read back, seeks, holes, directories, links, renames, times, descriptors. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/guest/tap.h"

static char directory[] = "/tmp/files-XXXXXX";

static void test_contents(void)
{
	enum { LINES = 20000 };
	FILE *file = fopen("lines", "w");
	char line[64], wanted[64];
	int wrong = 0, count = 0;
	struct stat stat_;

	for (int i = 0; i < LINES; i++)
		fprintf(file, "line %d of the file\n", i);
	is(fclose(file), 0, "a file of 20000 lines is written");
	file = fopen("lines", "r");
	while (fgets(line, sizeof(line), file)) {
		snprintf(wanted, sizeof(wanted), "line %d of the file\n", count++);
		wrong += strcmp(line, wanted) != 0;
	}
	fclose(file);
	is(count, LINES, "20000 lines are read back");
	is(wrong, 0, "all lines are right");
	is(stat("lines", &stat_), 0, "stat");
	/* "line N of the file\n": 18 characters and the digits of 0..19999. */
	is(stat_.st_size, LINES * 18l + 10 + 90 * 2 + 900 * 3 + 9000 * 4 + 10000 * 5,
	   "the size is the sum of the lines");
	ok(S_ISREG(stat_.st_mode) && (stat_.st_mode & 0777) == 0644, "mode 0644 by the umask");
}

static void test_offsets(void)
{
	int fd = open("holes", O_RDWR | O_CREAT | O_TRUNC, 0600);
	char bytes[32] = "";
	struct iovec vectors[2] = {{bytes, 3}, {bytes + 8, 5}};

	is(lseek(fd, 100000, SEEK_SET), 100000, "seek past the end");
	is(write(fd, "end", 3), 3, "write there");
	is(lseek(fd, 0, SEEK_END), 100003, "the file ends after it");
	is(pread(fd, bytes, 4, 50000), 4, "pread in the hole");
	is(memcmp(bytes, "\0\0\0\0", 4), 0, "a hole holds zeros");
	is(pwrite(fd, "0123456789", 10, 4090), 10, "pwrite across pages");
	is(lseek(fd, 4090, SEEK_SET), 4090, "seek");
	is(readv(fd, vectors, 2), 8, "readv");
	ok(memcmp(bytes, "012", 3) == 0 && memcmp(bytes + 8, "34567", 5) == 0, "readv scatters");
	is(lseek(fd, 0, SEEK_CUR), 4098, "the offset moved by as much");
	is(ftruncate(fd, 4092), 0, "ftruncate shortens");
	is(ftruncate(fd, 8192), 0, "ftruncate lengthens");
	is(pread(fd, bytes, 6, 4090), 6, "pread at the cut");
	is(memcmp(bytes, "01\0\0\0\0", 6), 0, "a file grown after truncation is zero there");
	is(lseek(fd, -1, SEEK_SET) == -1 && errno == EINVAL, 1, "seek before the start is EINVAL");
	close(fd);
	fd = open("holes", O_WRONLY | O_APPEND);
	is(write(fd, "x", 1), 1, "O_APPEND writes");
	is(lseek(fd, 0, SEEK_CUR), 8193, "O_APPEND writes at the end");
	is(read(fd, bytes, 1) == -1 && errno == EBADF, 1,
	   "a file for writing does not read (EBADF)");
	close(fd);
}

static void test_mapping(void)
{
	int fd = open("mapped", O_RDWR | O_CREAT, 0600);
	char *shared, *private, byte;

	ftruncate(fd, 10000);
	shared = mmap(NULL, 10000, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	private = mmap(NULL, 10000, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	ok(shared != MAP_FAILED && private != MAP_FAILED, "a file is mapped two times");
	shared[5000] = 'S';
	is(private[5000], 'S', "the private mapping shows the file until it is written");
	private[5001] = 'P';
	is(shared[5001], 0, "private writes stay private");
	pread(fd, &byte, 1, 5000);
	is(byte, 'S', "shared writes are the file's");
	pwrite(fd, "W", 1, 9999);
	is(shared[9999], 'W', "a file's writes are seen in a shared mapping");
	munmap(shared, 10000);
	munmap(private, 10000);
	close(fd);
}

static int count_entries(const char *path)
{
	DIR *dir = opendir(path);
	int count = 0;

	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count;
}

static void test_tree(void)
{
	char name[64], target[64] = "";
	struct stat one, two;
	int made = 0;

	is(mkdir("dir", 0755), 0, "mkdir");
	is(mkdir("dir", 0755) == -1 && errno == EEXIST, 1, "mkdir again is EEXIST");
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "dir/file-with-a-name-%d", i);
		made += close(open(name, O_CREAT | O_WRONLY, 0644)) == 0;
	}
	is(made, 300, "300 files are made");
	is(count_entries("dir"), 302, "readdir shows them, . and ..");
	is(rmdir("dir") == -1 && errno == ENOTEMPTY, 1, "rmdir of a full directory is ENOTEMPTY");
	is(symlink("dir/file-with-a-name-7", "link"), 0, "symlink");
	is(readlink("link", target, sizeof(target)), 22, "readlink tells its length");
	is(strcmp(target, "dir/file-with-a-name-7"), 0, "readlink returns the target");
	stat("link", &one);
	stat("dir/file-with-a-name-7", &two);
	is(one.st_ino == two.st_ino, 1, "stat follows the link");
	lstat("link", &one);
	is(S_ISLNK(one.st_mode), 1, "lstat does not");
	is(open("link", O_RDONLY | O_NOFOLLOW) == -1 && errno == ELOOP, 1, "O_NOFOLLOW is ELOOP");
	symlink("loop", "loop");
	is(open("loop", O_RDONLY) == -1 && errno == ELOOP, 1, "a link to itself is ELOOP");
	is(link("dir/file-with-a-name-7", "hard"), 0, "link");
	stat("hard", &one);
	is(one.st_nlink == 2 && one.st_ino == two.st_ino, 1, "two names, one file");
	is(rename("hard", "dir/file-with-a-name-8"), 0, "rename over a file");
	is(access("hard", F_OK) == -1 && errno == ENOENT, 1, "the old name is gone");
	is(count_entries("dir"), 302, "rename replaced the target");
	is(rename("dir", "dir/inside") == -1 && errno == EINVAL, 1,
	   "a directory cannot move into itself");
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "dir/file-with-a-name-%d", i);
		made -= unlink(name) == 0;
	}
	is(made, 0, "all names are unlinked");
	is(rmdir("dir"), 0, "rmdir");
}

static void test_unlinked(void)
{
	int fd = open("gone", O_RDWR | O_CREAT, 0600);
	char bytes[8] = "";
	struct stat stat_;

	write(fd, "still", 5);
	is(unlink("gone"), 0, "an open file is unlinked");
	is(pread(fd, bytes, 5, 0) == 5 && strcmp(bytes, "still") == 0, 1,
	   "an unlinked open file can be read");
	fstat(fd, &stat_);
	is(stat_.st_nlink, 0, "an unlinked open file has no name");
	close(fd);
}

static void test_descriptors(void)
{
	int fd = open("lines", O_RDONLY), copy;
	char byte;

	copy = dup(fd);
	read(fd, &byte, 1);
	is(lseek(copy, 0, SEEK_CUR), 1, "dup shares the offset");
	is(dup2(fd, 40), 40, "dup2 to a number");
	is(fcntl(40, F_GETFD), 0, "dup2 clears close-on-exec");
	is(fcntl(fd, F_DUPFD_CLOEXEC, 50), 50, "F_DUPFD_CLOEXEC finds the lowest from 50");
	is(fcntl(50, F_GETFD), FD_CLOEXEC, "F_DUPFD_CLOEXEC sets close-on-exec");
	is(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY, "F_GETFL tells the mode");
	close(copy);
	is(open("lines", O_RDONLY), copy, "open takes the lowest free number");
	close(copy);
	close(fd);
	close(40);
	close(50);
}

/* Access mode 3 asks for both rights and gives neither: such a descriptor is for ioctls. */
static void test_no_access(void)
{
	const int none = O_WRONLY | O_RDWR;
	struct flock read_lock = {.l_type = F_RDLCK}, write_lock = {.l_type = F_WRLCK};
	int fd = open("lines", none), path = open("lines", none | O_PATH), waiting = -1;
	char byte = 0;

	ok(fd >= 0 && (fcntl(fd, F_GETFL) & none) == none, "a file in access mode 3");
	ok(ioctl(fd, FIONREAD, &waiting) == 0 && waiting > 0, "access mode 3 allows ioctls");
	ok(read(fd, &byte, 1) == -1 && errno == EBADF, "is not read");
	ok(write(fd, &byte, 1) == -1 && errno == EBADF, "access mode 3: no write");
	ok(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED && errno == EACCES,
	   "access mode 3: no mapping");
	ok(ftruncate(fd, 1) == -1 && errno == EINVAL, "access mode 3: no truncation");
	ok(fallocate(fd, 0, 0, 1) == -1 && errno == EBADF, "access mode 3: no fallocate");
	ok(fcntl(fd, F_SETLK, &read_lock) == -1 && errno == EBADF, "access mode 3: no read lock");
	ok(fcntl(fd, F_SETLK, &write_lock) == -1 && errno == EBADF, "access mode 3: no write lock");
	ok(path >= 0 && (fcntl(path, F_GETFL) & none) == 0, "a path has no access mode");
	ok(open("/tmp", none) == -1 && errno == EISDIR, "directories are not opened so");
	mkfifo("fifo", 0600);
	ok(open("fifo", none) == -1 && errno == EINVAL, "access mode 3: no pipe");
	unlink("fifo");
	chmod("lines", 0444);
	if (!fork())
		_exit(setuid(1000) || open("lines", none) != -1 || errno != EACCES);
	wait(&waiting);
	is(waiting, 0, "access mode 3 needs the right to write");
	chmod("lines", 0644);
	close(fd);
	close(path);
}

static void test_devices(void)
{
	char bytes[16] = "xxxxxxx";
	int fd = open("/dev/zero", O_RDWR);

	is(read(fd, bytes, 8), 8, "/dev/zero is read");
	is(memcmp(bytes, "\0\0\0\0\0\0\0", 8), 0, "/dev/zero gives zeros");
	close(fd);
	fd = open("/dev/null", O_RDWR);
	is(write(fd, bytes, 8), 8, "/dev/null takes everything");
	is(read(fd, bytes, 8), 0, "/dev/null is empty");
	close(fd);
	fd = open("/dev/full", O_RDWR);
	is(write(fd, bytes, 8) == -1 && errno == ENOSPC, 1, "/dev/full is ENOSPC");
	close(fd);
	fd = open("/dev/urandom", O_RDONLY);
	is(read(fd, bytes, 16), 16, "/dev/urandom gives as much as is asked for");
	close(fd);
}

#define APPENDED (16ul << 20) /* bytes, more than fit into a turn */

/* A process of its own that appends bytes of one value to the file, in one call. */
static pid_t append_bytes(const char *path, char value)
{
	pid_t pid = fork();
	char *bytes;
	int fd;

	if (pid)
		return pid;
	fd = open(path, O_WRONLY | O_APPEND);
	bytes = mmap(NULL, APPENDED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(bytes, value, APPENDED);
	_exit(write(fd, bytes, APPENDED) != APPENDED);
}

/* Long appends pause, but the bytes of each stay together. */
static void test_appends(void)
{
	int fd = open("appended", O_CREAT | O_RDWR, 0600), changes = 0, statuses = 0, status;
	pid_t first = append_bytes("appended", 'a'), second = append_bytes("appended", 'b');
	const char *bytes;

	waitpid(first, &status, 0);
	statuses |= status;
	waitpid(second, &status, 0);
	is(statuses | status, 0, "two processes append at the same time");
	bytes = mmap(NULL, 2 * APPENDED, PROT_READ, MAP_SHARED, fd, 0);
	for (unsigned long at = 4096; at < 2 * APPENDED; at += 4096)
		changes += bytes[at] != bytes[at - 4096];
	is(changes, 1, "each process's bytes are together");
	munmap((void *)bytes, 2 * APPENDED);
	close(fd);
	unlink("appended");
}

int main(void)
{
	char cwd[64] = "";

	umask(022);
	ok(mkdtemp(directory) != NULL, "mkdtemp");
	is(chdir(directory), 0, "chdir");
	is(getcwd(cwd, sizeof(cwd)) && strcmp(cwd, directory) == 0, 1, "getcwd tells it");
	test_contents();
	test_appends();
	test_offsets();
	test_mapping();
	test_tree();
	test_unlinked();
	test_descriptors();
	test_no_access();
	test_devices();
	for (const char *const *name =
		 (const char *[]){"lines", "holes", "mapped", "link", "loop", NULL};
	     *name; name++)
		unlink(*name);
	is(chdir("/"), 0, "chdir /");
	is(rmdir(directory), 0, "the directory is empty at the end");
	return tap_end();
}

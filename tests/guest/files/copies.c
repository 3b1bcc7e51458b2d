/* SPDX-License-Identifier: BSD-2-Clause */
/* Data that goes from file to file, from process to process, through pipes of any size; times of
 * files. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>
#include "tests/guest/tap.h"

enum { SIZE = 20000 };

static char bytes[SIZE], back[3 * SIZE];

static int temporary(void)
{
	return memfd_create("copies", 0);
}

static long copy(int from, loff_t *from_at, int to, loff_t *to_at, size_t size, unsigned flags)
{
	return syscall(SYS_copy_file_range, from, from_at, to, to_at, size, flags);
}

static void test_copy(void)
{
	int from = temporary(), to = temporary(), directory = open("/", O_RDONLY), ends[2];
	loff_t at = 5, after = 10000;

	for (int i = 0; i < SIZE; i++)
		bytes[i] = (char)(i * 7 + i / 256);
	write(from, bytes, SIZE);
	is(copy(from, &at, to, NULL, SIZE, 0), SIZE - 5,
	   "copy_file_range goes to the end of the file");
	ok(at == SIZE && lseek(from, 0, SEEK_CUR) == SIZE && lseek(to, 0, SEEK_CUR) == SIZE - 5,
	   "copy_file_range moves the given offsets");
	ok(pread(to, back, SIZE, 0) == SIZE - 5 && !memcmp(back, bytes + 5, SIZE - 5),
	   "the bytes are the same");
	is(copy(from, &at, to, NULL, 1, 0), 0, "copy_file_range at the end copies nothing");
	at = 0;
	is(copy(from, &at, to, &after, 100, 0), 100, "into the middle");
	ok(pread(to, back, 100, 10000) == 100 && !memcmp(back, bytes, 100) && after == 10100,
	   "copy_file_range into the middle");
	at = 50, after = 100;
	ok(copy(from, &at, from, &after, 51, 0) == -1 && errno == EINVAL, "not onto itself");
	is(copy(from, &at, from, &after, 50, 0), 50,
	   "copy_file_range within a file, without overlap");
	ok(copy(from, &at, to, NULL, 1, 1) == -1 && errno == EINVAL,
	   "copy_file_range with flags: EINVAL");
	ok(copy(directory, NULL, to, NULL, 1, 0) == -1 && errno == EISDIR, "no directory");
	ok(pipe(ends) == 0 && copy(from, &at, ends[1], NULL, 1, 0) == -1 && errno == EINVAL,
	   "no pipe");
	ok(copy(from, &at, -1, NULL, 1, 0) == -1 && errno == EBADF,
	   "copy_file_range of a closed descriptor: EBADF");
	fcntl(to, F_SETFL, O_APPEND);
	ok(copy(from, &at, to, NULL, 1, 0) == -1 && errno == EBADF,
	   "copy_file_range to O_APPEND: EBADF");
}

static void test_sendfile(void)
{
	int from = temporary(), to = temporary(), ends[2];
	off_t at = 100;

	write(from, bytes, SIZE);
	is(sendfile(to, from, &at, 1000), 1000, "sendfile from a place of its own");
	ok(at == 1100 && lseek(from, 0, SEEK_CUR) == SIZE && lseek(to, 0, SEEK_CUR) == 1000,
	   "moves that place");
	lseek(from, 1100, SEEK_SET);
	is(sendfile(to, from, NULL, SIZE), SIZE - 1100,
	   "sendfile from the file's offset, to the end");
	ok(pread(to, back, SIZE, 0) == SIZE - 100 && !memcmp(back, bytes + 100, SIZE - 100),
	   "the bytes are the same");
	at = -1;
	ok(sendfile(to, from, &at, 1) == -1 && errno == EINVAL, "no negative offset");
	at = 3;
	ok(pipe(ends) == 0 && sendfile(ends[1], from, &at, 100) == 100 && at == 103 &&
	       read(ends[0], back, 200) == 100 && !memcmp(back, bytes + 3, 100),
	   "into a pipe");
	ok(sendfile(ends[0], from, NULL, 1) == -1 && errno == EBADF, "not into its other end");
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	at = 0;
	while (sendfile(ends[1], from, &at, SIZE) > 0)
		at = 0;
	ok(errno == EAGAIN, "sendfile into a full pipe: EAGAIN");
	close(ends[0]);
	close(ends[1]);
	ok(sendfile(to, 99, NULL, 1) == -1 && errno == EBADF,
	   "sendfile of a closed descriptor: EBADF");
}

static void test_pipe(void)
{
	int ends[2], taken;

	pipe2(ends, O_NONBLOCK);
	is(fcntl(ends[0], F_GETPIPE_SZ), 65536, "a pipe holds 64 KiB");
	is(fcntl(ends[1], F_SETPIPE_SZ, 4000), 4096, "F_SETPIPE_SZ shrinks a pipe to a page");
	is(write(ends[1], bytes, SIZE), 4096, "a pipe of a page takes a page");
	ok(write(ends[1], bytes, 1) == -1 && errno == EAGAIN, "a full pipe takes no more");
	is(fcntl(ends[1], F_SETPIPE_SZ, 20000), 32768, "F_SETPIPE_SZ lets a pipe grow");
	is(write(ends[1], bytes + 4096, SIZE - 4096), SIZE - 4096, "holds the rest");
	ok(fcntl(ends[1], F_SETPIPE_SZ, 8192) == -1 && errno == EBUSY,
	   "F_SETPIPE_SZ below the contents: EBUSY");
	taken = (int)read(ends[0], back, sizeof(back));
	ok(taken == SIZE && !memcmp(back, bytes, SIZE), "every byte came through");
	is(fcntl(ends[1], F_SETPIPE_SZ, 0), 4096, "a page is the least");
	ok(fcntl(ends[1], F_SETPIPE_SZ, (1ul << 31) + 1) == -1 && errno == EINVAL,
	   "2 GiB the most");
	ok(fcntl(temporary(), F_SETPIPE_SZ, 4096) == -1 && errno == EBADF,
	   "no other file has such a size");
}

/* Regular files: offsets, ends, modes. */
static void test_splice_files(void)
{
	int from = temporary(), to = temporary(), ends[2];
	loff_t at = 5, there = 100, none = 0, wrong = -1;

	write(from, bytes, SIZE);
	pipe2(ends, O_NONBLOCK);
	is(splice(from, &at, ends[1], NULL, 9000, SPLICE_F_MOVE | SPLICE_F_MORE), 9000,
	   "splice from a place in a file");
	ok(at == 9005 && lseek(from, 0, SEEK_CUR) == SIZE, "moves that place");
	is(splice(ends[0], NULL, to, &there, 8000, 0), 8000, "into another");
	is(splice(ends[0], NULL, to, NULL, SIZE, 0), 1000,
	   "splice of the rest, to the file's offset");
	ok(there == 8100 && lseek(to, 0, SEEK_CUR) == 1000 && pread(to, back, SIZE, 0) == 8100 &&
	       !memcmp(back, bytes + 8005, 1000) && !memcmp(back + 1000, bytes + 905, 7100),
	   "the bytes are the same, the places moved");
	is(splice(from, NULL, ends[1], NULL, 10, 0), 0, "splice at a file's end moves nothing");
	ok(splice(ends[0], NULL, to, NULL, 10, 0) == -1 && errno == EAGAIN,
	   "splice from an empty pipe: EAGAIN");
	ok(splice(from, &none, to, NULL, 10, 0) == -1 && errno == EINVAL,
	   "splice without a pipe: EINVAL");
	ok(splice(from, &none, ends[1], &none, 1, 0) == -1 && errno == ESPIPE, "without a place");
	ok(splice(from, (loff_t *)8, ends[1], NULL, 1, 0) == -1 && errno == EFAULT,
	   "places lie in memory");
	ok(splice(from, &wrong, ends[1], NULL, 1, 0) == -1 && errno == EINVAL,
	   "splice from a negative offset: EINVAL");
	ok(splice(from, &none, ends[1], NULL, 1, 16) == -1 && errno == EINVAL, "unknown flags");
	is(splice(-1, NULL, -1, NULL, 0, 16), 0, "no bytes are no question");
	ok(splice(ends[1], NULL, to, NULL, 1, 0) == -1 && errno == EBADF, "the wrong end");
	ok(splice(-1, NULL, ends[1], NULL, 1, 0) == -1 && errno == EBADF, "no file");
	fcntl(to, F_SETFL, O_APPEND);
	ok(splice(ends[0], NULL, to, NULL, 1, 0) == -1 && errno == EINVAL, "no appending");
	close(ends[1]);
	fcntl(to, F_SETFL, 0);
	is(splice(ends[0], NULL, to, NULL, 1, 0), 0, "a pipe's end");
}

static void test_splice_pipes(void)
{
	int one[2], two[2];

	pipe(one);
	pipe(two);
	write(one[1], bytes, 5000);
	is(tee(one[0], two[1], 4500, SPLICE_F_NONBLOCK), 4500, "tee copies");
	is(splice(one[0], NULL, two[1], NULL, SIZE, 0), 5000,
	   "splice takes the bytes that tee leaves");
	ok(read(two[0], back, SIZE) == 9500 && !memcmp(back, bytes, 4500) &&
	       !memcmp(back + 4500, bytes, 5000),
	   "both come in order");
	ok(tee(one[0], two[1], 1, SPLICE_F_NONBLOCK) == -1 && errno == EAGAIN, "nothing to tee");
	ok(splice(one[0], NULL, two[1], NULL, 1, SPLICE_F_NONBLOCK) == -1 && errno == EAGAIN,
	   "splice from an empty pipe moves nothing");
	fcntl(two[1], F_SETPIPE_SZ, 4096);
	write(two[1], bytes, 4096);
	write(one[1], bytes, 1);
	ok(splice(one[0], NULL, two[1], NULL, 1, SPLICE_F_NONBLOCK) == -1 && errno == EAGAIN,
	   "no room");
	ok(tee(one[0], one[1], 1, 0) == -1 && errno == EINVAL, "tee needs two pipes");
	ok(splice(one[0], NULL, one[1], NULL, 1, 0) == -1 && errno == EINVAL, "splice, too");
	ok(tee(one[0], two[1], 1, 16) == -1 && errno == EINVAL, "tee's flags");
	ok(tee(temporary(), two[1], 1, 0) == -1 && errno == EINVAL, "no file for tee");
	signal(SIGPIPE, SIG_IGN);
	close(two[0]);
	ok(splice(one[0], NULL, two[1], NULL, 1, 0) == -1 && errno == EPIPE, "nobody reads");
	close(one[1]);
	read(one[0], back, 1);
	ok(tee(one[0], two[1], 1, 0) == -1 && errno == EPIPE,
	   "tee to a pipe without readers: EPIPE");
}

static void interrupted(int signal)
{
	(void)signal;
}

static void test_vmsplice(void)
{
	static struct iovec many[1025];
	struct iovec parts[2] = {{bytes, 3000}, {bytes + 7000, 5000}},
		     into[2] = {{back, 7000}, {back + 7000, 9000}}, bad = {(void *)8, 1};
	struct itimerval soon = {.it_value = {.tv_usec = 20000}};
	struct sigaction action = {.sa_handler = interrupted};
	int ends[2];

	pipe(ends);
	is(vmsplice(ends[1], parts, 2, SPLICE_F_GIFT), 8000, "vmsplice from memory");
	is(vmsplice(ends[0], into, 2, 0), 8000, "vmsplice to memory");
	ok(!memcmp(back, bytes, 3000) && !memcmp(back + 3000, bytes + 7000, 5000), "whole");
	ok(vmsplice(ends[0], into, 2, SPLICE_F_NONBLOCK) == -1 && errno == EAGAIN, "once");
	ok(vmsplice(ends[1], &bad, 1, 0) == -1 && errno == EFAULT, "not from nowhere");
	ok(vmsplice(ends[1], many, 1025, 0) == -1 && errno == EINVAL, "1024 vectors");
	is(vmsplice(ends[1], many, 1024, 0), 0, "vmsplice of 1,024 empty vectors");
	ok(vmsplice(ends[1], parts, 1, 16) == -1 && errno == EINVAL, "no other flags");
	ok(vmsplice(temporary(), parts, 1, 0) == -1 && errno == EBADF, "pipes only");
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	ok(vmsplice(ends[0], into, 1, 0) == -1 && errno == EINTR, "a signal ends the wait");
	action.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &action, NULL);
	if (!fork()) {
		usleep(60000);
		_exit(write(ends[1], bytes, 7) != 7);
	}
	setitimer(ITIMER_REAL, &soon, NULL);
	is(splice(ends[0], NULL, temporary(), NULL, 100, 0), 7,
	   "SA_RESTART lets splice's wait continue");
	wait(NULL);
}

static void test_memory(void)
{
	char *other =
		 mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	     here[8192] = "";
	struct iovec local[2] = {{here, 10}, {here + 100, 6000}},
		     remote[2] = {{other + 4000, 200}, {other + 8000, 6000}};
	int ends[2];
	pid_t child;

	pipe(ends);
	memset(other, 'a', 2 * 4096);
	child = fork();
	if (!child) {
		memset(other, 'b', 3 * 4096);
		mprotect(other + 4096, 4096, PROT_READ);
		write(ends[1], "", 1);
		for (;;)
			pause();
	}
	read(ends[0], here, 1);
	is(process_vm_readv(child, local, 2, remote, 2, 0), 200 + 4288,
	   "the memory of a child is read, to the end of what it has");
	ok(here[9] == 'b' && !here[10] && here[100] == 'b' && here[100 + 4477] == 'b' &&
	       !here[100 + 4478] && other[4000] == 'a',
	   "scattered");
	memset(here, 'c', sizeof(here));
	remote[0].iov_len = 5;
	remote[1].iov_base = other + 8192;
	remote[1].iov_len = 3;
	is(process_vm_writev(child, local, 2, remote, 2, 0), 8,
	   "process_vm_writev writes scattered bytes");
	remote[0].iov_len = 7;
	is(process_vm_readv(child, local, 1, remote, 1, 0), 7, "read back");
	ok(!memcmp(here, "cccccbb", 7), "the scattered bytes are read back");
	remote[0].iov_base = other + 4096;
	ok(process_vm_writev(child, local, 1, remote, 1, 0) == -1 && errno == EFAULT,
	   "not where the child may not write");
	ok(process_vm_readv(child, local, 1, remote, 1, 1) == -1 && errno == EINVAL,
	   "process_vm_readv with flags: EINVAL");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ok(process_vm_readv(child, local, 1, remote, 1, 0) == -1 && errno == ESRCH,
	   "a dead process has none");
}

static void test_times(void)
{
	const struct timeval times[2] = {{1000, 5}, {2000, 999999}},
			     wrong[2] = {{0, 0}, {0, 1000000}};
	const struct utimbuf whole = {3, 4};
	struct stat stat_;
	int fd;

	mkdir("/tmp", 0777);
	fd = open("/tmp/copies", O_CREAT | O_RDWR, 0600);
	is(syscall(SYS_utimes, "/tmp/copies", times), 0, "utimes");
	fstat(fd, &stat_);
	ok(stat_.st_atim.tv_sec == 1000 && stat_.st_atim.tv_nsec == 5000 &&
	       stat_.st_mtim.tv_sec == 2000 && stat_.st_mtim.tv_nsec == 999999000,
	   "sets times in microseconds");
	ok(syscall(SYS_utimes, "/tmp/copies", wrong) == -1 && errno == EINVAL,
	   "futimesat with a million microseconds: EINVAL");
	is(syscall(SYS_utime, "/tmp/copies", &whole), 0, "utime");
	fstat(fd, &stat_);
	ok(stat_.st_atim.tv_sec == 3 && stat_.st_mtim.tv_sec == 4 && !stat_.st_mtim.tv_nsec,
	   "sets them in seconds");
	is(syscall(SYS_futimesat, fd, NULL, NULL), 0, "futimesat of an open file");
	fstat(fd, &stat_);
	ok(stat_.st_mtim.tv_sec > 1000000000, "sets the present time");
	unlink("/tmp/copies");
	is(syscall(SYS_futimesat, AT_FDCWD, "/tmp/copies", times), -1,
	   "a file that is not there has no times");
}

enum { BLOCK = 4 << 20, BLOCKS = 4 }; /* long enough for other tasks to have turns */

static long write_blocks(int fd, const char *block)
{
	long done = 0;

	for (int i = 0; i < BLOCKS; i++)
		done += write(fd, block, BLOCK);
	return done;
}

/* Bytes that differ from the first of their block. */
static long strange_bytes(const char *file, long size)
{
	long strange = 0;

	for (long i = 0; i < size; i++)
		strange += file[i] != file[i / BLOCK * BLOCK];
	return strange;
}

/* Two processes write by one description at once. */
static void test_shared_offset(void)
{
	char *block = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	     *file, byte;
	int fd = open("/tmp/copies", O_CREAT | O_RDWR, 0600), ends[2];
	pid_t child;

	pipe(ends);
	child = fork();
	memset(block, child ? 'a' : 'b', BLOCK);
	if (!child) {
		close(ends[1]);
		read(ends[0], &byte, 1);
		_exit(write_blocks(fd, block) != (long)BLOCKS * BLOCK);
	}
	close(ends[1]);
	is(write_blocks(fd, block), (long)BLOCKS * BLOCK, "blocks are written beside others");
	waitpid(child, NULL, 0);
	is(lseek(fd, 0, SEEK_CUR), 2l * BLOCKS * BLOCK, "no block is written over another");
	file = mmap(NULL, 2ul * BLOCKS * BLOCK, PROT_READ, MAP_SHARED, fd, 0);
	is(strange_bytes(file, 2l * BLOCKS * BLOCK), 0, "each block is in one piece");
	munmap(file, 2ul * BLOCKS * BLOCK);
	munmap(block, BLOCK);
	unlink("/tmp/copies");
	close(fd);
}

int main(void)
{
	test_copy();
	test_sendfile();
	test_pipe();
	test_splice_files();
	test_splice_pipes();
	test_vmsplice();
	test_memory();
	test_times();
	test_shared_offset();
	return tap_end();
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* tests/fuzz/latency.c: calls that work on files, descriptors and messages. */
#ifndef TESTS_FUZZ_LATENCY_FILES_H
#define TESTS_FUZZ_LATENCY_FILES_H

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#define FILE_BYTES  (16 * MIB)
#define NAMES       10000
#define DESCRIPTORS 10000
#define LOCKS       1000

static char *file_buffer;
static int a_file, other_file, fds[DESCRIPTORS];

static void check(long result)
{
	if (result < 0)
		_exit(errno);
}

static void raise_limits(void)
{
	const struct rlimit files = {DESCRIPTORS + 100, DESCRIPTORS + 100};

	setrlimit(RLIMIT_NOFILE, &files);
}

static void prepare_buffer(void)
{
	file_buffer = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	a_file = memfd_create("file", 0);
	check(a_file);
}

static void prepare_file(void)
{
	prepare_buffer();
	check(write(a_file, file_buffer, FILE_BYTES));
	munmap(file_buffer, FILE_BYTES);
	check(lseek(a_file, 0, SEEK_SET));
	other_file = memfd_create("other", 0);
}

static void call_write(void)
{
	check(write(a_file, file_buffer, FILE_BYTES));
}

static void prepare_append(void)
{
	prepare_buffer();
	check(fcntl(a_file, F_SETFL, O_APPEND));
}

static void call_writev(void)
{
	static struct iovec parts[1024];

	for (unsigned i = 0; i < COUNT(parts); i++)
		parts[i] = (struct iovec){file_buffer + i, FILE_BYTES / COUNT(parts) / 2};
	check(writev(a_file, parts, COUNT(parts)));
	check(preadv(a_file, parts, COUNT(parts), 0));
}

static void call_read(void)
{
	file_buffer =
	    mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(read(a_file, file_buffer, FILE_BYTES));
}

static void call_read_hole(void)
{
	check(ftruncate(a_file, FILE_BYTES));
	check(pread(a_file, file_buffer, FILE_BYTES, 0));
}

static void call_sendfile(void)
{
	check(sendfile(other_file, a_file, NULL, FILE_BYTES));
}

static void call_copy_range(void)
{
	check(copy_file_range(a_file, NULL, other_file, NULL, FILE_BYTES, 0));
}

static void call_fallocate(void)
{
	check(fallocate(a_file, 0, 0, FILE_BYTES));
}

static void call_punch(void)
{
	check(fallocate(a_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, FILE_BYTES));
}

static void call_cut(void)
{
	check(ftruncate(a_file, 0));
}

static void call_close_file(void)
{
	check(close(a_file));
}

static void call_sync(void)
{
	sync();
	check(fsync(a_file));
}

static void call_random(void)
{
	check(getrandom(file_buffer, 4 * MIB, 0));
}

static void call_zero(void)
{
	int fd = open("/dev/zero", O_RDONLY);

	check(read(fd, file_buffer, FILE_BYTES));
}

/* ---- names ---- */

static const char *name_at(unsigned i)
{
	static char name[64];

	snprintf(name, sizeof(name), "/tmp/many/%u", i);
	return name;
}

static void prepare_names(void)
{
	if (mkdir("/tmp/many", 0700))
		return; /* left by the case before */
	check(mount("none", "/tmp/many", "tmpfs", 0, NULL));
	for (unsigned i = 0; i < NAMES; i++)
		check(mknod(name_at(i), S_IFREG | 0600, 0));
}

static void call_getdents(void)
{
	static char entries[NAMES * 40];
	int fd = open("/tmp/many", O_RDONLY | O_DIRECTORY);

	check(syscall(SYS_getdents64, fd, entries, sizeof(entries)));
}

static void call_umount(void)
{
	check(umount("/tmp/many"));
	check(rmdir("/tmp/many"));
}

static void call_long_path(void)
{
	static char path[4096];

	for (unsigned i = 0; i < sizeof(path) - 4; i += 2)
		memcpy(path + i, "/.", 3);
	for (unsigned i = 0; i < 20; i++)
		access(path, F_OK);
}

static void prepare_links(void)
{
	char target[4096] = "";
	char name[32];

	for (unsigned i = 0; i < 2000; i++)
		strcat(target, "./");
	for (unsigned i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "/tmp/chain%u", i);
		unlink(name);
		if (i)
			snprintf(target + 4000, 32, "chain%u", i - 1);
		check(symlink(i ? target : "/tmp", name));
	}
}

static void call_links(void)
{
	struct stat stat_buffer;

	stat("/tmp/chain39", &stat_buffer);
}

/* ---- descriptors ---- */

static void prepare_descriptors(void)
{
	fds[0] = eventfd(1, EFD_NONBLOCK);
	check(fds[0]);
	for (unsigned i = 1; i < DESCRIPTORS; i++)
		check(fds[i] = dup(fds[0]));
}

static void call_close_range(void)
{
	check((long)syscall(SYS_close_range, (unsigned)fds[0], ~0u, 0));
}

static void call_poll(void)
{
	static struct pollfd polled[DESCRIPTORS];

	for (unsigned i = 0; i < DESCRIPTORS; i++)
		polled[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
	check(poll(polled, DESCRIPTORS, 0));
}

static void call_poll_nothing(void)
{
	static struct pollfd polled[DESCRIPTORS];

	for (unsigned i = 0; i < DESCRIPTORS; i++)
		polled[i] = (struct pollfd){.fd = fds[i], .events = POLLPRI};
	check(poll(polled, DESCRIPTORS, 1));
}

static void call_select(void)
{
	static uint64_t bits[3][DESCRIPTORS / 64 + 2];

	memset(bits, 0, sizeof(bits));
	for (unsigned i = 0; i < DESCRIPTORS; i++)
		bits[0][fds[i] / 64] |= 1ul << fds[i] % 64;
	check((long)syscall(SYS_select, fds[DESCRIPTORS - 1] + 1, bits[0], NULL, bits[2], NULL));
}

static int epoll_set;

static void prepare_epoll(void)
{
	prepare_descriptors();
	epoll_set = epoll_create1(0);
	for (unsigned i = 0; i < DESCRIPTORS; i++) {
		struct epoll_event event = {.events = EPOLLIN, .data.fd = fds[i]};

		check(epoll_ctl(epoll_set, EPOLL_CTL_ADD, fds[i], &event));
	}
}

static void call_epoll_wait(void)
{
	static struct epoll_event events[DESCRIPTORS];

	check(epoll_wait(epoll_set, events, DESCRIPTORS, 0));
}

/* One write wakes all of the set's entries. */
static void call_epoll_wake(void)
{
	uint64_t one = 1;

	check(read(fds[0], &one, 8));
	check(write(fds[0], &one, 8));
}

static void call_epoll_close(void)
{
	check(close(epoll_set));
}

static void call_locks(void)
{
	struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET};

	check(fcntl(a_file, F_SETLK, &lock));
}

static void prepare_locks(void)
{
	prepare_buffer();
	for (unsigned i = 0; i < LOCKS; i++) {
		struct flock lock = {
		    .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 2 * i, .l_len = 1};

		check(fcntl(a_file, F_SETLK, &lock));
	}
}

/* ---- pipes, sockets, System V ---- */

static int ends[2];

static void prepare_pipe(void)
{
	prepare_buffer();
	check(pipe(ends));
	check(fcntl(ends[1], 1031 /* F_SETPIPE_SZ */, MIB));
}

static void call_pipe(void)
{
	check(write(ends[1], file_buffer, MIB));
	check(read(ends[0], file_buffer, MIB));
}

static void call_vmsplice(void)
{
	struct iovec all = {file_buffer, MIB};
	int copy[2];

	check(vmsplice(ends[1], &all, 1, 0));
	check(pipe(copy));
	check(fcntl(copy[1], 1031 /* F_SETPIPE_SZ */, MIB));
	check(tee(ends[0], copy[1], MIB, 0));
	check(splice(copy[0], NULL, a_file, NULL, MIB, 0));
}

static void prepare_sockets(void)
{
	prepare_buffer();
	check(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends));
}

static void call_sendmsg(void)
{
	static struct iovec parts[1024];
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = COUNT(parts)};

	for (unsigned i = 0; i < COUNT(parts); i++)
		parts[i] = (struct iovec){file_buffer, 16384};
	check(sendmsg(ends[0], &message, 0));
	check(recvmsg(ends[1], &message, 0));
}

static void call_sendmmsg(void)
{
	static struct mmsghdr messages[1024];
	static struct iovec part;

	part = (struct iovec){file_buffer, 16};
	for (unsigned i = 0; i < COUNT(messages); i++)
		messages[i].msg_hdr = (struct msghdr){.msg_iov = &part, .msg_iovlen = 1};
	check(sendmmsg(ends[0], messages, COUNT(messages), 0));
	check(recvmmsg(ends[1], messages, COUNT(messages), 0, NULL));
}

#define SEMAPHORES 32000

static void call_semaphores(void)
{
	static unsigned short values[SEMAPHORES];
	int id = semget(IPC_PRIVATE, SEMAPHORES, 0600);

	check(id);
	check(semctl(id, 0, SETALL, values));
	check(semctl(id, 0, GETALL, values));
	check(semctl(id, 0, IPC_RMID));
}

static void call_semop(void)
{
	static struct sembuf steps[500];
	int id = semget(IPC_PRIVATE, SEMAPHORES, 0600);

	check(id);
	for (unsigned i = 0; i < COUNT(steps); i++)
		steps[i] = (struct sembuf){(unsigned short)(SEMAPHORES - 1 - i), 1, SEM_UNDO};
	check(semop(id, steps, COUNT(steps)));
	check(semctl(id, 0, IPC_RMID));
}

static const struct latency_case file_cases[] = {
    {"write() of 16 MiB", prepare_buffer, call_write},
    {"write() of 16 MiB behind a file's end", prepare_append, call_write},
    {"writev() and preadv() of 1,024 parts", prepare_buffer, call_writev},
    {"read() of 16 MiB", prepare_file, call_read},
    {"read() of a hole of 16 MiB", prepare_buffer, call_read_hole},
    {"sendfile() of 16 MiB", prepare_file, call_sendfile},
    {"copy_file_range() of 16 MiB", prepare_file, call_copy_range},
    {"fallocate() of 16 MiB", prepare_buffer, call_fallocate},
    {"a punched hole of 16 MiB", prepare_file, call_punch},
    {"ftruncate() from 16 MiB to 0", prepare_file, call_cut},
    {"the last close() of 16 MiB", prepare_file, call_close_file},
    {"sync() and fsync() of 16 MiB", prepare_file, call_sync},
    {"getrandom() of 4 MiB", prepare_buffer, call_random},
    {"16 MiB of /dev/zero", prepare_buffer, call_zero},
    {"getdents64() of 10,000 names", prepare_names, call_getdents},
    {"umount() of 10,000 names", prepare_names, call_umount},
    {"paths of 4,095 bytes", NULL, call_long_path},
    {"40 links of 4,000 bytes each", prepare_links, call_links},
    {"close_range() of 10,000 descriptors", prepare_descriptors, call_close_range},
    {"poll() of 10,000 that are ready", prepare_descriptors, call_poll},
    {"poll() of 10,000 that are not ready", prepare_descriptors, call_poll_nothing},
    {"select() of 10,000", prepare_descriptors, call_select},
    {"epoll_wait() of 10,000", prepare_epoll, call_epoll_wait},
    {"a write that wakes 10,000 entries of epoll", prepare_epoll, call_epoll_wake},
    {"close() of an epoll of 10,000", prepare_epoll, call_epoll_close},
    {"unlocking of 1,000 record locks", prepare_locks, call_locks},
    {"a pipe of 1 MiB", prepare_pipe, call_pipe},
    {"vmsplice(), tee() and splice() of 1 MiB", prepare_pipe, call_vmsplice},
    {"sendmsg() of 16 MiB", prepare_sockets, call_sendmsg},
    {"sendmmsg() of 1,024 messages", prepare_sockets, call_sendmmsg},
    {"semctl() of 32,000 semaphores", NULL, call_semaphores},
    {"semop() of 500 steps", NULL, call_semop},
};

#endif

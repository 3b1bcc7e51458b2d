/* SPDX-License-Identifier: BSD-2-Clause */
/* Each call with its inverse, a thousand times, at other addresses and names each time: afterwards
 * as much memory is free as before. */
#include "tests/fuzz/fuzz.h"
#include <sched.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include "tests/guest/send_fds.h"

#define ROUNDS      1000
#define WARM_ROUNDS 50
#define SLACK       (24 * PAGE) /* free pages kept for the next objects */
#define TABLE       (2ul << 20)
#define LARGE_FILE  (64ul << 20)

/* An address that no other round has, in a table of its own. */
static void *place(unsigned i)
{
	return (void *)(0x100000000000ul + i * 3 * TABLE);
}

static char *map_at(unsigned i, size_t bytes)
{
	return mmap(place(i), bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static const char *name_of(unsigned i)
{
	static char name[64];

	snprintf(name, sizeof(name), "/tmp/name-%u", i);
	return name;
}

/* ---- memory ---- */

static void sparse(unsigned i)
{
	char *map = map_at(i, PAGE);

	*map = 1;
	munmap(map, PAGE);
}

/* The table is shared with an area that goes first, or later. */
static void neighbours(unsigned i)
{
	char *map = map_at(i, 3 * PAGE);

	map[0] = map[2 * PAGE] = 1;
	munmap(map + (i % 2 ? 0 : 2 * PAGE), PAGE);
	munmap(map, 3 * PAGE);
}

static void moved(unsigned i)
{
	char *map = map_at(i, PAGE);

	*map = 1;
	map = mremap(map, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, (char *)place(i) + TABLE);
	map = mremap(map, PAGE, TABLE + PAGE, MREMAP_MAYMOVE);
	map[TABLE] = 1;
	map = mremap(map, TABLE + PAGE, PAGE, 0);
	munmap(map, PAGE);
}

static void replaced(unsigned i)
{
	char *map = map_at(i, TABLE + PAGE);

	map[0] = map[TABLE] = 1;
	map = map_at(i, PAGE);
	munmap(map, TABLE + PAGE);
}

static void segment(unsigned i)
{
	int id = shmget(IPC_PRIVATE, PAGE, 0600);
	char *map = shmat(id, place(i), 0);

	*map = 1;
	shmdt(map);
	shmctl(id, IPC_RMID, NULL);
}

static void shared(unsigned i)
{
	char *map = mmap(place(i), PAGE, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	*map = 1;
	munmap(map, PAGE);
}

static void heap(unsigned i)
{
	long end = syscall(SYS_brk, 0);

	syscall(SYS_brk, end + 3 * (long)TABLE);
	*(volatile char *)(end + 2 * (long)TABLE) = (char)i;
	syscall(SYS_brk, end);
}

/* ---- files ---- */

static void holes(unsigned i)
{
	int fd = memfd_create("holes", 0);

	ftruncate(fd, LARGE_FILE);
	pwrite(fd, "x", 1, i * PAGE);
	fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, i * PAGE, PAGE);
	ftruncate(fd, 0);
	close(fd);
}

static void directory(unsigned i)
{
	mkdir(name_of(i), 0700);
	rmdir(name_of(i));
}

static void file(unsigned i)
{
	int fd = open(name_of(i), O_RDWR | O_CREAT, 0600);

	write(fd, name_of(i), 20);
	link(name_of(i), "/tmp/link");
	rename("/tmp/link", "/tmp/link2");
	setxattr(name_of(i), "user.name", "value", 5, 0);
	flock(fd, LOCK_EX);
	unlink("/tmp/link2");
	unlink(name_of(i));
	close(fd);
}

static void symbolic(unsigned i)
{
	symlink("/somewhere", name_of(i));
	unlink(name_of(i));
}

static void mounted(unsigned i)
{
	mkdir("/tmp/mount", 0700);
	mount("none", "/tmp/mount", "tmpfs", 0, NULL);
	close(open("/tmp/mount/file", O_RDWR | O_CREAT, 0600));
	umount("/tmp/mount");
	rmdir("/tmp/mount");
	(void)i;
}

static void watched(unsigned i)
{
	int fd = inotify_init();

	mkdir(name_of(i), 0700);
	inotify_add_watch(fd, name_of(i), IN_ALL_EVENTS);
	rmdir(name_of(i));
	close(fd);
}

static void proc_file(unsigned i)
{
	char text[64];
	int fd = open(i % 2 ? "/proc/self/maps" : "/proc/self/status", O_RDONLY);

	read(fd, text, sizeof(text));
	close(fd);
}

/* ---- descriptors ---- */

static void pipes(unsigned i)
{
	int ends[2];

	pipe(ends);
	fcntl(ends[1], 1031 /* F_SETPIPE_SZ */, PAGE << i % 5);
	write(ends[1], "x", 1);
	close(ends[0]);
	close(ends[1]);
}

/* One end is under way in itself. */
static void sockets(unsigned i)
{
	int ends[2];

	socketpair(AF_UNIX, i % 2 ? SOCK_DGRAM : SOCK_STREAM, 0, ends);
	send_fds(ends[0], &ends[i / 2 % 2], 1);
	close(ends[0]);
	close(ends[1]);
}

static void bound(unsigned i)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int server = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);

	strcpy(address.sun_path, name_of(i));
	bind(server, (struct sockaddr *)&address, sizeof(address));
	listen(server, 1);
	connect(client, (struct sockaddr *)&address, sizeof(address));
	unlink(name_of(i));
	close(server);
	close(client);
}

static void notices(unsigned i)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = i};
	struct itimerspec time = {.it_value.tv_sec = 100};
	sigset_t none;
	int set = epoll_create1(0), fds[3];

	sigemptyset(&none);
	fds[0] = eventfd(0, 0);
	fds[1] = timerfd_create(CLOCK_MONOTONIC, 0);
	fds[2] = signalfd(-1, &none, 0);
	timerfd_settime(fds[1], 0, &time, NULL);
	for (unsigned n = 0; n < COUNT(fds); n++)
		epoll_ctl(set, EPOLL_CTL_ADD, fds[n], &event);
	epoll_ctl(set, EPOLL_CTL_DEL, fds[0], NULL);
	for (unsigned n = 0; n < COUNT(fds); n++)
		close(fds[n]);
	close(set);
}

static void perf_event(unsigned i)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_TASK_CLOCK,
				       .sample_period = 1000000};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	void *ring =
	    mmap(place(i), 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);

	munmap(ring, 3 * PAGE);
	close(fd);
}

/* ---- processes ---- */

static void child(unsigned i)
{
	pid_t pid = fork();

	if (!pid) {
		*map_at(i, PAGE) = 1;
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static int leave(void *argument)
{
	return argument != NULL;
}

static void borrower(unsigned i)
{
	static char stack[4 * PAGE];

	waitpid(clone(leave, stack + sizeof(stack), CLONE_VM | (i % 2 ? CLONE_FILES : 0) | SIGCHLD,
		      NULL),
		NULL, 0);
}

static void posix_timer(unsigned i)
{
	struct sigevent event = {.sigev_notify = SIGEV_NONE};
	struct itimerspec time = {.it_value.tv_sec = 100 + i};
	int id;

	syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id);
	syscall(SYS_timer_settime, id, 0, &time, NULL);
	syscall(SYS_timer_delete, id);
}

static void queued_signal(unsigned i)
{
	const union sigval value = {.sival_int = (int)i};
	const struct timespec now = {0};
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	sigqueue(getpid(), SIGRTMIN, value);
	sigtimedwait(&all, NULL, &now);
}

static void message_queue(unsigned i)
{
	struct {
		long type;
		char text[100];
	} message = {.type = 1 + i};
	int id = msgget(IPC_PRIVATE, 0600);

	msgsnd(id, &message, sizeof(message.text), 0);
	msgctl(id, IPC_RMID, NULL);
}

static void semaphores(unsigned i)
{
	struct sembuf up = {.sem_op = 1, .sem_flg = SEM_UNDO};
	int id = semget(IPC_PRIVATE, 1 + (int)i % 100, 0600);

	semop(id, &up, 1);
	semctl(id, 0, IPC_RMID);
}

static const struct {
	const char *name;
	void (*round)(unsigned i);
} pairs[] = {
    {"mmap of one page far from others", sparse},
    {"munmap of parts", neighbours},
    {"mremap", moved},
    {"MAP_FIXED over areas", replaced},
    {"shmat", segment},
    {"shared memory", shared},
    {"brk", heap},
    {"sparse files and their holes", holes},
    {"mkdir", directory},
    {"files, links, attributes, locks", file},
    {"symlink", symbolic},
    {"mount", mounted},
    {"inotify_add_watch", watched},
    {"files of /proc", proc_file},
    {"pipe", pipes},
    {"socketpair with a descriptor under way", sockets},
    {"bind, listen and connect", bound},
    {"epoll_ctl", notices},
    {"perf_event_open and its ring", perf_event},
    {"fork", child},
    {"clone with the same memory", borrower},
    {"timer_create", posix_timer},
    {"sigqueue", queued_signal},
    {"msgget", message_queue},
    {"semget", semaphores},
};

static void check_pair(unsigned n)
{
	uint64_t before, after;

	for (unsigned i = 0; i < WARM_ROUNDS; i++)
		pairs[n].round(i);
	before = free_memory();
	for (unsigned i = WARM_ROUNDS; i < WARM_ROUNDS + ROUNDS; i++)
		pairs[n].round(i);
	after = free_memory();
	if (!ok(after + SLACK >= before, "%s and its inverse give all memory back", pairs[n].name))
		printf("# %ld bytes a round are gone\n", (long)(before - after) / ROUNDS);
}

/* Punching a hole takes no memory where there is no page, and frees pages where there are some. */
static void check_holes(void)
{
	const int punch = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
	int fd = memfd_create("holes", 0);
	uint64_t before, after;

	ftruncate(fd, LARGE_FILE);
	pwrite(fd, "x", 1, LARGE_FILE - 1);
	before = free_memory();
	ok(!fallocate(fd, punch, 0, LARGE_FILE / 2), "a hole is punched where there is one");
	after = free_memory();
	ok(after + SLACK >= before, "a hole without data takes no memory");
	for (unsigned i = 0; i < 1000; i++)
		pwrite(fd, "x", 1, i * PAGE);
	fallocate(fd, punch, 0, LARGE_FILE / 2);
	after = free_memory();
	ok(after + SLACK >= before, "a hole with data gives its memory back");
	close(fd);
}

int main(int argc, char **argv)
{
	be_well_first(argc, argv);
	check_holes();
	for (unsigned n = 0; n < COUNT(pairs); n++)
		check_pair(n);
	system_is_well("all this");
	return tap_end();
}

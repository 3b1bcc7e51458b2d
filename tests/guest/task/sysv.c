/* SPDX-License-Identifier: BSD-2-Clause */
/* System V IPC: shared memory, semaphores and message queues: sysvipc(7). */
#include "tests/guest/border/credentials.h"
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/time.h>
#include <time.h>

#define KEY 0x5c5c1234

union argument {
	int value;
	void *buffer;
	unsigned short *values;
};

static char line[4096];

/* Returns the file's text from `word` on; "" if it is not there. */
static const char *find_in(const char *path, const char *word)
{
	static char text[65536];
	int fd = open(path, O_RDONLY);
	ssize_t n, length = 0;

	while ((n = read(fd, text + length, sizeof(text) - 1 - (size_t)length)) > 0)
		length += n;
	close(fd);
	text[length < 0 ? 0 : length] = 0;
	return strstr(text, word) ? strstr(text, word) : "";
}

static struct shmid_ds segment_status(int id)
{
	struct shmid_ds status = {0};

	shmctl(id, IPC_STAT, &status);
	return status;
}

/* Runs a part in a child; returns its exit status, or 1000 and its signal. */
static int in_child(int (*part)(int), int argument)
{
	int status;
	pid_t child = fork();

	if (!child)
		_exit(part(argument));
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* ---- shared memory ---- */

static int write_there(int id)
{
	char *at = shmat(id, NULL, 0);

	at[5000] = 'c';
	return (int)segment_status(id).shm_nattch;
}

static int nattach(int id)
{
	return (int)segment_status(id).shm_nattch;
}

static void test_segment(void)
{
	int id = shmget(IPC_PRIVATE, 8000, 0600);
	char *at = shmat(id, NULL, 0), *again;

	ok(id >= 0 && at != (void *)-1, "a segment is attached");
	is(at[0] | at[7999], 0, "a new segment is zero");
	is(in_child(write_there, id), 3,
	   "a child has what its parent attached, and attaches it again");
	is(at[5000], 'c', "a child's writes are in the segment");
	is(nattach(id), 1, "a child's attachments end with it");
	snprintf(line, sizeof(line), " %d                  /SYSV00000000 (deleted)\n", id);
	ok(strstr(find_in("/proc/self/maps", "/SYSV"), "/SYSV00000000 (deleted)\n"),
	   "maps name it");
	again = shmat(id, NULL, SHM_RDONLY);
	is(again[5000], 'c', "a segment is attached twice");
	is(in_child(nattach, id), 4, "a child counts as well");
	is(result(shmctl(id, IPC_RMID, NULL)), 0, "an attached segment is removed");
	is(segment_status(id).shm_perm.mode, 01600, "while it is attached, it is only marked");
	is(result(munmap(at, 4096)), 0, "a part is unmapped");
	is(at[5000], 'c', "the rest is there");
	is(shmdt(at), 0, "the rest of a segment is detached");
	is(shmdt(again), 0, "the second attachment is detached");
	is(result(shmctl(id, IPC_STAT, &(struct shmid_ds){0})), -EINVAL, "then it is gone");
	is(result(shmdt(at)), -EINVAL, "a segment is not detached twice");
}

static void test_places(void)
{
	int id = shmget(IPC_PRIVATE, 3 * 4096, 0600);
	char *place = mmap(NULL, 8 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	is((long)shmat(id, place, 0), -1, "not over what is there");
	is(errno, EINVAL, "EINVAL");
	ok(shmat(id, place + 4096, SHM_REMAP) == place + 4096, "SHM_REMAP attaches over memory");
	ok(shmat(id, place + 4 * 4096 + 5, SHM_RND | SHM_REMAP) == place + 4 * 4096, "SHM_RND");
	is((long)shmat(id, place + 5, SHM_REMAP), -1, "without it, an address is a page's");
	is((long)shmat(id, NULL, SHM_REMAP), -1, "SHM_REMAP wants an address");
	is((long)shmat(-1, NULL, 0), -1, "no such segment");
	is(errno, EINVAL, "EINVAL");
	place[4096] = 'x';
	is(place[4 * 4096], 'x', "both show the same page");
	is(shmdt(place + 4096) | shmdt(place + 4 * 4096), 0, "both go");
	shmctl(id, IPC_RMID, NULL);
}

static void test_keys(void)
{
	int id = shmget(KEY, 5000, IPC_CREAT | IPC_EXCL | 0640);
	struct shmid_ds status = segment_status(id);

	is(shmget(KEY, 0, 0), id, "a key finds it");
	is(result(shmget(KEY, 5000, IPC_CREAT | IPC_EXCL)), -EEXIST, "EEXIST");
	is(result(shmget(KEY, 5001, 0)), -EINVAL, "shmget with a larger size: EINVAL");
	is(result(shmget(KEY + 1, 100, 0)), -ENOENT, "ENOENT");
	is(result(shmget(KEY + 1, 0, IPC_CREAT | 0600)), -EINVAL, "0 bytes");
	ok(status.shm_segsz == 5000 && status.shm_perm.mode == 0640 &&
	       status.shm_cpid == getpid() && status.shm_ctime && !status.shm_atime,
	   "IPC_STAT has the segment's status");
	status.shm_perm.mode = 0604;
	status.shm_perm.uid = OTHER;
	is(shmctl(id, IPC_SET, &status), 0, "IPC_SET sets the owner");
	is(segment_status(id).shm_perm.mode, 0604, "IPC_SET sets the mode");
	snprintf(line, sizeof(line), "%10d %10d   604 %21d %5d %5d  %5d %5d %5d %5d %5d ", KEY, id,
		 5000, getpid(), 0, 0, OTHER, 0, 0, 0);
	ok(*find_in("/proc/sysvipc/shm", line), "/proc/sysvipc/shm");
	is(result(shmctl(id, 77, NULL)), -EINVAL, "no such command");
	is(result(shmctl(id, IPC_STAT, (void *)16)), -EFAULT, "EFAULT");
	become(USER);
	is((long)shmat(id, NULL, 0), -1, "others may not write");
	is(errno, EACCES, "EACCES");
	ok(shmat(id, NULL, SHM_RDONLY) != (void *)-1, "a user may read the segment");
	is(result(shmctl(id, IPC_RMID, NULL)), -EPERM, "not remove");
	is(result(shmget(KEY, 0, 0604)), -EACCES, "rights are asked for by key as well");
}

static void remove_segment(void)
{
	is(shmctl(shmget(KEY, 0, 0), IPC_RMID, NULL), 0, "root removes it");
	is(result(shmget(KEY, 0, 0)), -ENOENT, "a removed segment's key is free");
}

/* ---- semaphores ---- */

static int set_of(int count)
{
	return semget(IPC_PRIVATE, count, 0600);
}

static int operate(int id, int number, int change, int flags)
{
	struct sembuf operation = {(unsigned short)number, (short)change, (short)flags};

	return (int)result(semop(id, &operation, 1));
}

static int take_with_undo(int id)
{
	return -operate(id, 0, -2, SEM_UNDO);
}

static int wait_for_one(int id)
{
	return -operate(id, 1, -1, 0);
}

/* Until that number of tasks waits for the semaphore. */
static void wait_for_waiters(int id, int number, int command, int count)
{
	for (int i = 0; i < 10000 && semctl(id, number, command) < count; i++)
		usleep(100);
}

static void test_semaphores(void)
{
	int id = set_of(3);
	struct sembuf both[2] = {{0, -1, IPC_NOWAIT}, {2, -1, IPC_NOWAIT}};
	unsigned short values[3] = {7, 8, 9};

	is(semctl(id, 0, SETVAL, (union argument){.value = 5}), 0, "a semaphore is set");
	is(semctl(id, 0, GETVAL), 5, "GETVAL returns the value set");
	is(semctl(id, 0, GETPID), getpid(), "GETPID returns the task that set it");
	is(result(semop(id, both, 2)), -EAGAIN, "not both");
	is(semctl(id, 0, GETVAL), 5, "then none");
	is(operate(id, 2, 1, 0), 0, "a semaphore is raised");
	is(result(semop(id, both, 2)), 0, "both");
	is(semctl(id, 0, GETVAL) * 10 + semctl(id, 2, GETVAL), 40, "are less by 1");
	is(operate(id, 2, 0, IPC_NOWAIT), 0, "an operation 0 on a zero semaphore succeeds");
	is(operate(id, 0, 0, IPC_NOWAIT), -EAGAIN, "this is not");
	is(operate(id, 0, 32767, 0), -ERANGE, "ERANGE");
	is(operate(id, 3, 1, 0), -EFBIG, "EFBIG");
	is(result(semop(id, both, 0)), -EINVAL, "no operation");
	is(result(semop(id, both, 501)), -E2BIG, "semop with 501 operations: E2BIG");
	is(result(semop(id, (void *)16, 1)), -EFAULT, "EFAULT");
	is(result(semctl(id, 3, GETVAL)), -EINVAL, "no such semaphore");
	is(result(semctl(id, 0, SETVAL, (union argument){.value = 32768})), -ERANGE,
	   "a value that is none");
	is(semctl(id, 0, SETALL, (union argument){.values = values}), 0, "SETALL sets all values");
	memset(values, 0, sizeof(values));
	is(semctl(id, 0, GETALL, (union argument){.values = values}), 0, "GETALL succeeds");
	is(values[0] * 100 + values[1] * 10 + values[2], 789, "GETALL returns the values set");
	is(result(semget(IPC_PRIVATE, 0, 0600)), -EINVAL, "a set of none");
	is(result(semget(IPC_PRIVATE, 32001, 0600)), -EINVAL, "a set of 32001 semaphores: EINVAL");
	is(semctl(id, 0, IPC_RMID), 0, "the set is removed");
	is(operate(id, 0, 1, 0), -EINVAL, "operations on a removed set: EINVAL");
}

static void test_undo(void)
{
	int id = set_of(2);

	semctl(id, 0, SETVAL, (union argument){.value = 3});
	is(in_child(take_with_undo, id), 0, "a child takes 2");
	is(semctl(id, 0, GETVAL), 3, "SEM_UNDO is undone when the child ends");
	operate(id, 0, -1, SEM_UNDO);
	is(in_child(wait_for_one, -1), EINVAL, "a child that does nothing");
	is(semctl(id, 0, GETVAL), 2, "undoes nothing of its parent's");
	semctl(id, 0, IPC_RMID);
}

static void alarmed(int signo)
{
	(void)signo;
}

static void test_waits(void)
{
	int id = set_of(2), status;
	struct sembuf operation = {1, -1, 0};
	struct timespec soon = {0, 5000000};
	struct sigaction action = {.sa_handler = alarmed, .sa_flags = SA_RESTART};
	struct itimerval timer = {.it_value = {0, 5000}};
	pid_t first = fork(), second;

	if (!first)
		_exit(wait_for_one(id));
	wait_for_waiters(id, 1, GETNCNT, 1);
	second = fork();
	if (!second)
		_exit(wait_for_one(id));
	wait_for_waiters(id, 1, GETNCNT, 2);
	is(semctl(id, 1, GETNCNT), 2, "two wait");
	is(operate(id, 1, 1, 0), 0, "a semaphore with two waiters is raised");
	is(waitpid(first, &status, 0), first, "the first one has it");
	is(status, 0, "well");
	is(semctl(id, 1, GETVAL), 0, "the semaphore is 0 after the first waiter");
	is(result(syscall(SYS_semtimedop, id, &operation, 1, &soon)), -EAGAIN, "a wait in time");
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	is(result(semop(id, &operation, 1)), -EINTR,
	   "a signal ends a wait, whatever SA_RESTART says");
	is(semctl(id, 0, IPC_RMID), 0, "the set is removed");
	waitpid(second, &status, 0);
	is(WEXITSTATUS(status), EIDRM, "a waiter on a removed set: EIDRM");
}

/* A child that does the operations, and ends well. */
static void wait_with(int id, struct sembuf *operations, unsigned count)
{
	if (!fork())
		_exit(semop(id, operations, count) != 0);
}

static unsigned ended_well(unsigned count)
{
	unsigned well = 0;
	int status;

	while (count--)
		well += wait(&status) > 0 && !status;
	return well;
}

static void test_order(void)
{
	struct sembuf none = {0, 0, 0}, two = {0, -2, 0}, give[2] = {{2, -1, 0}, {1, 1, 0}};
	int id = set_of(3);

	semctl(id, 0, SETVAL, (union argument){.value = 1});
	wait_with(id, &none, 1);
	wait_for_waiters(id, 0, GETZCNT, 1);
	wait_with(id, &two, 1);
	wait_for_waiters(id, 0, GETNCNT, 1);
	operate(id, 0, 1, 0);
	is(ended_well(2), 2, "taking the last releases an earlier wait for 0");
	if (!fork())
		_exit(wait_for_one(id));
	wait_for_waiters(id, 1, GETNCNT, 1);
	wait_with(id, give, 2);
	wait_for_waiters(id, 2, GETNCNT, 1);
	operate(id, 2, 1, 0);
	is(ended_well(2), 2, "giving releases an earlier wait");
	semctl(id, 0, IPC_RMID);
}

#define MANY      48
#define NEWCOMERS 200

/* Waiters with long operations are tried once, not once for each one that need not wait any
 * more. With several processors time is the host's, which promises none. */
static void test_many(void)
{
	static struct sembuf most[500];
	struct sembuf one = {0, -1, 0};
	struct timespec before, after;
	long us;
	int id = set_of(3);

	for (unsigned i = 0; i < 499; i++)
		most[i] = (struct sembuf){1, 0, 0};
	most[499] = (struct sembuf){2, -1, 0};
	for (unsigned i = 0; i < MANY; i++)
		wait_with(id, most, 500);
	wait_for_waiters(id, 2, GETNCNT, MANY);
	for (unsigned i = 0; i < MANY; i++)
		wait_with(id, &one, 1);
	wait_for_waiters(id, 0, GETNCNT, MANY);
	clock_gettime(CLOCK_MONOTONIC, &before);
	semctl(id, 0, SETVAL, (union argument){.value = MANY});
	clock_gettime(CLOCK_MONOTONIC, &after);
	us = (after.tv_sec - before.tv_sec) * 1000000 + (after.tv_nsec - before.tv_nsec) / 1000;
	ok(us < 12000 || sysconf(_SC_NPROCESSORS_ONLN) > 1,
	   "%d go on after as many with 500 operations in %ld us", MANY, us);
	is(ended_well(MANY), MANY, "well");
	semctl(id, 0, IPC_RMID);
	ended_well(MANY);
}

/* Waits with long operations; then nothing is left for a newcomer. */
static void wait_and_come_again(int id)
{
	struct sembuf operations[500] = {0}, again = {0, -1, IPC_NOWAIT}, back = {0, 1, 0};

	for (unsigned i = 0; i < 499; i++)
		operations[i].sem_num = 1;
	operations[499].sem_op = -1;
	if (semop(id, operations, 500))
		_exit(1);
	if (result(semop(id, &again, 1)) == -EAGAIN)
		_exit(0);
	semop(id, &back, 1);
	_exit(2);
}

/* A task that releases many pauses, and a newcomer takes nothing from the waiters. */
static void test_newcomers(void)
{
	int id = set_of(2);

	for (unsigned i = 0; i < NEWCOMERS; i++)
		if (!fork())
			wait_and_come_again(id);
	wait_for_waiters(id, 0, GETNCNT, NEWCOMERS);
	semctl(id, 0, SETVAL, (union argument){.value = NEWCOMERS});
	is(ended_well(NEWCOMERS), NEWCOMERS, "newcomers come after released waiters");
	semctl(id, 0, IPC_RMID);
}

/* ---- messages ---- */

#ifndef MSG_COPY
#define MSG_COPY 040000
#endif

struct message {
	long type;
	char text[100];
};

static int send(int id, long type, const char *text, int flags)
{
	struct message message = {.type = type};

	strcpy(message.text, text);
	return (int)result(msgsnd(id, &message, strlen(text), flags));
}

/* Receives; returns the first character, or a negative errno. */
static int receive(int id, long type, int flags)
{
	struct message message = {0};
	long n = result(msgrcv(id, &message, sizeof(message.text), type, flags | IPC_NOWAIT));

	return n < 0 ? (int)n : message.text[0];
}

static int receive_in_time(int id)
{
	struct message message = {0};

	return (int)msgrcv(id, &message, sizeof(message.text), 0, 0);
}

static void test_messages(void)
{
	int id = msgget(IPC_PRIVATE, 0600);
	struct message message;
	struct msqid_ds status;

	is(receive(id, 0, 0), -ENOMSG, "a queue is empty");
	send(id, 5, "a", 0), send(id, 3, "b", 0), send(id, 4, "c", 0), send(id, 3, "d", 0);
	is(send(id, 9, "long", 0), 0, "five messages");
	is(receive(id, 2, MSG_COPY), 'c', "a copy of the third");
	is(receive(id, 5, MSG_COPY), -ENOMSG, "MSG_COPY beyond the last message: ENOMSG");
	is(result(msgrcv(id, &message, 3, 4, MSG_COPY | MSG_NOERROR | IPC_NOWAIT)), -EINVAL,
	   "no part of a copy");
	is(receive(id, 4, 0), 'c', "a message of a type is received");
	is(receive(id, -4, 0), 'b', "a message of the lowest type is received");
	is(receive(id, 5, MSG_EXCEPT), 'd', "a message of another type is received");
	is(receive(id, 7, 0), -ENOMSG, "no message of that type: ENOMSG");
	is(receive(id, 0, 0), 'a', "the first");
	is(result(msgrcv(id, &message, 2, 0, 0)), -E2BIG, "a message is longer");
	is(result(msgrcv(id, &message, 2, 0, MSG_NOERROR)), 2, "a part of it");
	is(receive(id, 0, 0), -ENOMSG, "the rest is gone");
	is(send(id, 0, "x", 0), -EINVAL, "types begin at 1");
	is(result(msgsnd(id, &message, 8193, 0)), -EINVAL, "a message of 8193 bytes: EINVAL");
	is(result(msgsnd(id, (void *)16, 1, 0)), -EFAULT, "EFAULT");
	send(id, 6, "status", 0);
	msgctl(id, IPC_STAT, &status);
	ok(status.msg_qnum == 1 && status.msg_cbytes == 6 && status.msg_qbytes == 16384 &&
	       status.msg_lspid == getpid() && status.msg_stime,
	   "IPC_STAT has the queue's status");
	snprintf(line, sizeof(line), "%10d %10d   600           6          1 %5d %5d     0     0 ",
		 0, id, getpid(), getpid());
	ok(*find_in("/proc/sysvipc/msg", line), "/proc/sysvipc/msg");
	status.msg_qbytes = 10;
	is(msgctl(id, IPC_SET, &status), 0, "room for 10 bytes");
	is(send(id, 1, "12345", IPC_NOWAIT), -EAGAIN, "is not enough");
	is(msgctl(id, IPC_RMID, NULL), 0, "the queue is removed");
	is(send(id, 1, "x", 0), -EINVAL, "sending to a removed queue: EINVAL");
}

static void test_message_waits(void)
{
	int id = msgget(IPC_PRIVATE, 0600), status;
	pid_t child = fork();

	if (!child)
		_exit(receive_in_time(id));
	usleep(5000);
	send(id, 1, "1234567", 0);
	waitpid(child, &status, 0);
	is(WEXITSTATUS(status), 7, "a waiting receiver gets the message");
	child = fork();
	if (!child)
		_exit(receive_in_time(id) < 0 ? errno : 0);
	usleep(5000);
	msgctl(id, IPC_RMID, NULL);
	waitpid(child, &status, 0);
	is(WEXITSTATUS(status), EIDRM, "a waiting receiver of a removed queue: EIDRM");
}

int main(void)
{
	static void (*const parts[])(void) = {
	    test_segment,    test_places,    test_keys,     remove_segment,
	    test_semaphores, test_undo,      test_waits,    test_order,
	    test_many,       test_newcomers, test_messages, test_message_waits,
	};

	return run_parts(parts, sizeof(parts) / sizeof(parts[0]));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of /proc about tasks, and of /sys about processors, against the program's own knowledge. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/guest/files/slurp.h"
#include "tests/guest/tap.h"

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

#define FIELDS 52

/* Returns the text after "Name:\t" in a status file; NULL: there is no such line. */
static const char *status_of(const char *name)
{
	static char value[256];
	char *line = text, *end;
	size_t length = strlen(name);

	for (; (end = strchr(line, '\n')); line = end + 1) {
		if (strncmp(line, name, length) != 0 || line[length] != ':')
			continue;
		line += length + 2;
		memcpy(value, line, (size_t)(end - line));
		value[end - line] = 0;
		return value;
	}
	return NULL;
}

static void status_is(const char *name, const char *wanted)
{
	const char *got = status_of(name);

	if (!ok(got && strcmp(got, wanted) == 0, "status: %s", name))
		printf("# got %s, wanted %s\n", got ? got : "(nothing)", wanted);
}

static void test_status(void)
{
	char number[32];
	sigset_t set;

	umask(027);
	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, (void (*)(int))test_status);
	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGHUP);
	syscall(SYS_setgroups, 2, (gid_t[]){7, 5});
	syscall(SYS_setresgid, 1, 2, 3);
	slurp("/proc/self/status");
	status_is("Umask", "0027");
	status_is("State", "R (running)");
	snprintf(number, sizeof(number), "%d", getpid());
	status_is("Tgid", number);
	status_is("Pid", number);
	snprintf(number, sizeof(number), "%d", getppid());
	status_is("PPid", number);
	status_is("Uid", "0\t0\t0\t0");
	status_is("Gid", "1\t2\t3\t2");
	status_is("Groups", "5 7 ");
	status_is("Threads", "1");
	status_is("SigBlk", "0000000000000001");
	status_is("SigIgn", "0000000000000200");
	status_is("SigCgt", "0000000000000800");
	status_is("CapEff", "000001ffffffffff");
	status_is("CapInh", "0000000000000000");
	status_is("NoNewPrivs", "0");
}

/* The fields of a stat file after the name, from 3 on. */
static void parse_stat(const char *path, char *state, long long fields[FIELDS + 1])
{
	char *at;

	slurp(path);
	at = strrchr(text, ')');
	memset(fields, 0, (FIELDS + 1) * sizeof(fields[0]));
	fields[1] = atoi(text);
	*state = at ? at[2] : 0;
	at = at ? at + 3 : text;
	for (unsigned i = 4; i <= FIELDS; i++)
		fields[i] = (long long)strtoull(at, &at, 10);
	fields[0] = *at == '\n' && !at[1];
}

static void test_stat(int argc, char **argv)
{
	extern char __executable_start[];
	long long fields[FIELDS + 1];
	char state, *page;

	(void)argc;
	page = mmap(NULL, 64 << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (unsigned i = 0; i < 64; i++)
		page[i << 12] = 1;
	parse_stat("/proc/self/stat", &state, fields);
	is((long)fields[0], 1, "stat has 52 fields");
	ok(fields[1] == getpid() && state == 'R' && fields[4] == getppid(),
	   "stat has this process's number, state and parent");
	ok(fields[5] == getpgrp() && fields[6] == getsid(0), "stat has the group and session");
	ok(fields[10] >= 64, "64 page faults at least");
	is((long)fields[20], 1, "stat has one thread");
	ok(fields[23] >= 64 << 12 && fields[24] >= 64, "memory");
	ok(fields[26] >= (long)__executable_start && fields[26] <= (long)test_stat &&
	       fields[27] > (long)test_stat,
	   "the code holds this function");
	ok(fields[28] <= (long)argv && fields[28] > (long)&state, "the stack began between");
	ok(fields[48] <= (long)argv[0] && fields[49] > (long)argv[0], "arguments");
	ok(fields[50] >= fields[49] && fields[51] >= fields[50], "the environment lies after");
	is((long)fields[38], SIGCHLD, "the signal at its end");
}

static void test_auxv(void)
{
	const Elf64_auxv_t *entry = (const Elf64_auxv_t *)text;
	long length = slurp("/proc/self/auxv");
	bool same = length > 0, terminated = false;

	for (; length >= (long)sizeof(*entry) && !terminated; entry++, length -= sizeof(*entry)) {
		terminated = entry->a_type == AT_NULL;
		/* glibc answers with its own ideas of these. */
		if (!terminated && entry->a_type != AT_MINSIGSTKSZ && entry->a_type != AT_HWCAP &&
		    entry->a_un.a_val != getauxval(entry->a_type))
			same = false;
	}
	ok(same && terminated, "auxv is the auxiliary vector");
}

static void test_limits(void)
{
	setrlimit(RLIMIT_CORE, &(struct rlimit){1234, 5678});
	slurp("/proc/self/limits");
	ok(strstr(
	       text,
	       "Max core file size        1234                 5678                 bytes     \n"),
	   "limits: a line as Linux writes it");
	ok(strstr(
	       text,
	       "Max cpu time              unlimited            unlimited            seconds   \n"),
	   "limits: none");
}

static pthread_barrier_t barrier;
static pid_t thread_id;

static void *thread(void *argument)
{
	thread_id = (pid_t)syscall(SYS_gettid);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return argument;
}

static void test_threads(void)
{
	long long fields[FIELDS + 1];
	char path[64], link[64] = "", wanted[64], state, name[16] = "";
	pthread_t other;
	int fd;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&other, NULL, thread, NULL);
	pthread_barrier_wait(&barrier);
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread_id);
	parse_stat(path, &state, fields);
	ok(fields[1] == thread_id && fields[20] == 2,
	   "/proc/self/task/TID/stat tells of the thread");
	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", thread_id);
	fd = open(path, O_WRONLY);
	is(write(fd, "worker", 6), 6, "a thread may name another");
	close(fd);
	slurp(path);
	ok(strcmp(text, "worker\n") == 0, "comm has the thread's new name");
	prctl(PR_GET_NAME, name);
	ok(strcmp(name, "worker") != 0, "this one keeps its own");
	snprintf(wanted, sizeof(wanted), "%d/task/%d", getpid(), (int)syscall(SYS_gettid));
	readlink("/proc/thread-self", link, sizeof(link) - 1);
	ok(strcmp(link, wanted) == 0, "/proc/thread-self");
	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", getpid(), thread_id);
	ok(slurp(path) > 0 && status_of("Pid") && atoi(status_of("Pid")) == thread_id &&
	       atoi(status_of("Tgid")) == getpid(),
	   "status of a thread");
	is(slurp("/proc/self/task/1000000/stat"), -ENOENT, "no such thread");
	pthread_barrier_wait(&barrier);
	pthread_join(other, NULL);
}

static void test_others(void)
{
	char path[64];
	long long fields[FIELDS + 1];
	char state;
	pid_t pid = fork();

	if (!pid)
		for (;;)
			pause();
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	do
		parse_stat(path, &state, fields);
	while (state == 'R' && !sched_yield());
	is(state, 'S', "a process that waits sleeps");
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	is(open(path, O_WRONLY) >= 0 && write(open(path, O_WRONLY), "x", 1) == -1 &&
	       errno == EINVAL,
	   1, "only its own threads name it");
	kill(pid, SIGKILL);
	waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | WNOWAIT);
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	parse_stat(path, &state, fields);
	is(state, 'Z', "a dead one is a zombie");
	waitpid(pid, NULL, 0);
	is(slurp(path), -ENOENT, "an ended process has no stat after wait");
}

/* The number in a file, or -1. */
static long number(const char *path)
{
	return slurp(path) > 0 ? strtol(text, NULL, 0) : -1;
}

static void test_processors(void)
{
	static const char topology[] = "/sys/devices/system/cpu/cpu0/topology/";
	char path[128];

	slurp("/sys/devices/system/cpu/online");
	ok(text[0] == '0' &&
	       strtol(strrchr(text, '-') ? strrchr(text, '-') + 1 : text, NULL, 10) + 1 ==
		   sysconf(_SC_NPROCESSORS_ONLN),
	   "online processors");
	snprintf(path, sizeof(path), "%sphysical_package_id", topology);
	is(number(path), 0, "the first processor is in the first package");
	snprintf(path, sizeof(path), "%score_cpus_list", topology);
	ok(number(path) == 0, "a processor shares its core with itself");
	snprintf(path, sizeof(path), "%spackage_cpus", topology);
	slurp(path);
	ok(strtoul(text, NULL, 16) & 1, "the package's mask has its bit");
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%ld/topology/core_id",
		 sysconf(_SC_NPROCESSORS_ONLN));
	is(number(path), -1, "there are no further processors");
}

/* The number after `name` in the text. */
static unsigned long long counted(const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

static void test_system(void)
{
	unsigned long long user, nice, system_, idle, before;
	char link[64] = "";

	slurp("/proc/stat");
	ok(sscanf(text, "cpu %llu %llu %llu %llu ", &user, &nice, &system_, &idle) == 4,
	   "/proc/stat: times of all processors");
	ok(strstr(text, "\ncpu0 ") && strstr(text, "\nbtime ") && strstr(text, "\nprocesses "),
	   "/proc/stat has each processor, btime and processes");
	before = counted("\nctxt ");
	usleep(1000);
	slurp("/proc/stat");
	ok(before > 0 && counted("\nctxt ") > before, "switches, of which sleep makes one");
	ok(counted("\nintr ") > 0, "interrupts");
	slurp("/proc/meminfo");
	ok(strstr(text, "\nMemAvailable:") && strstr(text, "\nSwapFree:              0 kB\n"),
	   "/proc/meminfo: a line as Linux writes it");
	ok(slurp("/proc/loadavg") > 0 && strstr(text, "0.00"), "/proc/loadavg");
	readlink("/proc/mounts", link, sizeof(link) - 1);
	ok(strcmp(link, "self/mounts") == 0 && slurp("/proc/mounts") > 0 &&
	       strstr(text, "proc /proc proc"),
	   "/proc/mounts leads to the process's");
	ok(slurp("/proc/filesystems") > 0 && strstr(text, "nodev\tproc\n"), "/proc/filesystems");
}

/* The path is the one by which a file was opened, whatever links it gets later. */
static void test_links(void)
{
	char before[256] = "", after[256] = "", path[64];
	int fd = open("/tmp/first", O_RDWR | O_CREAT, 0700);
	ssize_t length = readlink("/proc/self/exe", before, sizeof(before) - 1);

	unlink("/tmp/zz");
	unlink("/tmp/zy");
	ok(length > 0 && link(before, "/tmp/zz") == 0 && link("/tmp/first", "/tmp/zy") == 0,
	   "a running program and an open file get another link");
	readlink("/proc/self/exe", after, sizeof(after) - 1);
	ok(strcmp(before, after) == 0, "/proc/self/exe has the path that was executed");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	memset(after, 0, sizeof(after));
	readlink(path, after, sizeof(after) - 1);
	ok(strcmp(after, "/tmp/first") == 0, "/proc/self/fd the one that was opened");
	slurp("/proc/self/maps");
	ok(strstr(text, before) && !strstr(text, "/tmp/zz"), "maps shows the file's new name");
	unlink("/tmp/zz");
	unlink("/tmp/zy");
	unlink("/tmp/first");
	close(fd);
}

int main(int argc, char **argv)
{
	test_stat(argc, argv);
	test_status();
	test_auxv();
	test_limits();
	test_threads();
	test_others();
	test_processors();
	test_system();
	test_links();
	return tap_end();
}

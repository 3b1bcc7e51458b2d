/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes: fork, vfork, execve, posix_spawn, pipes between them, waiting, groups, resource
 * usage. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/guest/tap.h"

extern char **environ;

static const char *self; /* this program's path */

/* The program's part when it is started with an argument. */
static int role(int argc, char **argv)
{
	if (strcmp(argv[1], "status") == 0)
		return atoi(argv[2]);
	if (strcmp(argv[1], "echo") == 0) {
		printf("%d %s %s\n", argc, argv[2], getenv("GREETING"));
		return 0;
	}
	if (strcmp(argv[1], "fds") == 0)
		return (fcntl(70, F_GETFD) >= 0) + 2 * (fcntl(71, F_GETFD) >= 0);
	if (strcmp(argv[1], "ignored") == 0) {
		struct sigaction action;

		sigaction(SIGUSR1, NULL, &action);
		return action.sa_handler == SIG_IGN;
	}
	return 99;
}

static int wait_status(pid_t pid)
{
	int status = -1;

	return waitpid(pid, &status, 0) == pid ? status : -1;
}

static void test_fork(void)
{
	pid_t parent = getpid(), pid;
	int value = 1, status;

	pid = fork();
	if (pid == 0) {
		value = 2;
		_exit(getppid() == parent && getpid() != parent && value == 2 ? 33 : 1);
	}
	status = wait_status(pid);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 33, "a child tells its status");
	is(value, 1, "a child's variables are its own");
	is(wait(&status) == -1 && errno == ECHILD, 1, "wait without children: ECHILD");
	pid = fork();
	if (pid == 0) {
		raise(SIGTERM);
		_exit(0);
	}
	status = wait_status(pid);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM,
	   "a child killed by a signal tells which");
	pid = vfork();
	if (pid == 0)
		_exit(5);
	is(WEXITSTATUS(wait_status(pid)), 5, "vfork");
}

static void test_many(void)
{
	enum { MANY = 100 };
	pid_t pids[MANY];
	int sum = 0;

	for (int i = 0; i < MANY; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			sched_yield();
			_exit(i);
		}
	}
	for (int i = 0; i < MANY; i++)
		sum += WEXITSTATUS(wait_status(pids[i]));
	is(sum, MANY * (MANY - 1) / 2, "a hundred children at once");
}

static void test_exec(void)
{
	char *const status_argv[] = {"name", "status", "44", NULL};
	char *const fds_argv[] = {"name", "fds", NULL};
	char *const ignored_argv[] = {"name", "ignored", NULL};
	int null = open("/dev/null", O_RDONLY);
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		execve(self, status_argv, environ);
		_exit(1);
	}
	is(WEXITSTATUS(wait_status(pid)), 44, "execve");
	is(posix_spawn(&pid, self, NULL, NULL, status_argv, environ), 0, "posix_spawn");
	is(WEXITSTATUS(wait_status(pid)), 44, "runs it");
	is(posix_spawn(&pid, "/nowhere", NULL, NULL, status_argv, environ), ENOENT,
	   "posix_spawn of nothing is ENOENT");
	dup2(null, 70);
	dup3(null, 71, O_CLOEXEC);
	pid = vfork();
	if (pid == 0) {
		execve(self, fds_argv, environ);
		_exit(1);
	}
	is(WEXITSTATUS(wait_status(pid)), 1,
	   "execve keeps descriptors but those marked close-on-exec");
	close(70);
	close(71);
	close(null);
	signal(SIGUSR1, SIG_IGN);
	pid = fork();
	if (pid == 0) {
		execve(self, ignored_argv, environ);
		_exit(9);
	}
	is(WEXITSTATUS(wait_status(pid)), 1, "execve keeps ignored signals");
	signal(SIGUSR1, SIG_DFL);
}

static int exec_errno(const char *path, char *const *argv)
{
	int ends[2], err = 0;

	pipe2(ends, O_CLOEXEC);
	if (fork() == 0) {
		execve(path, argv, environ);
		write(ends[1], &errno, sizeof(errno));
		_exit(0);
	}
	close(ends[1]);
	read(ends[0], &err, sizeof(err));
	close(ends[0]);
	wait(NULL);
	return err;
}

static void make(const char *path, const char *bytes, size_t size, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);

	write(fd, bytes, size);
	fchmod(fd, mode);
	close(fd);
}

static void test_exec_errors(void)
{
	static const char elf_32[64] = "\177ELF\1\1\1";
	char *const argv[] = {"x", NULL};
	char script[600], *long_argv[] = {"x", NULL, NULL};
	int status;
	pid_t pid;

	make("/tmp/text", "plain text\n", 11, 0755);
	make("/tmp/short", "\177ELF", 4, 0755);
	make("/tmp/elf32", elf_32, sizeof(elf_32), 0755);
	make("/tmp/plain", "plain text\n", 11, 0644);
	is(exec_errno("/tmp/text", argv), ENOEXEC, "text is ENOEXEC");
	is(exec_errno("/tmp/short", argv), ENOEXEC, "a cut-off ELF file is ENOEXEC");
	is(exec_errno("/tmp/elf32", argv), ENOEXEC, "a 32-bit header without a body is ENOEXEC");
	is(exec_errno("/tmp/plain", argv), EACCES, "a file that nobody may execute is EACCES");
	is(exec_errno("/tmp", argv), EACCES, "a directory is EACCES");
	is(exec_errno("/tmp/nothing", argv), ENOENT, "no file is ENOENT");
	is(exec_errno("/tmp/text/below", argv), ENOTDIR, "below a file is ENOTDIR");
	is(exec_errno((const char *)8, argv), EFAULT, "a bad path pointer is EFAULT");
	long_argv[1] = malloc(300000);
	memset(long_argv[1], 'a', 299999);
	long_argv[1][299999] = 0;
	is(exec_errno(self, long_argv), E2BIG, "a string of 300000 bytes is E2BIG");
	free(long_argv[1]);
	snprintf(script, sizeof(script), "#!%s status\n", self);
	make("/tmp/script", script, strlen(script), 0755);
	pid = fork();
	if (pid == 0) {
		execve("/tmp/script", argv, environ);
		_exit(1);
	}
	status = wait_status(pid);
	is(WEXITSTATUS(status), 0, "a script runs its interpreter with its own path as argument");
	make("/tmp/script", "#!/nowhere\n", 11, 0755);
	is(exec_errno("/tmp/script", argv), ENOENT, "a script without its interpreter is ENOENT");
	for (const char *const *name = (const char *[]){"/tmp/text", "/tmp/short", "/tmp/elf32",
							"/tmp/plain", "/tmp/script", NULL};
	     *name; name++)
		unlink(*name);
}

static void test_pipe(void)
{
	char *const argv[] = {"name", "echo", "one two", NULL};
	char *const environment[] = {"GREETING=hello", NULL};
	char text[100] = "";
	int ends[2], got = 0, count;
	FILE *in;
	char *block;
	size_t total = 0;
	pid_t pid;

	is(pipe(ends), 0, "pipe");
	pid = fork();
	if (pid == 0) {
		dup2(ends[1], 1);
		close(ends[0]);
		close(ends[1]);
		execve(self, argv, environment);
		_exit(1);
	}
	close(ends[1]);
	in = fdopen(ends[0], "r");
	fgets(text, sizeof(text), in);
	is(strcmp(text, "3 one two hello\n"), 0,
	   "arguments and environment arrive; output comes through the pipe");
	is(fgetc(in), EOF, "a pipe ends with the child");
	fclose(in);
	wait_status(pid);

	pipe(ends);
	pid = fork();
	if (pid == 0) {
		block = calloc(1, 1 << 20);
		close(ends[0]);
		_exit(write(ends[1], block, 1 << 20) == 1 << 20 ? 0 : 1);
	}
	close(ends[1]);
	block = malloc(5000);
	while ((count = (int)read(ends[0], block, 5000)) > 0)
		total += (size_t)count;
	is((long)total, 1 << 20, "a MiB goes through a pipe of 64 KiB");
	is(wait_status(pid), 0, "the writer was held back, not cut off");
	close(ends[0]);
	free(block);

	pipe(ends);
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	memset(text, 1, sizeof(text));
	while ((count = (int)write(ends[1], text, 64)) > 0)
		got += count;
	is(errno, EAGAIN, "a full pipe is EAGAIN with O_NONBLOCK");
	is(got, 65536, "a pipe holds 64 KiB");
	close(ends[0]);
	signal(SIGPIPE, SIG_IGN);
	is(write(ends[1], text, 1) == -1 && errno == EPIPE, 1, "nobody reads: EPIPE");
	signal(SIGPIPE, SIG_DFL);
	close(ends[1]);
}

static void test_orphan(void)
{
	int ends[2], value = 0;
	pid_t pid;

	pipe(ends);
	pid = fork();
	if (pid == 0) {
		pid_t middle = getpid();

		if (fork() == 0) {
			while (getppid() == middle)
				sched_yield();
			value = getppid() != middle;
			write(ends[1], &value, sizeof(value));
			_exit(0);
		}
		_exit(0);
	}
	wait_status(pid);
	close(ends[1]);
	read(ends[0], &value, sizeof(value));
	is(value, 1, "an orphan gets another parent");
	close(ends[0]);
}

static void test_wait(void)
{
	siginfo_t info = {0};
	struct rusage usage;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		pause();
		_exit(0);
	}
	is(waitpid(pid, &status, WNOHANG), 0, "WNOHANG: nothing yet");
	kill(pid, SIGSTOP);
	is(waitpid(pid, &status, WUNTRACED), pid, "WUNTRACED tells of a stop");
	ok(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP, "waitpid reports SIGSTOP");
	kill(pid, SIGCONT);
	is(waitpid(pid, &status, WCONTINUED), pid, "WCONTINUED tells of its end");
	ok(WIFCONTINUED(status), "waitpid reports the continuation");
	kill(pid, SIGKILL);
	is(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0, "waitid");
	ok(info.si_code == CLD_KILLED && info.si_status == SIGKILL && info.si_pid == pid,
	   "fills siginfo");
	is(wait4(pid, &status, 0, &usage), pid, "WNOWAIT left it there for wait4");
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "killed");
	is(waitpid(pid, &status, 0) == -1 && errno == ECHILD, 1, "then it is gone");
	signal(SIGCHLD, SIG_IGN);
	pid = fork();
	if (pid == 0)
		_exit(0);
	is(waitpid(pid, &status, 0) == -1 && errno == ECHILD, 1, "with SIGCHLD ignored: ECHILD");
	signal(SIGCHLD, SIG_DFL);
}

static void test_groups(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		setpgid(0, 0);
		_exit(getpgrp() == getpid() && setsid() == -1 && errno == EPERM ? 0 : 1);
	}
	is(wait_status(pid), 0, "a child becomes the leader of its group");
	pid = fork();
	if (pid == 0)
		_exit(setsid() == getpid() && getsid(0) == getpid() && getpgrp() == getpid() ? 0
											     : 1);
	is(wait_status(pid), 0, "a child leads a session");
	is(kill(-99999, SIGTERM) == -1 && errno == ESRCH, 1, "no such group is ESRCH");
	is(kill(getpid(), 0), 0, "signal 0 asks");
	is(kill(999999, 0) == -1 && errno == ESRCH, 1, "no such process is ESRCH");
	is(kill(getpid(), 100) == -1 && errno == EINVAL, 1, "no such signal is EINVAL");
}

/* Two busy processes share the processor although neither gives it away. */
static void test_sharing(void)
{
	int ends[2];
	char byte;
	pid_t pid;

	pipe(ends);
	pid = fork();
	if (pid == 0) {
		for (volatile uint64_t i = 0;; i++)
			;
	}
	for (int i = 0; i < 3; i++) {
		pid_t short_one = fork();

		if (short_one == 0) {
			for (volatile int j = 0; j < 1000000; j++)
				;
			write(ends[1], "x", 1);
			_exit(0);
		}
		read(ends[0], &byte, 1);
		wait_status(short_one);
	}
	ok(true, "a task that never sleeps does not stop the others");
	kill(pid, SIGKILL);
	wait_status(pid);
	close(ends[0]);
	close(ends[1]);
}

static void test_identity(void)
{
	struct utsname name;
	char comm[16] = "";

	is(uname(&name), 0, "uname");
	ok(strcmp(name.sysname, "Linux") == 0 && strcmp(name.machine, "x86_64") == 0,
	   "names the interface and the machine");
	prctl(PR_SET_NAME, "a-name-longer-than-15");
	prctl(PR_GET_NAME, comm);
	is(strcmp(comm, "a-name-longer-t"), 0, "PR_SET_NAME keeps 15 characters");
}

static void test_usage(void)
{
	struct rusage usage, children;

	for (volatile int i = 0; i < 50000000; i++)
		;
	getrusage(RUSAGE_SELF, &usage);
	getrusage(RUSAGE_CHILDREN, &children);
	ok(usage.ru_utime.tv_sec * 1000000 + usage.ru_utime.tv_usec > 0,
	   "computing takes processor time");
	ok(usage.ru_maxrss > 0 && usage.ru_minflt > 0, "getrusage has memory and faults");
	ok(usage.ru_nvcsw > 0, "waiting switches tasks");
	ok(children.ru_minflt > 0, "children's usage is added up");
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return role(argc, argv);
	self = argv[0];
	setvbuf(stdout, NULL, _IONBF, 0);
	test_fork();
	test_many();
	test_exec();
	test_exec_errors();
	test_pipe();
	test_orphan();
	test_wait();
	test_groups();
	test_sharing();
	test_identity();
	test_usage();
	return tap_end();
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Rights of users: files and directories, programs, signals, limits. */
#include "tests/guest/border/credentials.h"
#include "tests/guest/copy_self.h"
#include <linux/sched.h>

#define FILES   "/tmp/credentials"
#define PROGRAM FILES "/program"

/* A file with a byte in it. */
static void put(const char *path, mode_t mode, uid_t uid, gid_t gid)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);

	write(fd, "x", 1);
	close(fd);
	chown(path, uid, gid);
	chmod(path, mode);
}

static void make_files(void)
{
	mkdir(FILES, 0755);
	mkdir(FILES "/shut", 0700);
	mkdir(FILES "/sticky", 0777);
	mkdir(FILES "/group", 0777);
	chmod(FILES "/sticky", 01777);
	chown(FILES "/group", 0, 77);
	chmod(FILES "/group", 02777);
	put(FILES "/shut/inside", 0644, 0, 0);
	put(FILES "/mine", 0600, USER, USER);
	put(FILES "/other", 0604, OTHER, USER);
	put(FILES "/team", 0640, 0, 50);
	put(FILES "/root", 0644, 0, 0);
	put(FILES "/command", 0711, 0, 0);
	put(FILES "/sticky/root", 0666, 0, 0);
	put(FILES "/set", 06777, USER, USER);
}

static long opens(const char *path, int flags)
{
	int fd = open(path, flags, 0666);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static void files_of_users(void)
{
	const gid_t team = 50;

	syscall(SYS_setgroups, 1, &team);
	set_gids(USER, USER, USER);
	set_uids(USER, USER, USER);
	is(opens(FILES "/mine", O_RDWR), 0, "a user reads its own file");
	is(opens(FILES "/root", O_RDONLY), 0, "others' files are read where all may");
	is(opens(FILES "/root", O_WRONLY), -EACCES, "a user may not write others' files");
	is(opens(FILES "/root", O_RDONLY | O_TRUNC), -EACCES,
	   "a user may not truncate others' files");
	is(opens(FILES "/root", O_PATH), 0, "a path needs no right");
	is(opens(FILES "/root", O_RDONLY | O_NOATIME), -EPERM, "only owners hide that they read");
	is(opens(FILES "/other", O_RDONLY), -EACCES,
	   "the group's bits hold for the group, not the others'");
	is(opens(FILES "/team", O_RDONLY), 0, "a supplementary group reads");
	is(opens(FILES "/team", O_RDWR), -EACCES, "a supplementary group may not write");
	is(opens(FILES "/command", O_RDONLY), -EACCES, "an executed file need not be readable");
	is(opens(FILES "/shut/inside", O_RDONLY), -EACCES, "no way through a shut directory");
	is(opens(FILES "/shut/missing", O_RDONLY), -EACCES,
	   "a shut directory does not tell which names exist");
	is(opens(FILES "/shut", O_RDONLY | O_DIRECTORY), -EACCES, "a shut directory is not listed");
	is(result(chdir(FILES "/shut")), -EACCES, "a shut directory is not entered");
	is(opens(FILES "/new", O_CREAT | O_WRONLY), -EACCES, "new files need a writable directory");
	is(result(mkdir(FILES "/new", 0777)), -EACCES, "directories too");
	is(result(symlink("x", FILES "/new")), -EACCES,
	   "a link in a foreign directory is not made");
	is(result(mkdir(FILES "/root", 0777)), -EEXIST,
	   "mkdir of an existing name: EEXIST comes before EACCES");
	is(result(unlink(FILES "/mine")), -EACCES,
	   "removing a name needs the directory's write bit");
	is(result(rename(FILES "/mine", "/tmp/mine")), -EACCES,
	   "renaming needs the directory's write bit");
	is(result(truncate(FILES "/root", 0)), -EACCES, "truncate is a write");
	is(result(execl(FILES "/root", "root", NULL)), -EACCES, "not executable");
	is(access(FILES "/mine", R_OK | W_OK), 0, "access: mine");
	is(result(access(FILES "/root", W_OK)), -EACCES, "access: root's");
	is(result(access(FILES "/shut/inside", F_OK)), -EACCES, "access: out of reach");
}

static void new_files(void)
{
	struct stat stat_;

	become(USER);
	is(opens(FILES "/sticky/mine", O_CREAT | O_EXCL | O_WRONLY), 0, "a directory for all");
	stat(FILES "/sticky/mine", &stat_);
	ok(stat_.st_uid == USER && stat_.st_gid == USER, "has files of their makers");
	is(result(unlink(FILES "/sticky/root")), -EPERM, "a sticky one keeps others' files");
	is(result(rename(FILES "/sticky/root", FILES "/sticky/gone")), -EPERM, "under their names");
	is(result(rename(FILES "/sticky/mine", FILES "/sticky/root")), -EPERM,
	   "another's file in a sticky directory is not replaced: EPERM");
	is(unlink(FILES "/sticky/mine"), 0, "a user's own files are removed");
	mkdir(FILES "/group/sub", 0755);
	stat(FILES "/group/sub", &stat_);
	ok(stat_.st_gid == 77 && stat_.st_mode & S_ISGID,
	   "a directory with S_ISGID hands its group down");
	rmdir(FILES "/group/sub");
	is(open(FILES "/sticky/none", O_CREAT | O_RDWR, 0) >= 0, 1,
	   "mode 0 does not hinder the maker");
	is(opens(FILES "/sticky/none", O_RDWR), -EACCES, "only the next");
	unlink(FILES "/sticky/none");
}

static void owners(void)
{
	struct stat stat_;
	int fd;

	become(USER);
	is(result(chmod(FILES "/root", 0777)), -EPERM, "modes are the owner's");
	is(chmod(FILES "/mine", 0640), 0, "the owner changes the mode");
	is(result(chown(FILES "/mine", OTHER, -1)), -EPERM, "nobody gives files away");
	is(result(chown(FILES "/mine", -1, OTHER)), -EPERM, "chown to a stranger's group: EPERM");
	is(chown(FILES "/mine", USER, USER), 0, "no change is none");
	is(result(fchownat(AT_FDCWD, FILES "/mine", -1, -1, 0x4000)), -EINVAL, "an unknown flag");
	is(result(utimensat(AT_FDCWD, FILES "/root", NULL, 0)), -EACCES, "times of root's file");
	is(result(utimensat(AT_FDCWD, FILES "/root", (struct timespec[2]){{1, 0}, {1, 0}}, 0)),
	   -EPERM, "other than now: not even for who may write");
	is(utimensat(AT_FDCWD, FILES "/sticky/root", NULL, 0), 0,
	   "touching needs only the right to write");
	chown(FILES "/set", -1, USER);
	stat(FILES "/set", &stat_);
	is((long)(stat_.st_mode & 07777), 0777, "a new owner is nobody's impostor");
	chmod(FILES "/set", 06777);
	fd = open(FILES "/set", O_WRONLY);
	write(fd, "y", 1);
	close(fd);
	stat(FILES "/set", &stat_);
	is((long)(stat_.st_mode & 07777), 0777, "writing clears set-user-ID");
}

/* The executed program's part: writes its ids and auxiliary values as one line. */
static int executed(void)
{
	printf("%u %u %lu %lx %lx %d\n", getuid(), geteuid(), getauxval(AT_SECURE),
	       capabilities(PERMITTED), capabilities(EFFECTIVE), prctl(PR_GET_DUMPABLE));
	return 0;
}

/* Runs the copy of this program in a child by clone(2) with the flags, and returns its line. */
static const char *line_of_cloned(const char *program, unsigned long flags)
{
	static char line[128];
	ssize_t length;
	int ends[2];

	pipe(ends);
	if (!syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0)) {
		dup2(ends[1], 1);
		execl(program, program, "executed", NULL);
		_exit(127);
	}
	close(ends[1]);
	length = read(ends[0], line, sizeof(line) - 1);
	line[length > 0 ? length - 1 : 0] = 0;
	close(ends[0]);
	wait(NULL);
	return line;
}

static const char *line_of(const char *program)
{
	return line_of_cloned(program, 0);
}

static void same(const char *got, const char *wanted, const char *name)
{
	if (!ok(strcmp(got, wanted) == 0, "%s", name))
		printf("# got %s, wanted %s\n", got, wanted);
}

static void execution(void)
{
	copy_self(PROGRAM);
	same(line_of(PROGRAM), "0 0 0 1ffffffffff 1ffffffffff 1", "root executes");
	chmod(PROGRAM, 0711);
	become(USER);
	same(line_of(PROGRAM), "1000 1000 0 0 0 0",
	     "a user executes what he may not read: nobody looks into it");
}

static void set_user_execution(void)
{
	chmod(PROGRAM, 04755);
	prctl(PR_CAPBSET_DROP, CAP_KILL);
	become(USER);
	same(line_of(PROGRAM), "1000 0 1 1ffffffffdf 1ffffffffdf 0",
	     "root's program by S_ISUID, within the bounding set");
	same(line_of_cloned(PROGRAM, CLONE_FS), "1000 1000 0 0 0 1",
	     "not where another shares directory and umask");
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	same(line_of(PROGRAM), "1000 1000 0 0 0 1", "not with no_new_privs");
}

static void set_other_execution(void)
{
	chown(PROGRAM, OTHER, OTHER);
	chmod(PROGRAM, 04755);
	same(line_of(PROGRAM), "0 2000 1 1ffffffffff 0 0",
	     "root executes another's program by S_ISUID");
	chmod(PROGRAM, 0755);
	prctl(PR_SET_KEEPCAPS, 1);
	become(USER);
	set_capabilities(BIT(CAP_PERFMON), BIT(CAP_PERFMON), BIT(CAP_PERFMON));
	same(line_of(PROGRAM), "1000 1000 0 0 0 1", "kept capabilities end with execve");
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_PERFMON, 0, 0);
	same(line_of(PROGRAM), "1000 1000 0 4000000000 4000000000 1", "ambient ones do not");
}

/* A sleeping child with the numbers. */
static pid_t sleeper(uid_t uid)
{
	int ready[2];
	char byte;
	pid_t pid;

	pipe(ready);
	pid = fork();
	if (!pid) {
		become(uid);
		write(ready[1], "", 1);
		for (;;)
			pause();
	}
	read(ready[0], &byte, 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void signals(void)
{
	pid_t own = sleeper(USER), other = sleeper(OTHER);
	siginfo_t info;
	sigset_t set;

	become(USER);
	is(kill(own, 0), 0, "a user may signal its own process");
	is(result(kill(other, 0)), -EPERM, "another user's not");
	is(result(kill(getppid(), SIGTERM)), -EPERM, "a user may not signal root's processes");
	is(kill(other, SIGCONT), 0, "SIGCONT within a session is allowed");
	is(result(syscall(SYS_tgkill, other, other, SIGTERM)), -EPERM,
	   "a user may not signal another's threads");
	is(result(syscall(SYS_tkill, other, 0)), -EPERM, "not even asked for");
	is(result(kill(4000000, 0)), -ESRCH, "signalling a missing process: ESRCH");
	info = (siginfo_t){.si_code = SI_QUEUE};
	is(result(syscall(SYS_rt_sigqueueinfo, other, SIGUSR1, &info)), -EPERM, "no queued ones");
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	kill(getpid(), SIGUSR1);
	is(sigwaitinfo(&set, &info) == SIGUSR1 && info.si_uid == USER, 1, "si_uid is the sender's");
	kill(own, SIGKILL);
}

static void capable_signals(void)
{
	pid_t other = sleeper(OTHER);

	prctl(PR_SET_KEEPCAPS, 1);
	become(USER);
	is(result(kill(other, 0)), -EPERM, "without CAP_KILL");
	set_capabilities(BIT(CAP_KILL), BIT(CAP_KILL), 0);
	is(kill(other, SIGKILL), 0, "with CAP_KILL a user's signal arrives");
}

static void limits(void)
{
	struct rlimit limit;
	pid_t other = sleeper(OTHER);

	getrlimit(RLIMIT_MEMLOCK, &limit);
	limit.rlim_max += 4096;
	is(setrlimit(RLIMIT_MEMLOCK, &limit), 0, "root raises a hard limit");
	become(USER);
	limit.rlim_max += 4096;
	is(result(setrlimit(RLIMIT_MEMLOCK, &limit)), -EPERM, "a user does not");
	limit.rlim_cur = limit.rlim_max = 4096;
	is(setrlimit(RLIMIT_MEMLOCK, &limit), 0, "a user lowers its limit");
	is(result(prlimit(other, RLIMIT_MEMLOCK, NULL, &limit)), -EPERM,
	   "others' limits are not told");
}

static void (*const parts[])(void) = {files_of_users, new_files,          owners,
				      execution,      set_user_execution, set_other_execution,
				      signals,        capable_signals,    limits};

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return executed();
	umask(022);
	make_files();
	return run_parts(parts, sizeof(parts) / sizeof(parts[0]));
}

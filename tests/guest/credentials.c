/* SPDX-License-Identifier: BSD-2-Clause */
/* Users, groups, capabilities, and what they permit: files, signals, limits. Each part runs in a
 * child that gives its rights away. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tap.h"

#define USER    1000
#define OTHER   2000
#define ALL     ((2ul << CAP_LAST_CAP) - 1)
#define BIT(c)  (1ul << (c))
#define FILES   "/tmp/credentials"
#define PROGRAM FILES "/program"

enum set { EFFECTIVE, PERMITTED, INHERITABLE };

/* The calls of this task alone: a C library's change every thread, and musl's has no cap calls. */
static long set_uids(uid_t real, uid_t effective, uid_t saved)
{
	return syscall(SYS_setresuid, real, effective, saved);
}

static long set_gids(gid_t real, gid_t effective, gid_t saved)
{
	return syscall(SYS_setresgid, real, effective, saved);
}

static uint64_t capabilities(enum set set)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	uint32_t words[2][3] = {{0}};

	return syscall(SYS_capget, &header, words) ? 0
						   : words[0][set] | (uint64_t)words[1][set] << 32;
}

static long set_capabilities(uint64_t effective, uint64_t permitted, uint64_t inheritable)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	const uint32_t words[2][3] = {
	    {(uint32_t)effective, (uint32_t)permitted, (uint32_t)inheritable},
	    {(uint32_t)(effective >> 32), (uint32_t)(permitted >> 32),
	     (uint32_t)(inheritable >> 32)},
	};

	return syscall(SYS_capset, &header, words) ? -errno : 0;
}

static bool uids_are(uid_t real, uid_t effective, uid_t saved)
{
	uid_t got[3];

	return !getresuid(&got[0], &got[1], &got[2]) && got[0] == real && got[1] == effective &&
	       got[2] == saved;
}

static bool gids_are(gid_t real, gid_t effective, gid_t saved)
{
	gid_t got[3];

	return !getresgid(&got[0], &got[1], &got[2]) && got[0] == real && got[1] == effective &&
	       got[2] == saved;
}

/* The result, or the errno as a negative number. */
static long result(long value)
{
	return value < 0 ? -errno : value;
}

/* An ordinary user, without groups. */
static void become(uid_t uid)
{
	syscall(SYS_setgroups, 0, NULL);
	set_gids(uid, uid, uid);
	set_uids(uid, uid, uid);
}

static void users_of_root(void)
{
	ok(uids_are(0, 0, 0) && gids_are(0, 0, 0), "the first program is root");
	is(syscall(SYS_setreuid, -1, USER), 0, "root takes a user's effective number");
	ok(uids_are(0, USER, USER), "the saved number follows");
	is(syscall(SYS_setreuid, -1, 0), 0, "and takes its real number again");
	is(syscall(SYS_setuid, USER), 0, "setuid of root");
	ok(uids_are(USER, USER, USER), "sets all three");
	is(result(syscall(SYS_setuid, 0)), -EPERM, "there is no way back");
	is(result(syscall(SYS_setuid, -1)), -EINVAL, "-1 is nobody's number");
	is(result(set_uids(-1, OTHER, -1)), -EPERM, "a user cannot become another");
	is(set_uids(-1, -1, -1), 0, "nothing changed is no error");
	is(syscall(SYS_setreuid, USER, USER), 0, "one's own number is allowed");
}

static void users_in_turn(void)
{
	is(set_uids(USER, USER + 1, USER + 2), 0, "three numbers");
	is(syscall(SYS_setreuid, USER + 1, -1), 0, "real from effective");
	ok(uids_are(USER + 1, USER + 1, USER + 1), "sets saved to the effective");
	become(USER);
}

static void saved_user(void)
{
	is(set_uids(USER, USER, OTHER), 0, "a saved number");
	is(syscall(SYS_setuid, OTHER), 0, "may become the effective one");
	ok(uids_are(USER, OTHER, OTHER), "and only that changes");
	is(result(syscall(SYS_setreuid, OTHER + 1, -1)), -EPERM, "setreuid refuses strangers");
	is(result(syscall(SYS_setreuid, -1, OTHER + 1)), -EPERM, "as effective numbers too");
	is(syscall(SYS_setreuid, OTHER, USER), 0, "numbers change places");
	ok(uids_are(OTHER, USER, USER), "and the saved one follows");
}

static void file_user(void)
{
	const uint64_t files = BIT(CAP_CHOWN) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_DAC_READ_SEARCH) |
			       BIT(CAP_FOWNER) | BIT(CAP_FSETID) | BIT(CAP_MKNOD) |
			       BIT(CAP_MAC_OVERRIDE) | BIT(CAP_LINUX_IMMUTABLE);

	is(syscall(SYS_setfsuid, USER), 0, "setfsuid tells the old number");
	is(syscall(SYS_setfsuid, -1), USER, "and again");
	is((long)capabilities(EFFECTIVE), (long)(ALL & ~files),
	   "a user's files: no capabilities for files");
	is(syscall(SYS_setfsuid, 0), USER, "back to root's");
	is((long)capabilities(EFFECTIVE), (long)ALL, "with all capabilities");
	is(syscall(SYS_setfsgid, USER), 0, "setfsgid");
	is(syscall(SYS_setfsgid, USER), USER, "has another memory");
	become(USER);
	is(syscall(SYS_setfsuid, OTHER), USER, "a user asks for another's files");
	is(syscall(SYS_setfsuid, USER), USER, "in vain");
}

static void groups(void)
{
	const gid_t given[] = {30, 10, 20};
	gid_t got[4] = {0};

	is(getgroups(0, NULL), 0, "no groups at first");
	is(syscall(SYS_setgroups, 3, given), 0, "root sets groups");
	is(getgroups(4, got), 3, "three");
	ok(got[0] == 10 && got[1] == 20 && got[2] == 30, "sorted");
	is(result(getgroups(2, got)), -EINVAL, "too many for two places");
	is(result(syscall(SYS_setgroups, 65537, given)), -EINVAL, "too many for Linux");
	is(result(syscall(SYS_setgroups, 3, 8)), -EFAULT, "no memory there");
	is(set_gids(USER, USER + 1, USER + 2), 0, "group numbers");
	ok(gids_are(USER, USER + 1, USER + 2), "are as told");
	is((long)capabilities(EFFECTIVE), (long)ALL, "and take no capability");
	set_uids(USER, USER, USER);
	is(result(syscall(SYS_setgroups, 0, NULL)), -EPERM, "a user sets none");
	is(syscall(SYS_setregid, USER + 1, USER), 0, "a user's groups change places");
	is(result(syscall(SYS_setgid, OTHER)), -EPERM, "but stay the user's");
}

static void capabilities_of_users(void)
{
	is((long)capabilities(PERMITTED), (long)ALL, "root has all capabilities");
	is((long)capabilities(INHERITABLE), 0, "and inherits none");
	is(set_uids(-1, USER, -1), 0, "another effective user");
	is((long)capabilities(EFFECTIVE), 0, "has none in effect");
	is((long)capabilities(PERMITTED), (long)ALL, "but keeps them permitted");
	set_uids(-1, 0, -1);
	is((long)capabilities(EFFECTIVE), (long)ALL, "which come back");
	set_uids(USER, USER, USER);
	is((long)(capabilities(EFFECTIVE) | capabilities(PERMITTED)), 0, "a user has none at all");
}

static void kept_capabilities(void)
{
	is(prctl(PR_GET_KEEPCAPS), 0, "capabilities are not kept");
	is(result(prctl(PR_SET_KEEPCAPS, 2)), -EINVAL, "only 0 and 1");
	is(prctl(PR_SET_KEEPCAPS, 1), 0, "unless asked for");
	set_uids(USER, USER, USER);
	is((long)capabilities(PERMITTED), (long)ALL, "then a user keeps them");
	is((long)capabilities(EFFECTIVE), 0, "for later");
	is(set_capabilities(BIT(CAP_PERFMON), BIT(CAP_PERFMON), 0), 0, "takes the one wanted");
	is((long)capabilities(EFFECTIVE), (long)BIT(CAP_PERFMON), "and has it");
	is(set_capabilities(0, ALL, 0), -EPERM, "what is given away is gone");
	is(set_capabilities(BIT(CAP_KILL), BIT(CAP_PERFMON), 0), -EPERM,
	   "nothing is in effect that is not permitted");
	is(set_capabilities(0, 0, BIT(CAP_KILL)), -EPERM, "nor inherited");
}

static void capability_calls(void)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_1, 0};
	uint32_t words[2][3] = {{0}, {7, 7, 7}};

	is(syscall(SYS_capget, &header, words), 0, "the first version");
	ok(words[0][0] == UINT32_MAX && words[1][0] == 7, "has 32 bits");
	header.version = 1;
	is(result(syscall(SYS_capget, &header, words)), -EINVAL, "an unknown version");
	is((long)header.version, (long)_LINUX_CAPABILITY_VERSION_3, "is told the right one");
	header.version = 1;
	is(syscall(SYS_capget, &header, NULL), 0, "to ask for it is no error");
	header.pid = -1;
	is(result(syscall(SYS_capget, &header, words)), -EINVAL, "no task is -1");
	header.pid = 4000000;
	is(result(syscall(SYS_capget, &header, words)), -ESRCH, "nor so high");
	header.pid = getppid();
	is(syscall(SYS_capget, &header, words), 0, "another task's may be read");
	is(result(syscall(SYS_capset, &header, words)), -EPERM, "but not set");
}

static void bounding_set(void)
{
	is(prctl(PR_CAPBSET_READ, CAP_PERFMON), 1, "the bounding set has CAP_PERFMON");
	is(result(prctl(PR_CAPBSET_READ, CAP_LAST_CAP + 1)), -EINVAL, "and ends somewhere");
	is(prctl(PR_CAPBSET_DROP, CAP_PERFMON), 0, "root takes it away");
	is(prctl(PR_CAPBSET_READ, CAP_PERFMON), 0, "for good");
	is((long)capabilities(PERMITTED), (long)ALL, "which takes nothing now");
	become(USER);
	is(result(prctl(PR_CAPBSET_DROP, CAP_KILL)), -EPERM, "users take nothing away");
}

static void ambient_set(void)
{
	is(result(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_KILL, 0, 0)), -EPERM,
	   "only what is inheritable becomes ambient");
	is(set_capabilities(ALL, ALL, BIT(CAP_KILL)), 0, "make it that");
	is(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_KILL, 0, 0), 0, "and ambient");
	is(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, CAP_KILL, 0, 0), 1, "it is");
	is(result(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, CAP_KILL, 0, 1)), -EINVAL,
	   "further arguments must be 0");
	is(result(prctl(PR_CAP_AMBIENT, 9, CAP_KILL, 0, 0)), -EINVAL, "an unknown request");
	is(set_capabilities(ALL, ALL, 0), 0, "what is inherited no more");
	is(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, CAP_KILL, 0, 0), 0, "is ambient no more");
}

static void secure_bits(void)
{
	is(prctl(PR_GET_SECUREBITS), 0, "no secure bits");
	is(prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP), 0, "one is set");
	set_uids(USER, USER, USER);
	is((long)capabilities(EFFECTIVE), (long)ALL, "numbers and capabilities go apart");
	set_capabilities(0, 0, 0);
	is(result(prctl(PR_SET_SECUREBITS, 0)), -EPERM, "users set none");
	is(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), 0, "privileges may be gained");
	is(result(prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0)), -EINVAL, "which cannot be asked for");
	is(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0, "only the opposite");
	is(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), 1, "and it stays");
}

static void dumpable(void)
{
	is(prctl(PR_GET_DUMPABLE), 1, "a program may be looked into");
	is(result(prctl(PR_SET_DUMPABLE, 2)), -EINVAL, "2 is the kernel's");
	become(USER);
	is(prctl(PR_GET_DUMPABLE), 0, "not after it changed its user");
	is(prctl(PR_SET_DUMPABLE, 1), 0, "unless it says so");
	is(prctl(PR_GET_DUMPABLE), 1, "itself");
}

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
	is(opens(FILES "/mine", O_RDWR), 0, "one's own file");
	is(opens(FILES "/root", O_RDONLY), 0, "others' files are read where all may");
	is(opens(FILES "/root", O_WRONLY), -EACCES, "but not written");
	is(opens(FILES "/root", O_RDONLY | O_TRUNC), -EACCES, "nor emptied");
	is(opens(FILES "/root", O_PATH), 0, "a path needs no right");
	is(opens(FILES "/root", O_RDONLY | O_NOATIME), -EPERM, "only owners hide that they read");
	is(opens(FILES "/other", O_RDONLY), -EACCES,
	   "the group's bits hold for the group, not the others'");
	is(opens(FILES "/team", O_RDONLY), 0, "a supplementary group reads");
	is(opens(FILES "/team", O_RDWR), -EACCES, "and does not write");
	is(opens(FILES "/command", O_RDONLY), -EACCES, "what runs need not be readable");
	is(opens(FILES "/shut/inside", O_RDONLY), -EACCES, "no way through a shut folder");
	is(opens(FILES "/shut/missing", O_RDONLY), -EACCES, "which does not tell what is there");
	is(opens(FILES "/shut", O_RDONLY | O_DIRECTORY), -EACCES, "or let itself be listed");
	is(result(chdir(FILES "/shut")), -EACCES, "or entered");
	is(opens(FILES "/new", O_CREAT | O_WRONLY), -EACCES, "new files need a writable folder");
	is(result(mkdir(FILES "/new", 0777)), -EACCES, "folders too");
	is(result(symlink("x", FILES "/new")), -EACCES, "and links");
	is(result(mkdir(FILES "/root", 0777)), -EEXIST, "but first: is it there?");
	is(result(unlink(FILES "/mine")), -EACCES, "to remove is to change the folder");
	is(result(rename(FILES "/mine", "/tmp/mine")), -EACCES, "to rename as well");
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
	is(opens(FILES "/sticky/mine", O_CREAT | O_EXCL | O_WRONLY), 0, "a folder for all");
	stat(FILES "/sticky/mine", &stat_);
	ok(stat_.st_uid == USER && stat_.st_gid == USER, "has files of their makers");
	is(result(unlink(FILES "/sticky/root")), -EPERM, "a sticky one keeps others' files");
	is(result(rename(FILES "/sticky/root", FILES "/sticky/gone")), -EPERM, "under their names");
	is(result(rename(FILES "/sticky/mine", FILES "/sticky/root")), -EPERM, "in their places");
	is(unlink(FILES "/sticky/mine"), 0, "one's own go");
	mkdir(FILES "/group/sub", 0755);
	stat(FILES "/group/sub", &stat_);
	ok(stat_.st_gid == 77 && stat_.st_mode & S_ISGID,
	   "a folder with S_ISGID hands its group down");
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
	is(chmod(FILES "/mine", 0640), 0, "who changes them");
	is(result(chown(FILES "/mine", OTHER, -1)), -EPERM, "nobody gives files away");
	is(result(chown(FILES "/mine", -1, OTHER)), -EPERM, "nor to strange groups");
	is(chown(FILES "/mine", USER, USER), 0, "no change is none");
	is(result(fchownat(AT_FDCWD, FILES "/mine", -1, -1, 0x4000)), -EINVAL, "an unknown flag");
	is(result(utimensat(AT_FDCWD, FILES "/root", NULL, 0)), -EACCES, "times of root's file");
	is(result(utimensat(AT_FDCWD, FILES "/root", (struct timespec[2]){{1, 0}, {1, 0}}, 0)),
	   -EPERM, "other than now: not even for who may write");
	is(utimensat(AT_FDCWD, FILES "/sticky/root", NULL, 0), 0, "who may write touches");
	chown(FILES "/set", -1, USER);
	stat(FILES "/set", &stat_);
	is((long)(stat_.st_mode & 07777), 0777, "a new owner is nobody's impostor");
	chmod(FILES "/set", 06777);
	fd = open(FILES "/set", O_WRONLY);
	write(fd, "y", 1);
	close(fd);
	stat(FILES "/set", &stat_);
	is((long)(stat_.st_mode & 07777), 0777, "nor is what was written to");
}

/* What the program sees that was executed: written as one line. */
static int executed(void)
{
	printf("%u %u %lu %lx %lx %d\n", getuid(), geteuid(), getauxval(AT_SECURE),
	       capabilities(PERMITTED), capabilities(EFFECTIVE), prctl(PR_GET_DUMPABLE));
	return 0;
}

/* Runs the copy of this program and returns its line. */
static const char *line_of(const char *program)
{
	static char line[128];
	ssize_t length;
	int ends[2];

	pipe(ends);
	if (!fork()) {
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

static void same(const char *got, const char *wanted, const char *name)
{
	if (!ok(strcmp(got, wanted) == 0, "%s", name))
		printf("# got %s, wanted %s\n", got, wanted);
}

static void copy_program(void)
{
	static char bytes[65536];
	int from = open("/proc/self/exe", O_RDONLY), to = open(PROGRAM, O_CREAT | O_WRONLY, 0755);
	ssize_t length;

	while ((length = read(from, bytes, sizeof(bytes))) > 0)
		write(to, bytes, (size_t)length);
	close(from);
	close(to);
}

static void execution(void)
{
	copy_program();
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
	is(kill(own, 0), 0, "one's own process may be signalled");
	is(result(kill(other, 0)), -EPERM, "another user's not");
	is(result(kill(getppid(), SIGTERM)), -EPERM, "nor root's");
	is(kill(other, SIGCONT), 0, "but continued, in the same session");
	is(result(syscall(SYS_tgkill, other, other, SIGTERM)), -EPERM, "its threads not either");
	is(result(syscall(SYS_tkill, other, 0)), -EPERM, "not even asked for");
	is(result(kill(4000000, 0)), -ESRCH, "who is not there is ESRCH");
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
	is(kill(other, SIGKILL), 0, "and with it");
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
	is(setrlimit(RLIMIT_MEMLOCK, &limit), 0, "but lowers it");
	is(result(prlimit(other, RLIMIT_MEMLOCK, NULL, &limit)), -EPERM,
	   "others' limits are not told");
}

static void (*const parts[])(void) = {
    users_of_root,
    users_in_turn,
    saved_user,
    file_user,
    groups,
    capabilities_of_users,
    kept_capabilities,
    capability_calls,
    bounding_set,
    ambient_set,
    secure_bits,
    dumpable,
    files_of_users,
    new_files,
    owners,
    execution,
    set_user_execution,
    set_other_execution,
    signals,
    capable_signals,
    limits,
};

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return executed();
	umask(022);
	make_files();
	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		int status, ends[2], counts[2] = {tap_count, tap_failed + 1};
		pid_t pid;

		pipe(ends);
		pid = fork();
		if (!pid) {
			setpgid(0, 0);
			parts[i]();
			counts[0] = tap_count;
			counts[1] = tap_failed;
			write(ends[1], counts, sizeof(counts));
			kill(0, SIGKILL);
		}
		close(ends[1]);
		waitpid(pid, &status, 0);
		read(ends[0], counts, sizeof(counts));
		close(ends[0]);
		tap_count = counts[0];
		tap_failed = counts[1];
		kill(-pid, SIGKILL);
		while (waitpid(-pid, NULL, 0) > 0)
			;
	}
	return tap_end();
}

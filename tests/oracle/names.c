/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of files in /proc, after they were moved or removed. */
#include "oracle.h"
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* Prints the link's target and its mode. */
static void print_link(const char *path)
{
	char target[256];
	struct stat st;
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	if (n < 0 || lstat(path, &st)) {
		printf("  link: %s\n", outcome(-errno));
		return;
	}
	target[n] = 0;
	printf("  %s mode %o\n", target, st.st_mode);
}

static void print_fd(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	print_link(path);
}

/* The line of /proc/self/maps of the area at the address, without addresses and numbers. */
static void print_area(const void *at)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], rights[8], name[256];
	unsigned long start, ino;
	unsigned major, minor;

	while (maps && fgets(line, sizeof(line), maps)) {
		name[0] = 0;
		if (sscanf(line, "%lx-%*x %7s %*x %x:%x %lu %255[^\n]", &start, rights, &major,
			   &minor, &ino, name) >= 5 &&
		    start == (unsigned long)at)
			printf("  %s inode %s '%s'\n", rights, ino ? "some" : "0",
			       name + strspn(name, " "));
	}
	if (maps)
		fclose(maps);
}

static void modes(void)
{
	static const int flags[] = {O_RDONLY, O_WRONLY, O_RDWR, O_PATH};
	int ends[2];

	printf("modes\n");
	for (unsigned i = 0; i < COUNT(flags); i++) {
		int fd = open("/tmp", O_DIRECTORY | O_PATH);

		close(fd);
		fd = open("/tmp/modes", flags[i] | O_CREAT, 0600);
		print_fd(fd);
		close(fd);
	}
	unlink("/tmp/modes");
	if (pipe(ends))
		return;
	for (unsigned i = 0; i < 2; i++) {
		char path[64];
		struct stat st;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[i]);
		printf("  pipe mode %o\n", lstat(path, &st) ? 0 : st.st_mode);
		close(ends[i]);
	}
}

static void moves(void)
{
	int fd, again;
	char path[64];
	void *at;

	printf("moves\n");
	mkdir("/tmp/directory", 0700);
	mkdir("/tmp/directory/deep", 0700);
	fd = open("/tmp/directory/deep/one", O_RDWR | O_CREAT, 0600);
	report(failed(ftruncate(fd, PAGE)), "  size");
	at = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	link("/tmp/directory/deep/one", "/tmp/directory/two");
	print_fd(fd);
	print_area(at);
	rename("/tmp/directory/deep/one", "/tmp/directory/deep/three");
	print_fd(fd);
	rename("/tmp/directory", "/tmp/renamed");
	print_fd(fd);
	print_area(at);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, O_RDONLY);
	print_fd(again);
	again = open("/tmp/renamed/two", O_RDONLY);
	print_fd(again);
	rename("/tmp/renamed/two",
	       "/tmp/renamed/deep/three"); /* one file under both names: nothing happens */
	print_fd(fd);
	print_fd(again);
	unlink("/tmp/renamed/deep/three");
	print_fd(fd);
	print_area(at);
	print_fd(again);
	unlink("/tmp/renamed/two");
	rmdir("/tmp/renamed/deep");
	rmdir("/tmp/renamed");
	print_fd(fd);
	print_fd(again);
	print_area(at);
	munmap(at, PAGE);
	close(fd);
	close(again);
}

static void directories(void)
{
	char path[256];

	printf("directories\n");
	mkdir("/tmp/a", 0700);
	mkdir("/tmp/a/b", 0700);
	report(failed(chdir("/tmp/a/b")), "  chdir");
	print_link("/proc/self/cwd");
	rmdir("/tmp/a/b");
	print_link("/proc/self/cwd");
	report(getcwd(path, sizeof(path)) ? 0 : -errno, "  getcwd");
	rmdir("/tmp/a");
	print_link("/proc/self/cwd");
	report(failed(open("x", O_CREAT | O_RDWR, 0600)), "  create there");
	report(failed(chdir("..")), "  chdir ..");
	print_link("/proc/self/cwd");
	report(failed(chdir("/")), "  chdir /");
}

static void memory(void)
{
	int zero = open("/dev/zero", O_RDWR);
	char *at;

	printf("memory\n");
	for (unsigned i = 0; i < 4; i++) {
		at = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			  (i & 1 ? MAP_SHARED : MAP_PRIVATE) | (i & 2 ? 0 : MAP_ANONYMOUS),
			  i & 2 ? zero : -1, 0);
		at[PAGE] = 1;
		printf("  bytes %d %d\n", at[0], at[PAGE]);
		if (i)
			print_area(at);
		report(failed(madvise(at, PAGE, MADV_WIPEONFORK)), "  wipe on fork");
		munmap(at, 2 * PAGE);
	}
	at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, zero, 0);
	at[0] = 7;
	if (fork() == 0) {
		printf("  a child sees %d\n", at[0]);
		at[0] = 8;
		exit(0);
	}
	wait(NULL);
	printf("  its parent %d\n", at[0]);
	close(zero);
}

/* The program under two names, each of which runs it. */
static void programs(const char *self)
{
	char path[64];

	printf("programs\n");
	snprintf(path, sizeof(path), "%s-again", self);
	report(failed(link(self, path)), "  link");
	print_link("/proc/self/exe");
	for (unsigned i = 0; i < 3; i++) {
		pid_t child = fork();

		if (child == 0) {
			execl(i ? path : self, path, "program", i == 2 ? path : NULL, NULL);
			_exit(1);
		}
		waitpid(child, NULL, 0);
	}
	unlink(path);
}

static int program(const char *remove)
{
	if (remove)
		unlink(remove);
	print_link("/proc/self/exe");
	return 0;
}

static void spaces(void)
{
	static const char *const kinds[] = {"cgroup", "ipc",
					    "mnt",    "net",
					    "pid",    "pid_for_children",
					    "time",   "uts",
					    "user",   "time_for_children",
					    "none"};
	char path[64], mine[64], theirs[64];
	struct stat st;

	printf("namespaces\n");
	for (unsigned i = 0; i < COUNT(kinds); i++) {
		ssize_t n, m;
		int fd;

		snprintf(path, sizeof(path), "/proc/self/ns/%s", kinds[i]);
		n = readlink(path, mine, sizeof(mine));
		report(failed(n), "  %s", kinds[i]);
		if (n < 0)
			continue;
		m = readlink(path, theirs, sizeof(theirs));
		fd = open(path, O_RDONLY);
		printf("    %.*s %s stat %s mode %o\n", (int)(strchr(mine, ':') - mine), mine,
		       n == m && !memcmp(mine, theirs, (size_t)n) ? "stable" : "moves",
		       !stat(path, &st) && st.st_ino == strtoul(strchr(mine, '[') + 1, NULL, 10)
			   ? "the same"
			   : "other",
		       fd < 0 || fstat(fd, &st) ? 0 : st.st_mode);
		report(failed(read(fd, path, 1)), "    read");
		close(fd);
	}
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1)
		return program(argc > 2 ? argv[2] : NULL);
	mkdir("/tmp", 0777);
	modes();
	moves();
	directories();
	memory();
	programs(argv[0]);
	spaces();
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs programs again and again, each after something that moves what a test must not depend on:
 * the phase of clocks, process ids, free memory's order, files, and where the stack begins.
 * usage: shake SEED ROUNDS PROGRAM... */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEPT 12
#define PAGE 4096

static unsigned long state;

static unsigned below(unsigned end)
{
	state = state * 6364136223846793005 + 1442695040888963407;
	return (unsigned)(state >> 33) % end;
}

static void spin(void)
{
	for (volatile unsigned left = below(400000); left; left--)
		;
}

static void *anonymous(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return NULL;
	memset(at, 1, size);
	return at;
}

/* Processes that write to memory and end. */
static void breed(void)
{
	for (unsigned left = below(9); left; left--) {
		if (fork() == 0) {
			anonymous((size_t)PAGE * (1 + below(30)));
			_exit(0);
		}
		wait(NULL);
	}
}

/* Memory stays for some rounds, so that free pages are between used ones. */
static void move_memory(void)
{
	static struct {
		void *at;
		size_t size;
	} kept[KEPT];
	unsigned i = below(KEPT);

	if (kept[i].at)
		munmap(kept[i].at, kept[i].size);
	kept[i].size = (size_t)PAGE * (1 + below(below(4) ? 40 : 700));
	kept[i].at = anonymous(kept[i].size);
}

/* Files and pipes, of which some stay: small objects of the kernel. */
static void move_files(void)
{
	static int kept[KEPT][2];
	static char bytes[20000];
	unsigned i = below(KEPT);
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "/shaken%u", below(KEPT));
	if (below(3)) {
		fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		if (fd >= 0 && write(fd, bytes, below(sizeof(bytes))) < 0)
			perror(name);
		close(fd);
	} else {
		unlink(name);
	}
	if (kept[i][1]) {
		close(kept[i][0]);
		close(kept[i][1]);
		kept[i][1] = 0;
	} else if (pipe2(kept[i], O_CLOEXEC)) {
		kept[i][1] = 0;
	}
}

static void shake(void)
{
	for (unsigned left = 1 + below(6); left; left--) {
		spin();
		breed();
		move_memory();
		move_files();
	}
	spin();
}

/* The stack begins elsewhere with other words of the environment. */
static int run(char *path)
{
	static char word[3000];
	char *environment[] = {word, NULL};
	int status;
	pid_t child;

	snprintf(word, sizeof(word), "SHAKEN=%0*d", 1 + below(sizeof(word) - 20), 0);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		execve(path, (char *[]){path, NULL}, environment);
		_exit(127);
	}
	while (wait(&status) != child)
		; /* orphans are ours */
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	unsigned rounds;

	if (argc < 4)
		return 2;
	state = strtoul(argv[1], NULL, 0);
	rounds = (unsigned)strtoul(argv[2], NULL, 0);
	for (unsigned round = 0; round < rounds; round++)
		for (int i = 3; i < argc; i++) {
			shake();
			printf("== %u %s\n", round, strrchr(argv[i], '/') + 1);
			printf("== status %d\n", run(argv[i]));
		}
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* A program whose behaviour the end-to-end tests know: statuses, signals, streams, files,
 * arguments. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* `count` bytes in which every value occurs, in a fixed order that is not the natural one. */
static int bytes(unsigned long count)
{
	for (unsigned long i = 0; i < count; i++)
		putchar((int)((i * 167 + i / 256 * 13) & 0xff));
	return 0;
}

static int copy(const char *path)
{
	FILE *file = fopen(path, "rb");
	int c;

	if (!file)
		return 1;
	while ((c = getc(file)) != EOF)
		putchar(c);
	return fclose(file);
}

static int write_files(void)
{
	FILE *file;

	mkdir("/out/directory", 0777);
	file = fopen("/out/directory/file", "wb");
	if (!file || fputs("from the image", file) < 0)
		return 1;
	return fclose(file);
}

static int surroundings(char **argv)
{
	char directory[256];

	for (; *argv; argv++)
		printf("argument=%s\n", *argv);
	printf("directory=%s\n", getcwd(directory, sizeof(directory)) ? directory : "");
	printf("GREETING=%s\n", getenv("GREETING") ? getenv("GREETING") : "");
	return 0;
}

/* Directories in directories, and a file in the last one. */
static int deep(const char *directory, unsigned long levels)
{
	FILE *file;

	if (chdir(directory))
		return 1;
	while (levels--)
		if (mkdir("d", 0777) || chdir("d"))
			return 1;
	file = fopen("file", "wb");
	if (!file || fputs("from far below", file) < 0)
		return 1;
	return fclose(file);
}

/* Many system calls, so that samples fall into the kernel. */
static int calls(unsigned long count)
{
	while (count--)
		getppid();
	return 0;
}

/* A child that counts; the parent only waits. */
static int family(unsigned long count)
{
	pid_t child = fork();
	int status = 1;

	if (child == 0) {
		for (volatile unsigned long i = 0; i < count; i++)
			;
		_exit(0);
	}
	return child < 0 || waitpid(child, &status, 0) != child || status;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	unsigned long number = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;

	if (!strcmp(what, "exit"))
		return (int)number;
	if (!strcmp(what, "signal"))
		return raise((int)number);
	if (!strcmp(what, "fault"))
		return *(volatile int *)number; /* 0: nothing is there */
	if (!strcmp(what, "bytes"))
		return bytes(number);
	if (!strcmp(what, "stderr"))
		return fputs("on stderr\n", stderr) < 0;
	if (!strcmp(what, "copy"))
		return copy(argv[2]);
	if (!strcmp(what, "files"))
		return write_files();
	if (!strcmp(what, "deep") && argc > 3)
		return deep(argv[2], strtoul(argv[3], NULL, 0));
	if (!strcmp(what, "surroundings"))
		return surroundings(argv + 2);
	if (!strcmp(what, "calls"))
		return calls(number);
	if (!strcmp(what, "family"))
		return family(number);
	if (!strcmp(what, "forever"))
		while (1)
			;
	return 99;
}

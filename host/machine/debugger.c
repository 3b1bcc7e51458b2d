/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts gdb at QEMU's own stub, by a socket in a directory of its own. */
#include "host/machine/debugger.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/lib/home.h"
#include "host/lib/report.h"
#include "host/lib/text.h"

#define WAIT_US 20000 /* between two looks for QEMU's socket */
#define WAITS   500   /* 10 s */

static char directory[] = "/tmp/barepmu-gdb-XXXXXX";
static char *socket_path; /* NULL: no debugger is used */
static int keyboard;      /* standard input as it was */
static pid_t debugger;

static void remove_socket(void)
{
	unlink(socket_path);
	rmdir(directory);
}

void debugger_prepare(void)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	keyboard = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 16);
	if (!mkdtemp(directory) || null < 0 || dup2(null, STDIN_FILENO) < 0)
		die(STATUS_OURS, "cannot make a place for gdb's socket: %s", strerror(errno));
	socket_path = format_text("%s/socket", directory);
	atexit(remove_socket);
}

bool debugger_used(void)
{
	return socket_path;
}

void debugger_words(struct words *words)
{
	if (!socket_path)
		return;
	add_word(words, "-S");
	add_word(words, "-chardev");
	add_word(words, format_text("socket,id=gdb,path=%s,server=on,wait=off", socket_path));
	add_word(words, "-gdb");
	add_word(words, "chardev:gdb");
}

/* True if the ELF file's code is at the addresses that it names. */
static bool has_fixed_addresses(const char *path)
{
	Elf64_Ehdr header;
	FILE *file = fopen(path, "re");
	bool fixed = file && fread(&header, sizeof(header), 1, file) == 1 &&
		     !memcmp(header.e_ident, ELFMAG, SELFMAG) && header.e_type == ET_EXEC;

	if (file)
		fclose(file);
	return fixed;
}

/* In the child. `add`: gdb's command for the program's symbols, or one without effect. */
static _Noreturn void become_gdb(const char *add)
{
	char *target = format_text("target remote %s", socket_path);

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signal(SIGINT, SIG_DFL);
	dup2(keyboard, STDIN_FILENO);
	for (int i = 0; i < WAITS && access(socket_path, F_OK); i++)
		usleep(WAIT_US);
	execlp("gdb", "gdb", "-q", "-ex", "set confirm off", "-ex", target, "-ex", add,
	       kernel_file(), (char *)NULL);
	fputs("barepmu: cannot run gdb: install it (Debian: apt-get install gdb)\n", stderr);
	_exit(STATUS_NOT_FOUND);
}

void debugger_start(const char *program)
{
	char *add = program && has_fixed_addresses(program)
			? format_text("add-symbol-file %s", program)
			: format_text("echo");

	if (!socket_path)
		return;
	debugger = fork();
	if (debugger == 0)
		become_gdb(add);
	if (debugger < 0)
		die(STATUS_OURS, "cannot start gdb: %s", strerror(errno));
	signal(SIGINT, SIG_IGN);
}

void debugger_wait(void)
{
	while (debugger > 0 && waitpid(debugger, NULL, 0) < 0 && errno == EINTR)
		;
	debugger = 0;
}

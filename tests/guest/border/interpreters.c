/* SPDX-License-Identifier: BSD-2-Clause */
/* A user's program may name as its interpreter, by PT_INTERP or by #!, only files that the user may
 * execute. */
#include "tests/guest/border/credentials.h"
#include <elf.h>
#include <stddef.h>

#define INTERPRETER "/tmp/interpreters/interpreter"
#define PROGRAM     "/tmp/interpreters/program"
#define EXIT_STATUS 42

/* A program that ends with EXIT_STATUS, wherever it is mapped. */
struct small {
	Elf64_Ehdr header;
	Elf64_Phdr segments[2];
	char name[64];
	unsigned char code[16];
	char rest[4096];
};

static void write_file(const char *path, const void *bytes, size_t length, mode_t mode)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0700);

	write(fd, bytes, length);
	close(fd);
	chmod(path, mode);
}

/* `interpreter` NULL: it needs none. */
static void write_program(const char *path, const char *interpreter, mode_t mode)
{
	/* mov eax, SYS_exit; mov edi, EXIT_STATUS; syscall */
	struct small small = {.code = {0xb8, 60, 0, 0, 0, 0xbf, EXIT_STATUS, 0, 0, 0, 0x0f, 0x05}};

	memcpy(small.header.e_ident, ELFMAG "\2\1\1", 7);
	small.header.e_type = ET_DYN;
	small.header.e_machine = EM_X86_64;
	small.header.e_version = 1;
	small.header.e_ehsize = sizeof(small.header);
	small.header.e_phentsize = sizeof(Elf64_Phdr);
	small.header.e_phoff = offsetof(struct small, segments);
	small.header.e_phnum = interpreter ? 2 : 1;
	small.header.e_entry = offsetof(struct small, code);
	small.segments[0] = (Elf64_Phdr){.p_type = PT_LOAD,
					 .p_flags = PF_R | PF_X,
					 .p_filesz = 4096,
					 .p_memsz = 4096,
					 .p_align = 4096};
	if (interpreter) {
		strcpy(small.name, interpreter);
		small.segments[1] = (Elf64_Phdr){.p_type = PT_INTERP,
						 .p_offset = offsetof(struct small, name),
						 .p_filesz = strlen(interpreter) + 1};
	}
	write_file(path, &small, sizeof(small), mode);
}

/* The exit status of the program, which the user executes, or minus the errno of that. */
static int execute(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		set_gids(USER, USER, USER);
		set_uids(USER, USER, USER);
		execl(PROGRAM, PROGRAM, (char *)NULL);
		_exit(errno | 0x80);
	}
	waitpid(pid, &status, 0);
	status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
	return status >= 0x80 && status < 1000 ? -(status & 0x7f) : status;
}

static const struct {
	const char *name, *path;
	mode_t mode;
	int wanted;
} cases[] = {
    {"that all may execute", INTERPRETER, 0755, EXIT_STATUS},
    {"that all may execute, not read", INTERPRETER, 0711, EXIT_STATUS},
    {"that all may read, not execute", INTERPRETER, 0644, -EACCES},
    {"that its owner may execute", INTERPRETER, 0700, -EACCES},
    {"that its owner may read", INTERPRETER, 0600, -EACCES},
    {"in a directory that is closed to the user", "/tmp/interpreters/closed/file", 0755, -EACCES},
    {"that is a directory", "/tmp/interpreters", 0755, -EACCES},
    {"that is not there", "/tmp/interpreters/absent", 0755, -ENOENT},
};

int main(void)
{
	char line[128];

	mkdir("/tmp", 01777);
	chmod("/tmp", 01777);
	mkdir("/tmp/interpreters", 0755);
	mkdir("/tmp/interpreters/closed", 0700);
	write_program("/tmp/interpreters/closed/file", NULL, 0755);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		write_program(INTERPRETER, NULL, cases[i].mode);
		write_program(PROGRAM, cases[i].path, 0755);
		ok(execute() == cases[i].wanted, "PT_INTERP names a file %s", cases[i].name);
		snprintf(line, sizeof(line), "#!%s\n", cases[i].path);
		write_file(PROGRAM, line, strlen(line), 0755);
		ok(execute() == cases[i].wanted, "#! names a file %s", cases[i].name);
	}
	return tap_end();
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Core files: the conditions for one, the status that the parent reads, notes and segments. */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/guest/tap.h"

#define PAGE   4096ul
#define MARK   0x6b72616d65726f63ul
#define DUMPED (SIGABRT | 0x80)

static uint64_t *marked, *hidden; /* memory of the process that fails; the latter is left out */

static void nothing(void)
{
}

static void not_dumpable(void)
{
	prctl(PR_SET_DUMPABLE, 0);
}

static void mark_memory(void)
{
	const int prot = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;

	marked = mmap(marked, PAGE, prot, flags | MAP_FIXED, -1, 0);
	hidden = mmap(hidden, PAGE, prot, flags | MAP_FIXED, -1, 0);
	*marked = *hidden = MARK;
	madvise(hidden, PAGE, MADV_DONTDUMP);
}

/* Starts a process that aborts with this limit. */
static pid_t start(rlim_t limit, void (*prepare)(void))
{
	const struct rlimit core = {limit, RLIM_INFINITY};
	pid_t pid = fork();

	if (!pid) {
		setrlimit(RLIMIT_CORE, &core);
		prepare();
		abort();
	}
	return pid;
}

/* Returns its status, and whether there is a file, which is removed. */
static int status_of(rlim_t limit, void (*prepare)(void), int *file)
{
	int status = 0;

	waitpid(start(limit, prepare), &status, 0);
	*file = unlink("core") == 0;
	return status;
}

static void test_conditions(void)
{
	int file;

	is(status_of(0, nothing, &file), SIGABRT, "RLIMIT_CORE 0: no core in the status");
	is(file, 0, "RLIMIT_CORE 0: no file");
	is(status_of(PAGE - 1, nothing, &file), SIGABRT, "less than a page: no core");
	is(file, 0, "less than a page: no file");
	is(status_of(RLIM_INFINITY, nothing, &file), DUMPED, "no limit: a core in the status");
	is(file, 1, "no limit: a file");
	is(status_of(2 * PAGE, nothing, &file), DUMPED, "a limit that is too small: also");
	is(file, 1, "a limit that is too small: a part of the file");
	is(status_of(RLIM_INFINITY, not_dumpable, &file), SIGABRT, "PR_SET_DUMPABLE 0: no core");
	is(file, 0, "PR_SET_DUMPABLE 0: no file");
}

/* A file that is there already is removed, not written. */
static void test_files(void)
{
	struct stat stat;
	int file;

	close(open("target", O_CREAT | O_WRONLY, 0644));
	link("target", "core");
	is(status_of(RLIM_INFINITY, nothing, &file), DUMPED, "a file with two names");
	symlink("target", "core");
	is(status_of(RLIM_INFINITY, nothing, &file), DUMPED, "a symbolic link");
	lstat("target", &stat);
	is((long)stat.st_size, 0, "another name's file is not written");
	is(stat.st_nlink, 1, "another name's file has lost the name");
	unlink("target");
	mkdir("core", 0700);
	is(status_of(RLIM_INFINITY, nothing, &file), SIGABRT, "a directory");
	rmdir("core");
}

static void test_waitid(void)
{
	siginfo_t info = {0};

	waitid(P_PID, (id_t)start(RLIM_INFINITY, nothing), &info, WEXITED);
	is(info.si_code, CLD_DUMPED, "waitid: CLD_DUMPED");
	is(info.si_status, SIGABRT, "waitid: the signal");
}

/* ---- the contents ---- */

static char *bytes; /* of the file */

static const Elf64_Phdr *segment_at(const void *address)
{
	const Elf64_Ehdr *elf = (const void *)bytes;
	const Elf64_Phdr *header = (const void *)(bytes + elf->e_phoff);

	for (unsigned i = 0; i < elf->e_phnum; i++)
		if (header[i].p_type == PT_LOAD && header[i].p_vaddr <= (uint64_t)address &&
		    (uint64_t)address < header[i].p_vaddr + header[i].p_memsz)
			return &header[i];
	return NULL;
}

/* Returns the description of the first note of the type, NULL: none. */
static const char *note(uint32_t type, uint32_t *size)
{
	const Elf64_Ehdr *elf = (const void *)bytes;
	const Elf64_Phdr *notes = (const void *)(bytes + elf->e_phoff);
	uint64_t at = notes->p_offset, end = at + notes->p_filesz;

	while (at < end) {
		const Elf64_Nhdr *header = (const void *)(bytes + at);
		uint64_t data = at + sizeof(*header) + ((header->n_namesz + 3) & ~3ul);

		*size = header->n_descsz;
		if (header->n_type == type)
			return bytes + data;
		at = data + ((header->n_descsz + 3) & ~3ul);
	}
	return NULL;
}

static void check_notes(pid_t pid)
{
	static const uint32_t types[] = {NT_PRSTATUS, NT_PRPSINFO, NT_SIGINFO,
					 NT_AUXV,     NT_FILE,     NT_PRFPREG};
	const char *status, *identity;
	uint32_t size;

	for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		ok(note(types[i], &size) != NULL, "there is a note of type %x", types[i]);
	status = note(NT_PRSTATUS, &size);
	is(size, 336, "NT_PRSTATUS: its size");
	is(*(const int32_t *)status, SIGABRT, "NT_PRSTATUS: the signal");
	is(*(const int32_t *)(status + 32), pid, "NT_PRSTATUS: the thread");
	identity = note(NT_PRPSINFO, &size);
	is(size, 136, "NT_PRPSINFO: its size");
	ok(strstr(identity + 40, "core_files") == identity + 40, "NT_PRPSINFO: the name");
}

static void check_memory(void)
{
	const Elf64_Phdr *segment = segment_at(marked);

	is(segment ? (long)segment->p_filesz : -1, PAGE, "memory of its own has bytes in the file");
	if (segment && segment->p_filesz)
		is(*(const long *)(bytes + segment->p_offset +
				   ((uint64_t)marked - segment->p_vaddr)),
		   (long)MARK, "memory of its own: the bytes");
	segment = segment_at(hidden);
	is(segment ? (long)segment->p_filesz : -1, 0, "MADV_DONTDUMP: it has none");
}

static void test_contents(void)
{
	struct stat stat;
	pid_t pid;
	int fd;

	marked = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	hidden = marked + 2 * PAGE / sizeof(*hidden);
	pid = start(RLIM_INFINITY, mark_memory);
	waitpid(pid, NULL, 0);
	fd = open("core", O_RDONLY);
	fstat(fd, &stat);
	is(stat.st_mode & 0777, 0600, "only its owner may read the file");
	bytes = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	is(memcmp(bytes, ELFMAG, SELFMAG), 0, "it is an ELF file");
	is(((const Elf64_Ehdr *)bytes)->e_type, ET_CORE, "of type ET_CORE");
	check_notes(pid);
	check_memory();
	close(fd);
	unlink("core");
}

#define HUGE_AREA (1ul << 40)

/* Areas far larger than their contents: two of anonymous memory, and one of a file. */
static void map_widely(void)
{
	int fd = open("sparse", O_RDWR | O_CREAT, 0600);
	char *area;

	mmap(NULL, HUGE_AREA, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	area = mmap(NULL, HUGE_AREA, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	area[HUGE_AREA / 2] = 1;
	ftruncate(fd, PAGE);
	area = mmap(NULL, HUGE_AREA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
	area[0] = 1;
}

/* Pages take time, not addresses. (Linux walks the latter: there this lasts.) */
static void test_wide_areas(void)
{
	int file;

	alarm(60);
	is(status_of(64 * PAGE, map_widely, &file), DUMPED, "areas of 1 TiB: a core");
	alarm(0);
	unlink("sparse");
}

int main(void)
{
	char directory[] = "/tmp/core_files-XXXXXX";

	if (!mkdtemp(directory) || chdir(directory))
		return tap_skip_all("no directory");
	test_conditions();
	test_files();
	test_waitid();
	unlink("core");
	test_contents();
	test_wide_areas();
	return tap_end();
}

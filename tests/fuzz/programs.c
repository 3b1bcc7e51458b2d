/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are no programs, or nearly: execve(2) of truncated and mutated ELF files gives an
 * errno or a program that a signal ends, never more. The victim is a minimal ELF file that is made
 * here. */
#include "tests/fuzz/fuzz.h"
#include <elf.h>
#include <stddef.h>
#include <sys/stat.h>

#define VICTIM    "/tmp/victim"
#define LOADED_AT 0x400000ul
#define MUTATIONS 500
#define LOOPS_MS  1000 /* milliseconds of mutated code, which may do anything */
#define SUCCESS   33
#define REFUSED   100 /* exit statuses from here on: refused with an errno */
/* ENOEXEC, or SIGSEGV as on Linux, which finds out after the point of no return. */
#define BAD 200

static struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segments[4];
	unsigned char code[32];
	char interpreter[16];
	unsigned char data[256];
} image;

/* exit(SUCCESS) if the word after the file's data is zero. */
static const unsigned char code[] = {
    0xbf, SUCCESS, 0, 0, 0, /* mov edi, SUCCESS */
    0xb8, 60,      0, 0, 0, /* mov eax, 60 */
    0x0f, 0x05,             /* syscall */
};

static void make_image(void)
{
	memset(&image, 0, sizeof(image));
	memcpy(image.header.e_ident, ELFMAG, SELFMAG);
	image.header.e_ident[EI_CLASS] = ELFCLASS64;
	image.header.e_ident[EI_DATA] = ELFDATA2LSB;
	image.header.e_ident[EI_VERSION] = EV_CURRENT;
	image.header.e_type = ET_EXEC;
	image.header.e_machine = EM_X86_64;
	image.header.e_version = EV_CURRENT;
	image.header.e_entry = LOADED_AT + offsetof(struct image, code);
	image.header.e_phoff = offsetof(struct image, segments);
	image.header.e_ehsize = sizeof(image.header);
	image.header.e_phentsize = sizeof(image.segments[0]);
	image.header.e_phnum = 3;
	image.segments[0] = (Elf64_Phdr){.p_type = PT_LOAD,
					 .p_flags = PF_R | PF_X,
					 .p_vaddr = LOADED_AT,
					 .p_filesz = sizeof(image),
					 .p_memsz = sizeof(image),
					 .p_align = PAGE};
	image.segments[1] = (Elf64_Phdr){.p_type = PT_LOAD,
					 .p_flags = PF_R | PF_W,
					 .p_vaddr = LOADED_AT + 4 * PAGE,
					 .p_filesz = sizeof(image),
					 .p_memsz = 3 * PAGE,
					 .p_align = PAGE};
	image.segments[2] = (Elf64_Phdr){.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W};
	memcpy(image.code, code, sizeof(code));
	memcpy(image.interpreter, "/tmp/victim", 12);
}

static void store(size_t bytes)
{
	int fd = open(VICTIM, O_WRONLY | O_CREAT | O_TRUNC, 0700);

	if (fd < 0 || write(fd, &image, bytes) != (ssize_t)bytes)
		printf("# cannot write %zu bytes\n", bytes);
	close(fd);
}

static void execute(uint64_t argument)
{
	(void)argument;
	execl(VICTIM, VICTIM, (char *)NULL);
	_exit(REFUSED + errno);
}

/* How it ends: minus a signal, SUCCESS, or REFUSED + errno; REFUSED: did not end in that time. */
static int run(unsigned ms)
{
	int status = contained(execute, 0, ms);

	return status == -1          ? REFUSED
	       : WIFSIGNALED(status) ? -WTERMSIG(status)
				     : WEXITSTATUS(status);
}

/* True if a bad file may end so. */
static bool is_acceptable(int end)
{
	switch (end) {
	case SUCCESS:
	case REFUSED: /* runs forever */
	case -SIGSEGV:
	case -SIGBUS:
	case -SIGILL:
	case -SIGTRAP:
	case -SIGFPE:
	case -SIGKILL: /* too late for an errno */
	case REFUSED + ENOEXEC:
	case REFUSED + EINVAL:
	case REFUSED + ENOMEM:
	case REFUSED + EPERM:
	case REFUSED + EIO:
	case REFUSED + EFAULT:
	case REFUSED + ELIBBAD:
	case REFUSED + ENOENT:
	case REFUSED + EACCES:
	case REFUSED + ELOOP:
		return true;
	default:
		return end > REFUSED - SUCCESS && end < REFUSED; /* wherever mutated code leads */
	}
}

static void truncated_files(void)
{
	unsigned wrong = 0, refused = 0;

	make_image();
	for (size_t bytes = 0; bytes <= sizeof(image); bytes += bytes < 400 ? 4 : 16) {
		int end;

		store(bytes);
		end = run(ENDS_MS);
		refused += end == REFUSED + ENOEXEC;
		wrong += !is_acceptable(end);
		if (!is_acceptable(end))
			printf("# %zu bytes: %d\n", bytes, end);
	}
	is(wrong, 0, "truncated files");
	ok(refused > sizeof(Elf64_Ehdr) / 4, "without all headers: ENOEXEC");
}

static uint64_t odd_value(void)
{
	static const uint64_t values[] = {0,
					  1,
					  2,
					  3,
					  56,
					  PAGE,
					  0xffff,
					  LOADED_AT,
					  LOADED_AT + PAGE - 1,
					  0x7fffffffe000,
					  0x7ffffffff000,
					  0x800000000000,
					  KERNEL_MAP,
					  KERNEL,
					  1ul << 31,
					  1ul << 32,
					  1ul << 46,
					  1ul << 63,
					  -1ul,
					  -PAGE,
					  -64ul};

	return random_below(4) ? PICK(values) : random_u64() >> random_below(64);
}

/* Changes one field of the headers, or one byte. */
static void mutate(void)
{
	unsigned char *bytes = (unsigned char *)&image;
	uint64_t value = odd_value();
	Elf64_Phdr *segment = &image.segments[random_below(3)];

	switch (random_below(16)) {
	case 0:
		image.header.e_entry = value;
		break;
	case 1:
		image.header.e_phoff = value;
		break;
	case 2:
		image.header.e_phnum = (uint16_t)value;
		break;
	case 3:
		image.header.e_type = random_below(2) ? ET_DYN : (uint16_t)value;
		break;
	case 4:
		image.header.e_phentsize = (uint16_t)value;
		break;
	case 5:
	case 6:
		segment->p_vaddr = value;
		break;
	case 7:
		segment->p_offset = value;
		break;
	case 8:
		segment->p_filesz = value;
		break;
	case 9:
	case 10:
		segment->p_memsz = value;
		break;
	case 11:
		segment->p_flags = (uint32_t)value;
		break;
	case 12:
		segment->p_align = value;
		break;
	case 13:
		segment->p_type = random_below(2) ? random_below(8) : (uint32_t)value;
		segment->p_offset = offsetof(struct image, interpreter);
		segment->p_filesz = random_below(20);
		break;
	default:
		bytes[random_below(offsetof(struct image, code))] = (unsigned char)random_u64();
	}
}

static void mutated_files(void)
{
	unsigned wrong = 0, succeeded = 0;

	for (unsigned i = 0; i < MUTATIONS; i++) {
		int end;

		random_seed(i);
		make_image();
		for (unsigned n = 1 + random_below(3); n; n--)
			mutate();
		store(sizeof(image));
		end = run(LOOPS_MS);
		succeeded += end == SUCCESS;
		if (is_acceptable(end))
			continue;
		wrong++;
		printf("# mutation %u: %d\n", i, end);
	}
	printf("# %u of %d ran all the same\n", succeeded, MUTATIONS);
	is(wrong, 0, "mutated files");
}

/* Linux's answers to each of these. */
static const struct {
	const char *name;
	size_t offset, bytes;
	uint64_t value;
	int wanted;
} fields[] = {
#define HEADER(field)  offsetof(struct image, header.field), sizeof(image.header.field)
#define SEGMENT(field) offsetof(struct image, segments[1].field), sizeof(image.segments[1].field)
    {"as it is", HEADER(e_version), EV_CURRENT, SUCCESS},
    {"no program headers", HEADER(e_phnum), 0, REFUSED + ENOEXEC},
    {"program headers of another size", HEADER(e_phentsize), 32, REFUSED + ENOEXEC},
    {"program headers past the end", HEADER(e_phoff), 1 << 20, REFUSED + ENOEXEC},
    {"program headers before the start", HEADER(e_phoff), -64ul, REFUSED + ENOEXEC},
    {"another machine", HEADER(e_machine), 40, REFUSED + ENOEXEC},
    {"an object file", HEADER(e_type), ET_REL, REFUSED + ENOEXEC},
    {"entry at 0", HEADER(e_entry), 0, -SIGSEGV},
    {"entry in the kernel", HEADER(e_entry), KERNEL, -SIGSEGV},
    {"more bytes of file than of memory", SEGMENT(p_memsz), 8, BAD},
    {"a segment in the kernel", SEGMENT(p_vaddr), KERNEL_MAP, BAD},
    {"a segment over the end of ring 3", SEGMENT(p_vaddr), 0x7fffffffe000, BAD},
    {"a segment larger than ring 3", SEGMENT(p_memsz), 1ul << 47, BAD},
};

static void single_fields(void)
{
	for (unsigned i = 0; i < COUNT(fields); i++) {
		int end;

		make_image();
		memcpy((char *)&image + fields[i].offset, &fields[i].value, fields[i].bytes);
		store(sizeof(image));
		end = run(ENDS_MS);
		if (fields[i].wanted == BAD && (end == -SIGSEGV || end == REFUSED + ENOEXEC))
			end = BAD;
		if (!ok(end == fields[i].wanted, "%s", fields[i].name))
			printf("# got %d, wanted %d (minus a signal, or %d + errno)\n", end,
			       fields[i].wanted, REFUSED);
	}
}

/* Files that start with #!. */
static void scripts(void)
{
	static const struct {
		const char *text;
		int wanted;
	} lines[] = {
	    {"#! \n", REFUSED + ENOEXEC},
	    {"#!/nothing\n", REFUSED + ENOENT},
	    {"#!/tmp\n", REFUSED + EACCES},
	    {"#!/tmp/victim\n", REFUSED + ELOOP},
	    {"#!/tmp/victim with an argument\n", REFUSED + ELOOP},
	};

	for (unsigned i = 0; i < COUNT(lines); i++) {
		int fd = open(VICTIM, O_WRONLY | O_CREAT | O_TRUNC, 0700), end;

		write(fd, lines[i].text, strlen(lines[i].text));
		close(fd);
		end = run(ENDS_MS);
		if (!ok(end == lines[i].wanted, "script %u", i))
			printf("# got %d, wanted %d\n", end, lines[i].wanted);
	}
}

int main(int argc, char **argv)
{
	uint64_t before, after;

	be_well_first(argc, argv);
	single_fields();
	scripts();
	truncated_files();
	before = free_memory();
	mutated_files();
	after = free_memory();
	printf("# free: %lu KiB before, %lu KiB after\n", before >> 10, after >> 10);
	ok(after + 128 * 1024 > before, "no memory is lost");
	system_is_well("all this");
	unlink(VICTIM);
	return tap_end();
}

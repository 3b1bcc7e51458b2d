/* SPDX-License-Identifier: BSD-2-Clause */
/* Disk images that UEFI boots: for a USB stick, and for OVMF in QEMU. */
#include "abi/page.h"
#include "host/image/disk.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/firmware/boot.h"
#include "host/lib/home.h"
#include "host/lib/report.h"
#include "host/lib/text.h"
#include "host/machine/machine.h"

#define LOADER_PATH "/EFI/BOOT/BOOTX64.EFI"
#define OVMF        "/usr/share/OVMF/OVMF_" /* Debian's package ovmf */

static char *scratch; /* directory for intermediate files; removed at the end */

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
	(void)info;
	(void)kind;
	(void)walk;
	return remove(path);
}

static void remove_scratch(void)
{
	nftw(scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static const char *scratch_directory(void)
{
	const char *top = getenv("TMPDIR");

	if (scratch)
		return scratch;
	scratch = format_text("%s/barepmu-XXXXXX", top && *top ? top : "/tmp");
	if (!mkdtemp(scratch))
		die(STATUS_OURS, "cannot make a directory below '%s': %s", top ? top : "/tmp",
		    strerror(errno));
	atexit(remove_scratch);
	return scratch;
}

static char *write_scratch(const char *name, const void *bytes, size_t size)
{
	char *path = format_text("%s/%s", scratch_directory(), name);
	FILE *file = fopen(path, "wbe");

	if (!file || (size && fwrite(bytes, size, 1, file) != 1) || fclose(file))
		die(STATUS_OURS, "cannot write '%s': %s", path, strerror(errno));
	return path;
}

/* Runs a program. Returns wait(2)'s status, or -1. */
static int run_tool(struct words *words)
{
	pid_t pid = fork();
	int status;

	add_word(words, NULL);
	if (pid == 0) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execvp(words->word[0], (char **)words->word);
		_exit(STATUS_NOT_FOUND);
	}
	return pid < 0 || waitpid(pid, &status, 0) < 0 ? -1 : status;
}

/* Runs mkimage.sh IMAGE HOSTFILE:PATH... */
static void make_image(struct words *words)
{
	int status = run_tool(words);

	if (status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 1)
		exit(STATUS_OURS); /* it has said why */
	if (status)
		die(STATUS_OURS, "cannot make the disk image '%s'", words->word[1]);
}

static void image_file(struct words *words, const char *host_path, const char *path)
{
	add_word(words, format_text("%s:%s", host_path, path));
}

static void start_image(struct words *words, const char *path)
{
	add_word(words, home_file("mkimage.sh"));
	add_word(words, path);
}

/* Adds kernel, applications and command line. */
static void our_files(struct words *words, const struct buffer *initrd, const char *command_line)
{
	image_file(words, kernel_file(), "/barepmu/kernel.elf");
	image_file(words, write_scratch("initrd.cpio", initrd->bytes, initrd->size),
		   "/barepmu/initrd.cpio");
	image_file(words, write_scratch("cmdline", command_line, strlen(command_line)),
		   "/barepmu/cmdline");
}

char *make_stick(const struct stick *stick, const char *path)
{
	struct words words = {.nr = 0};
	char *disk =
	    path ? format_text("%s", path) : format_text("%s/stick.img", scratch_directory());

	start_image(&words, disk);
	image_file(&words, home_file("BOOTX64.EFI"),
		   stick->visor ? "/barepmu/loader.efi" : LOADER_PATH);
	if (stick->visor) {
		image_file(&words, home_file("visor.efi"), LOADER_PATH);
		image_file(&words, write_scratch("visor.cfg", stick->visor, strlen(stick->visor)),
			   "/visor.cfg");
	}
	image_file(&words, write_scratch("jobs.toml", stick->jobs.bytes, stick->jobs.size),
		   "/barepmu/jobs.toml");
	if (stick->grub) {
		setenv("BIOS", "1", 1);
		image_file(&words, write_scratch("grub.cfg", stick->grub, strlen(stick->grub)),
			   "/boot/grub.cfg");
	}
	our_files(&words, stick->initrd, stick->command_line);
	make_image(&words);
	return disk;
}

/* ---- one file ---- */

#define FIRST_ADDRESS 0x1000000ul /* within the program, after the loader */

/* Adds a section with these bytes at *address, and advances *address. */
static void add_section(struct words *words, const char *name, const char *file,
			unsigned long *address)
{
	struct stat info;

	if (stat(file, &info))
		die(STATUS_OURS, "cannot read '%s': %s", file, strerror(errno));
	add_word(words, "--add-section");
	add_word(words, format_text("%s=%s", name, file));
	add_word(words, "--change-section-vma");
	add_word(words, format_text("%s=%#lx", name, *address));
	*address = (*address + (unsigned long)info.st_size + PAGE) & ~(PAGE - 1);
}

void make_efi_program(const struct stick *stick, const char *path)
{
	char *new = format_text("%s.new", path);
	unsigned long address = FIRST_ADDRESS;
	struct words words = {.nr = 0};
	int status;

	add_word(&words, "objcopy");
	add_word(&words, "--preserve-dates"); /* else the header has the time: no two are equal */
	add_section(&words, ".kernel", kernel_file(), &address);
	add_section(&words, ".cmdline",
		    write_scratch("cmdline", stick->command_line, strlen(stick->command_line)),
		    &address);
	add_section(&words, ".jobs",
		    write_scratch("jobs.toml", stick->jobs.bytes, stick->jobs.size), &address);
	add_section(&words, ".initrd",
		    write_scratch("initrd.cpio", stick->initrd->bytes, stick->initrd->size),
		    &address);
	add_word(&words, home_file("BOOTX64.EFI"));
	add_word(&words, new);
	status = run_tool(&words);
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_FOUND)
		die(STATUS_OURS, "an EFI program is made by objcopy: install binutils");
	if (status || rename(new, path)) {
		remove(new);
		die(STATUS_OURS, "cannot make '%s'", path);
	}
	free(new);
}

char *make_boot_disk(const struct buffer *initrd, const char *command_line)
{
	char *path = format_text("%s/boot.img", scratch_directory());
	struct words words = {.nr = 0};

	start_image(&words, path);
	image_file(&words, home_file("BOOTX64.EFI"), LOADER_PATH);
	our_files(&words, initrd, command_line);
	make_image(&words);
	return path;
}

char *make_efi_disk(const char *program, const char *initrd)
{
	char *path = format_text("%s/boot.img", scratch_directory());
	struct words words = {.nr = 0};

	start_image(&words, path);
	image_file(&words, program, LOADER_PATH);
	if (initrd)
		image_file(&words, initrd, "/initrd");
	make_image(&words);
	return path;
}

static void add_disk(struct words *words, const char *path, int index)
{
	add_word(words, "-drive");
	add_word(words, format_text("if=none,id=disk%d,format=raw,file=%s", index, path));
	add_word(words, "-device");
	add_word(words, format_text("virtio-blk-pci,drive=disk%d,bootindex=%d", index, index));
}

#define TPM_REGISTERS 0xfed40000ul
#define TPM_BYTES     0x5000ul
#define FOUR_GIB      0x100000000ul

/*
 * Builds OVMF as a ROM that ends at 4 GiB and starts at a TPM's registers, which read as all ones,
 * as on a machine without a TPM. With nothing there, QEMU returns 0: OVMF takes that for a TPM that
 * does not answer and polls it for 750 ms, two thirds of a start's host time. The gap takes no room
 * on the disk.
 */
static char *make_rom(void)
{
	struct buffer variables, code;
	char *path = format_text("%s/firmware.rom", scratch_directory());
	long end = (long)(FOUR_GIB - TPM_REGISTERS);
	FILE *file = fopen(path, "wbe");
	bool good = file;

	if (access(OVMF "CODE_4M.fd", R_OK))
		die(STATUS_OURS, "cannot find OVMF: install it (Debian: apt-get install ovmf)");
	variables = read_file(OVMF "VARS_4M.fd");
	code = read_file(OVMF "CODE_4M.fd");
	for (unsigned long i = 0; good && i < TPM_BYTES; i++)
		good = fputc(0xff, file) != EOF;
	good = good && !fseek(file, end - (long)(variables.size + code.size), SEEK_SET) &&
	       fwrite(variables.bytes, variables.size, 1, file) == 1 &&
	       fwrite(code.bytes, code.size, 1, file) == 1;
	if (!good || fclose(file))
		die(STATUS_OURS, "cannot write '%s': %s", path, strerror(errno));
	free(variables.bytes);
	free(code.bytes);
	return path;
}

void firmware_words(struct words *words, const struct options *options, const char *disk)
{
	char *visor = visor_options(options), *visor_disk;
	struct words visor_words = {.nr = 0};

	if (!options->profile.flash.nr) {
		add_word(words, "-bios");
		add_word(words, make_rom());
	}
	if (disk)
		add_disk(words, disk, 2);
	if (!visor)
		return;
	visor_disk = format_text("%s/visor.img", scratch_directory());
	start_image(&visor_words, visor_disk);
	image_file(&visor_words, home_file("visor.efi"), LOADER_PATH);
	if (options->efi)
		visor = format_text("%s -- %s", visor, efi_command_line(options));
	image_file(&visor_words, write_scratch("visor.cfg", visor, strlen(visor)), "/visor.cfg");
	make_image(&visor_words);
	add_disk(words, visor_disk, 1);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs another kernel, or a UEFI program, under the emulated PMU, with its serial console on our
 * terminal. */
#include "host/firmware/boot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/core.h"
#include "host/firmware/boot_profile.h"
#include "host/image/disk.h"
#include "host/lib/home.h"
#include "host/lib/report.h"
#include "host/lib/text.h"
#include "host/machine/inherited.h"
#include "host/machine/machine.h"
#include "host/machine/qemu.h"
#include "host/machine/terminal.h"

/* Fields of a PE32+ file that UEFI reads: the position of the signature, and offsets from it. */
enum {
	PE_POINTER = 0x3c,
	PE_MACHINE = 4,
	PE_MAGIC = 24,
	PE_SUBSYSTEM = 92,
	PE_HEADERS = 94,
	MACHINE_X86_64 = 0x8664,
	MAGIC_PE32_PLUS = 0x20b,
	SUBSYSTEM_APPLICATION = 10,
	SUBSYSTEM_RUNTIME_DRIVER = 12
};

static unsigned word_at(const unsigned char *bytes)
{
	return bytes[0] | (unsigned)bytes[1] << 8;
}

static bool is_efi_program(const struct buffer *file)
{
	const unsigned char *pe;
	size_t at;

	if (file->size < PE_POINTER + 4 || memcmp(file->bytes, "MZ", 2))
		return false;
	at = word_at(file->bytes + PE_POINTER) | (size_t)word_at(file->bytes + PE_POINTER + 2)
						     << 16;
	if (at > file->size || file->size - at < PE_HEADERS)
		return false;
	pe = file->bytes + at;
	return !memcmp(pe, "PE\0\0", 4) && word_at(pe + PE_MACHINE) == MACHINE_X86_64 &&
	       word_at(pe + PE_MAGIC) == MAGIC_PE32_PLUS &&
	       word_at(pe + PE_SUBSYSTEM) >= SUBSYSTEM_APPLICATION &&
	       word_at(pe + PE_SUBSYSTEM) <= SUBSYSTEM_RUNTIME_DRIVER;
}

/* Checks the program before the start: firmware detects errors late, and reports them less
 * clearly. */
static void check_efi(const char *path)
{
	struct buffer file = read_file(path);

	if (!is_efi_program(&file))
		die(STATUS_OURS,
		    "'%s' is not an EFI program for x86-64: --kernel FILE boots other kernels",
		    path);
	free(file.bytes);
}

static void kernel_words(struct words *words, const struct options *options)
{
	char *visor = visor_options(options);
	struct buffer initrd = {NULL, 0, 0}, kernel;
	const char *append = options->append ? options->append : "";
	int fd;

	if (options->initrd)
		initrd = read_file(options->initrd);
	add_word(words, "-append");
	add_word(words, visor ? format_text("%s -- %s", visor, append) : append);
	add_word(words, "-kernel");
	add_word(words, visor ? home_file("visor.elf") : options->kernel);
	if (!visor && !options->initrd)
		return;
	if (visor) {
		kernel = read_file(options->kernel);
		fd = bundle_file(&kernel, &initrd, options->kernel, options->initrd);
	} else {
		fd = memory_file(&initrd);
	}
	add_word(words, "-initrd");
	add_word(words, format_text("/dev/fd/%d", inherited(fd)));
}

char *efi_command_line(const struct options *options)
{
	return format_text("%s%s", options->append ? options->append : "",
			   options->initrd ? " initrd=\\initrd" : "");
}

/* Without the visor only OVMF can pass load options; it takes them, and the program, from QEMU. */
static void efi_words(struct words *words, const struct options *options)
{
	bool plain = !visor_options(options) && (options->append || options->initrd);

	if (!plain) {
		firmware_words(words, options, make_efi_disk(options->efi, options->initrd));
		return;
	}
	firmware_words(words, options, NULL);
	add_word(words, "-kernel");
	add_word(words, options->efi);
	add_word(words, "-append");
	add_word(words, options->append ? options->append : "");
	if (options->initrd) {
		add_word(words, "-initrd");
		add_word(words, options->initrd);
	}
}

/* On a terminal all keys go to the machine except QEMU's own: Ctrl-] in place of Ctrl-A, which
 * people type. */
static void console_words(struct words *words)
{
	bool typed = terminal_typed();

	add_word(words, "-chardev");
	add_word(words, typed ? "stdio,id=com1,signal=off,mux=on" : "stdio,id=com1,signal=off");
	add_word(words, "-serial");
	add_word(words, "chardev:com1");
	if (typed) {
		add_word(words, "-echr");
		add_word(words, "0x1d");
	}
}

/* OVMF and SeaBIOS write their logs there when the port answers. */
static void add_debug_port(struct words *words)
{
	add_word(words, "-chardev");
	add_word(words, "null,id=debug");
	add_word(words, "-device");
	add_word(words, "isa-debugcon,iobase=0x402,chardev=debug");
}

/* True for a bzImage (Linux Documentation/arch/x86/boot.rst, "header"). */
static bool is_linux(const char *path)
{
	FILE *file = fopen(path, "re");
	char magic[4] = "";
	bool good = file && !fseek(file, 0x202, SEEK_SET) && fread(magic, sizeof(magic), 1, file);

	if (file)
		fclose(file);
	return good && !memcmp(magic, "HdrS", sizeof(magic));
}

static void print_how_to_leave(const struct options *options)
{
	if (terminal_typed())
		fputs("barepmu: Ctrl-] and x leave the machine\n", stderr);
	if (options->kernel && is_linux(options->kernel) &&
	    (!options->append || !strstr(options->append, "console=")))
		fputs("barepmu: --append names no console: a Linux kernel prints here with "
		      "--append console=ttyS0\n",
		      stderr);
	if (!options->timeout)
		fputs("barepmu: no time limit: --timeout S sets one\n", stderr);
}

/* Chips of flash, whose changes are not kept. Firmware that QEMU sees as EDK2's with SMM locks them
 * to SMM. */
static void flash_words(struct words *words, const struct words *files)
{
	if (!files->nr)
		return;
	add_word(words, "-global");
	add_word(words, "driver=cfi.pflash01,property=secure,value=on");
	for (int i = 0; i < files->nr; i++) {
		add_word(words, "-drive");
		add_word(words, format_text("if=pflash,format=raw,snapshot=on,unit=%d,file=%s", i,
					    files->word[i]));
	}
}

/* Adds what is to boot: a kernel, an EFI program, or firmware with or without a disk. */
static void guest_words(struct words *words, const struct options *options)
{
	const struct profile_request *profile = &options->profile;

	if (profile->bios) {
		add_word(words, "-bios");
		add_word(words, profile->bios);
	}
	flash_words(words, &profile->flash);
	if (profile->disk) {
		add_word(words, "-drive");
		add_word(words,
			 format_text("if=virtio,format=raw,snapshot=on,file=%s", profile->disk));
	}
	if (profile->debug_port)
		add_debug_port(words);
	if (options->efi)
		efi_words(words, options);
	else if (options->kernel)
		kernel_words(words, options);
	else if (options->firmware == FIRMWARE_OVMF && !profile->flash.nr)
		firmware_words(words, options, NULL);
}

void boot_check(struct options *options)
{
	const struct profile_request *profile = &options->profile;

	profile_check(&options->profile);
	if (profile->diff) {
		if (!*options->program || options->program[1])
			die(STATUS_OURS, "boot --diff OLD.json wants one NEW.json");
		return;
	}
	if (options->kernel && options->efi)
		die(STATUS_OURS, "boot wants either --kernel FILE or --efi FILE");
	if (!options->kernel && !options->efi && !profile_wanted(profile))
		die(STATUS_OURS, "boot wants either --kernel FILE or --efi FILE");
	if ((profile->bios || profile->flash.nr || profile->disk || profile->debug_port) &&
	    !profile_wanted(profile))
		die(STATUS_OURS,
		    "--bios, --flash, --disk and --debug-port belong to boot with --record");
	if (!!profile->bios + !!profile->flash.nr + (options->firmware == FIRMWARE_OVMF) > 1)
		die(STATUS_OURS,
		    "--bios, --flash and --firmware are several firmwares: choose one");
	if (profile->flash.nr && strcmp(options->pmu, "none"))
		die(STATUS_OURS, "--flash has no place for the visor: --pmu none");
}

static int run(const struct options *options, struct words *words)
{
	bool profiled = profile_wanted(&options->profile);
	int stopped = 0, status;

	status = qemu_run((char **)words->word, options->timeout, profiled ? &stopped : NULL);
	return profiled ? profile_finish(options, status, stopped) : status;
}

int boot_other(struct options *options)
{
	struct words words = {.nr = 0};
	int status;
	const char *version;

	if (options->profile.diff)
		return profile_compare(options);
	if (options->efi) {
		check_efi(options->efi);
		options->firmware = FIRMWARE_OVMF; /* icount's shift depends on it */
	}
	version = qemu_check();
	machine_words(&words, options);
	if (profile_wanted(&options->profile))
		profile_words(&words, options, version);
	else
		core_words(&words, options, version);
	console_words(&words);
	guest_words(&words, options);
	add_word(&words, NULL);
	print_how_to_leave(options);
	status = run(options, &words);
	if (status == STATUS_OURS)
		die(STATUS_OURS, "the visor stopped the machine: the console says why");
	return status;
}

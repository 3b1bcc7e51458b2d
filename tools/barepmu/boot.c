/* SPDX-License-Identifier: BSD-2-Clause */
/* Another kernel, or UEFI program, under the emulated PMU, with its serial console on our terminal.
 */
#include "tools/barepmu/barepmu.h"

#include <stdlib.h>
#include <string.h>

/* Returns what QEMU finds at /dev/fd/5, or -1: nothing. */
static int kernel_words(struct words *words, const struct options *options)
{
	char *visor = visor_options(options);
	struct buffer initrd = {NULL, 0, 0}, kernel;
	const char *append = options->append ? options->append : "";

	if (options->initrd)
		initrd = read_file(options->initrd);
	add_word(words, "-append");
	add_word(words, visor ? format_text("%s -- %s", visor, append) : append);
	add_word(words, "-kernel");
	add_word(words, visor ? home_file("visor.elf") : options->kernel);
	if (!visor && !options->initrd)
		return -1;
	add_word(words, "-initrd");
	add_word(words, "/dev/fd/5");
	if (!visor)
		return memory_file(&initrd);
	kernel = read_file(options->kernel);
	return memory_file(make_bundle(&kernel, &initrd, options->kernel, options->initrd));
}

char *efi_command_line(const struct options *options)
{
	return format_text("%s%s", options->append ? options->append : "",
			   options->initrd ? " initrd=\\initrd" : "");
}

/* Without the visor there is nobody to hand on load options but OVMF itself, which takes them, and
 * the program, from QEMU. */
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

int boot_other(struct options *options)
{
	struct words words = {.nr = 0};
	int initrd_fd = -1, status;
	const char *version;

	if (options->efi)
		options->firmware = FIRMWARE_OVMF; /* icount's shift depends on it */
	version = qemu_check();
	machine_words(&words, options);
	core_words(&words, options, version);
	add_word(&words, "-chardev");
	add_word(&words, "stdio,id=com1,signal=off");
	add_word(&words, "-serial");
	add_word(&words, "chardev:com1");
	if (options->efi)
		efi_words(&words, options);
	else
		initrd_fd = kernel_words(&words, options);
	add_word(&words, NULL);
	status = qemu_run((char **)words.word, initrd_fd, options->timeout);
	if (status == STATUS_OURS)
		die(STATUS_OURS, "the visor stopped the machine: the console says why");
	return status;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the machine: processor, accelerator, door, kernel or visor, and their command lines. */
#include "host/machine/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi/debug_exit.h"
#include "emulator/visor/model/personalities.h"
#include "host/core.h"
#include "host/image/archive.h"
#include "host/image/disk.h"
#include "host/image/kernel.h"
#include "host/image/linux.h"
#include "host/image/program.h"
#include "host/lib/home.h"
#include "host/lib/report.h"
#include "host/lib/text.h"
#include "host/machine/debugger.h"
#include "host/machine/fallen.h"
#include "host/machine/inherited.h"
#include "host/machine/link/feed.h"
#include "host/machine/link/link.h"
#include "host/machine/qemu.h"
#include "host/machine/terminal.h"
#include "host/plot.h"

/* Turns a macro's value into text. */
#define QUOTED(value) #value
#define VALUE(macro)  QUOTED(macro)

#define KERNEL_MIB 16 /* at least, beside the files */

#define SHIFT_PVH  0 /* one instruction is one nanosecond */
#define SHIFT_OVMF 3 /* the firmware's delay loops take a minute at shift 0 */

/* ERMS off: QEMU counts `rep movsb` once a byte, which would make copies look slow. Its relatives
 * off: Linux takes FSRM without ERMS for a memmove() that checks no length, and loops forever.
 * x2APIC off: QEMU 9.0 and later end with "Bad icount read" where a guest reads its timer. */
#define PROCESSOR    "max,-erms,-fsrm,-x2apic,+svm,enforce"
#define SINCE_QEMU_8 ",-fzrm,-fsrs,-fsrc" /* names that QEMU 7 does not know */

#define QUICK_FIRMWARE "/usr/share/qemu/qboot.rom" /* Debian's; elsewhere SeaBIOS does */

/* Without the SATA controller, which firmware probes for most of a second; disks use virtio. */
#define MACHINE "q35,sata=off"

static bool is(const char *a, const char *b)
{
	return !strcmp(a, b);
}

static const char *processor(const struct options *options)
{
	const struct personality *p = personality_find(options->pmu);
	const char *words = atoi(qemu_check()) < 8 ? PROCESSOR : PROCESSOR SINCE_QEMU_8;

	if (!p || !personality_microcode(p))
		return words;
	return format_text("%s,ucode-rev=0x%x00000000", words, personality_microcode(p));
}

static int icount_shift(const struct options *options)
{
	return options->firmware == FIRMWARE_OVMF || options->profile.flash.nr ? SHIFT_OVMF
									       : SHIFT_PVH;
}

/* Returns the kernel's command line. */
static char *kernel_command_line(const struct options *options)
{
	static const char *const levels[] = {"error", "warn", "info", "debug"};
	int level = options->verbosity + 1;

	return format_text("host=%s exit=debug console=com1 log=%s%s%s%s%s%s%s%s",
			   core_takes_turns(options) ? "turns" : "link",
			   levels[level > 3 ? 3 : level], terminal_words(), file_words(),
			   experiment_by_marks(&options->experiment) ? " m5=skip" : "",
			   options->abi ? " abi=" : "", options->abi ? options->abi : "",
			   options->append ? " " : "", options->append ? options->append : "");
}

char *visor_options(const struct options *options)
{
	const char *more = getenv("BAREPMU_VISOR"); /* for tests: docs/protocols.md */

	if (is(options->pmu, "host") || is(options->pmu, "none"))
		return NULL;
	return format_text("pmu=%s exit=debug%s%s%s%s", options->pmu,
			   options->processors == 1
			       ? format_text(" icount=%d", icount_shift(options))
			   : core_takes_turns(options) ? " turns"
						       : "",
			   options->exact ? " exact" : "", more ? " " : "", more ? more : "");
}

static int empty_memory_file(void)
{
	int fd = memfd_create("barepmu-initrd", MFD_CLOEXEC);

	if (fd < 0)
		die(STATUS_OURS, "cannot make a file in memory");
	return fd;
}

static void write_all(int fd, const struct buffer *content)
{
	size_t done = 0;

	while (done < content->size) {
		ssize_t n = write(fd, content->bytes + done, content->size - done);

		if (n <= 0)
			die(STATUS_OURS, "out of memory");
		done += (size_t)n;
	}
}

int memory_file(const struct buffer *content)
{
	int fd = empty_memory_file();

	write_all(fd, content);
	return fd;
}

/* Counted instructions are the clock, except for several processors that run in parallel. */
static void accelerator_words(struct words *words, const struct options *options)
{
	add_word(words, "-accel");
	if (options->processors > 1 && !core_takes_turns(options)) {
		add_word(words, "tcg,thread=multi");
		return;
	}
	add_word(words, "tcg,thread=single");
	add_word(words, "-icount");
	add_word(words, format_text("shift=%d,sleep=off", icount_shift(options)));
	/* The real-time clock also: on the host's clock an update could be in progress when a
	 * kernel reads it, which would then wait. */
	add_word(words, "-rtc");
	add_word(words, "clock=vm");
}

void machine_words(struct words *words, const struct options *options)
{
	static const char *const fixed[] = {
	    QEMU,
	    "-nodefaults",
	    "-no-user-config",
	    "-display",
	    "none",
	    "-no-reboot",
	    "-M",
	    MACHINE,
	    "-device",
	    "isa-debug-exit,iobase=" VALUE(DEBUG_EXIT_PORT) ",iosize=4",
	    NULL,
	};

	for (int i = 0; fixed[i]; i++)
		add_word(words, fixed[i]);
	add_word(words, "-m");
	add_word(words, format_text("%d", options->memory));
	add_word(words, "-smp");
	add_word(words, format_text("%d", options->processors));
	if (is(options->pmu, "host")) {
		if (access("/dev/kvm", R_OK | W_OK))
			die(STATUS_OURS, "--pmu host needs KVM, but /dev/kvm: %s", strerror(errno));
		add_word(words, "-accel");
		add_word(words, "kvm");
		add_word(words, "-cpu");
		add_word(words, "host");
		return;
	}
	accelerator_words(words, options);
	add_word(words, "-cpu");
	add_word(words, processor(options));
	add_word(words, "-global");
	add_word(words, "hpet.msi=on");
	add_word(words, "-global");
	add_word(words, format_text("hpet.timers=%d", VISOR_PROCESSORS)); /* one for each */
}

/* Returns the kernel that the visor starts: an ELF file. */
static struct buffer guest_kernel(const struct options *options)
{
	return is(options->command, "linux") ? linux_vmlinux(linux_kernel()) : kernel_to_load();
}

/* True when minimal firmware can start it, in a sixth of SeaBIOS's time. */
static bool starts_quickly(const struct options *options)
{
	return options->firmware == FIRMWARE_PVH && !is(options->command, "linux") &&
	       !is(options->command, "boot") && !access(QUICK_FIRMWARE, R_OK);
}

/* Returns a path of Linux, unpacked in a file that QEMU inherits, which saves a quarter of its
 * start. A kernel that we cannot unpack starts as it is. */
static char *linux_path(void)
{
	struct buffer kernel;

	if (!linux_unpack(linux_kernel(), &kernel))
		return linux_kernel();
	return format_text("/dev/fd/%d", inherited(memory_file(&kernel)));
}

/* Returns the kernel that QEMU starts without the visor. */
static char *kernel_path(const struct options *options)
{
	return is(options->command, "linux") ? linux_path() : kernel_file();
}

int bundle_file(const struct buffer *kernel, const struct buffer *initrd, const char *kernel_name,
		const char *initrd_name)
{
	struct buffer head = {NULL, 0, 0}, tail = {NULL, 0, 0};
	struct buffer filler = {(unsigned char[3]){0}, -initrd->size & 3, 0};
	int fd = empty_memory_file();

	archive_add(&head, "/kernel", 0444, kernel->bytes, kernel->size);
	archive_begin_on_page(&head, "/initrd", initrd->size); /* the visor need not move it */
	if (kernel_name)
		archive_add(&tail, "/kernel.name", 0444, kernel_name, strlen(kernel_name));
	if (initrd_name)
		archive_add(&tail, "/initrd.name", 0444, initrd_name, strlen(initrd_name));
	archive_end(&tail);
	write_all(fd, &head);
	write_all(fd, initrd);
	write_all(fd, &filler);
	write_all(fd, &tail);
	free(head.bytes);
	free(tail.bytes);
	return fd;
}

/* Adds the arguments for the PVH entry: the kernel, or the visor with the kernel in a bundle.
 * Returns the descriptor for /dev/fd/5. */
static int pvh_words(struct words *words, const struct options *options, struct buffer *initrd)
{
	char *visor = visor_options(options);
	char *command_line = is(options->command, "linux") ? linux_command_line(options)
							   : kernel_command_line(options);
	struct buffer kernel;

	if (starts_quickly(options)) {
		add_word(words, "-bios");
		add_word(words, QUICK_FIRMWARE);
	}
	add_word(words, "-kernel");
	add_word(words, visor ? home_file("visor.elf") : kernel_path(options));
	add_word(words, "-initrd");
	add_word(words, "/dev/fd/5");
	add_word(words, "-append");
	add_word(words, visor ? format_text("%s -- %s", visor, command_line) : command_line);
	if (!visor)
		return memory_file(initrd);
	kernel = guest_kernel(options);
	return bundle_file(&kernel, initrd, NULL, NULL);
}

/* Returns the command's status, from the machine's last frame. */
static int conclude(const struct options *options, const struct results *results)
{
	if (results->reason == EXIT_PANIC)
		die(STATUS_OURS, "kernel panic: %s", results->text);
	if (results->reason == EXIT_NOT_STARTED)
		die(results->status, "cannot run the program: %s", results->text);
	if (results->reason == EXIT_SIGNAL && is(options->command, "run"))
		fallen_report(options, results);
	return results->status;
}

/* Connects COM1 and COM2 to the pipes of qemu_start(); `both_ways`: COM2's is a socket. */
static void pipe_words(struct words *words, bool both_ways)
{
	const char *const pipes[] = {
	    "-chardev", "file,id=com1,path=/dev/fd/3",
	    "-chardev", both_ways ? "socket,id=com2,fd=4" : "file,id=com2,path=/dev/fd/4",
	    "-serial",  "chardev:com1",
	    "-serial",  "chardev:com2",
	    NULL,
	};

	for (int i = 0; pipes[i]; i++)
		add_word(words, pipes[i]);
}

/* Exits with advice if the initrd is too large: firmware only reports that it is. */
static void check_room(const struct options *options, size_t size)
{
	size_t mib = (size >> 20) + 1;

	if (mib + KERNEL_MIB > (size_t)options->memory)
		die(STATUS_OURS,
		    "the image's files take %zu MiB, its memory is %d: --memory %zu has room", mib,
		    options->memory, (mib + KERNEL_MIB + 255 + 256) / 256 * 256);
}

int run_machine(const struct options *options, struct buffer *initrd)
{
	static struct results results;
	struct words words = {.nr = 0};
	const char *version;
	struct qemu qemu;
	int initrd_fd = -1, status;

	check_room(options, initrd->size);
	if (is(options->command, "record"))
		results.record_path = options->output;
	if (is(options->command, "stat"))
		results.stat_path = options->output;
	if (options->bench.plot)
		results.plot_path = format_text("%s.data", options->bench.plot);
	version = qemu_check();
	machine_words(&words, options);
	core_words(&words, options, version);
	pipe_words(&words, feed_wanted(options));
	link_words(&words, options, !is(options->command, "linux"));
	if (options->firmware == FIRMWARE_OVMF)
		firmware_words(&words, options,
			       make_boot_disk(initrd, kernel_command_line(options)));
	else
		initrd_fd = pvh_words(&words, options, initrd);
	debugger_words(&words);
	add_word(&words, NULL);
	qemu_start(&qemu, (char **)words.word, initrd_fd, feed_wanted(options));
	if (debugger_used())
		debugger_start(find_program(options).host);
	qemu_watch(&qemu, options, &results);
	debugger_wait();
	if (debugger_used() && !results.ended)
		return 0; /* gdb ended the machine */
	status = conclude(options, &results);
	/* also when one code of several ended by a fault */
	if (results.plot_path && (!status || !access(results.plot_path, F_OK)))
		plot_file(results.plot_path, options->bench.plot);
	if (results.plot_path)
		unlink(results.plot_path);
	return status;
}

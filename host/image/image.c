/* SPDX-License-Identifier: BSD-2-Clause */
/* `barepmu image`: the disk for a USB stick with its job file, into a file or onto a device. */
#include "host/image/image.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <unistd.h>

#include "abi/upload.h"
#include "host/image/disk.h"
#include "host/image/environment.h"
#include "host/image/program.h"
#include "host/lib/home.h"
#include "host/lib/report.h"
#include "host/lib/text.h"

#define PIECE    (1 << 20)
#define ROOM_MIB "64" /* on the volume, for results */

/* Refuses options that describe the machine: the image boots on one that the command does not
 * know. */
void image_check_option(const char *name)
{
	static const char *const taken[] = {
	    "add",    "env",    "cwd", "help",  "ignore-environment",
	    "append", "pmu",    "end", "force", "self-test",
	    "upload", "sector", "bios"};

	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		if (!strcmp(name, taken[i]))
			return;
	die(STATUS_OURS, "image takes no --%s", name);
}

static bool is_device(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISBLK(status.st_mode);
}

/* True for FILE.efi: everything in one EFI program. */
static bool is_program(const char *path)
{
	size_t length = strlen(path);

	return length > 4 && !strcasecmp(path + length - 4, ".efi");
}

static void check_upload(const char *text)
{
	struct upload upload;
	const char *wrong = upload_parse(&upload, text);

	if (wrong)
		die(STATUS_OURS, "--upload '%s': %s", text, wrong);
}

/* Returns the visor's options; the visor detects everything else on the machine. */
static char *stick_visor(const struct options *options)
{
	return strcmp(options->pmu, "host") && strcmp(options->pmu, "none")
		   ? format_text("pmu=%s", options->pmu)
		   : NULL;
}

/* A disk is asked about when its size and model are known. */
static void check_overwrite(const struct options *options)
{
	const char *path = options->output;
	char answer[8] = "";

	if (options->force || access(path, F_OK))
		return;
	if (!isatty(STDIN_FILENO))
		die(STATUS_OURS,
		    is_device(path)
			? "'%s' is a disk, all of which would be lost: --force writes to it"
			: "'%s' exists: --force overwrites it",
		    path);
	if (is_device(path))
		return;
	fprintf(stderr, "%s exists. Type yes to overwrite it: ", path);
	if (!fgets(answer, sizeof(answer), stdin) || strcmp(answer, "yes\n"))
		die(STATUS_OURS, "nothing was written");
}

void image_check(const struct options *options)
{
	const char *path = options->output;
	struct stat status;

	if (!path)
		die(STATUS_OURS, "image wants -o FILE");
	if (!strcmp(path, "-"))
		die(STATUS_OURS, "an image is a file or a disk: it is not written to a pipe");
	if (options->self_test && *options->program)
		die(STATUS_OURS, "--self-test is the program: it takes no '%s'", *options->program);
	if (options->end && strcmp(options->end, "wait") && strcmp(options->end, "reboot") &&
	    strcmp(options->end, "poweroff"))
		die(STATUS_OURS, "--end wants wait, reboot or poweroff, not '%s'", options->end);
	if (options->upload)
		check_upload(options->upload);
	if (options->sector && strcmp(options->sector, "512") && strcmp(options->sector, "4096"))
		die(STATUS_OURS, "--sector wants 512 or 4096, not '%s'", options->sector);
	/* Only a regular file or a disk can be replaced. */
	if (!stat(path, &status) && !S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode))
		die(STATUS_OURS, "'%s' is neither a regular file nor a disk", path);
	if (options->bios && (is_program(path) || stick_visor(options)))
		die(STATUS_OURS, "--bios is for disks without an emulated PMU");
	if (is_program(path) && strcmp(options->pmu, "host") && strcmp(options->pmu, "none"))
		die(STATUS_OURS, "an EFI program brings no emulated PMU: --pmu is for disks");
	check_overwrite(options);
}

static void append_text(struct buffer *to, const char *text)
{
	buffer_append(to, text, strlen(text));
}

/* Appends a basic string of TOML. */
static void append_string(struct buffer *to, const char *text)
{
	append_text(to, "\"");
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' && *text != '\n' && *text != '\t')
			die(STATUS_OURS, "an image's job takes no control characters");
		if (*text == '\n' || *text == '\t')
			append_text(to, *text == '\n' ? "\\n" : "\\t");
		else if (*text == '"' || *text == '\\')
			append_text(to, *text == '"' ? "\\\"" : "\\\\");
		else
			buffer_append(to, text, 1);
	}
	append_text(to, "\"");
}

static void append_list(struct buffer *to, const char *key, const char *const *words, int nr)
{
	append_text(to, key);
	append_text(to, " = [");
	for (int i = 0; i < nr; i++) {
		append_text(to, i ? ", " : "");
		append_string(to, words[i]);
	}
	append_text(to, "]\n");
}

static void append_key(struct buffer *to, const char *key, const char *value)
{
	append_text(to, key);
	append_text(to, " = ");
	append_string(to, value);
	append_text(to, "\n");
}

static const char head[] = "# What this stick runs: docs/stick.md. Any editor will do.\n";
static const char tail[] = "# events = [\"cycles:u\", \"instructions:u\"]  # count these\n"
			   "# repetitions = 5                            # so many times\n"
			   "# record = \"cycles:u\"                        # or sample this\n";

/* Returns the program's name for the job file: without its directory if that is enough. */
static const char *job_program(const struct options *options)
{
	struct program program = find_program(options);
	const char *name = program_job_name(&program);

	return name ? name : program.name;
}

/* Writes the job file, which the stick's loader reads and any editor can change. */
static struct buffer make_jobs(const struct options *options)
{
	struct buffer jobs = {NULL, 0, 0};
	const char *own = options->self_test ? "selftest" : "demo";
	const char *program = *options->program ? *options->program : own;
	const char *base = strrchr(program, '/');
	const char *const *environment;
	int arguments = 0;
	size_t variables;

	while (*options->program && options->program[arguments + 1])
		arguments++;
	append_text(&jobs, head);
	append_key(&jobs, "end", options->end ? options->end : "wait");
	if (options->upload)
		append_key(&jobs, "upload", options->upload);
	append_text(&jobs, "\n[[job]]\n");
	append_key(&jobs, "name", format_text("%.40s", base ? base + 1 : program));
	append_key(&jobs, "program", *options->program ? job_program(options) : program);
	append_list(&jobs, "arguments", (const char *const *)options->program + 1, arguments);
	environment = environment_of(options, &variables);
	append_list(&jobs, "environment", environment, (int)variables);
	append_key(&jobs, "folder", options->cwd);
	append_text(&jobs, tail);
	return jobs;
}

/* Returns the disk's model; "" if unknown. */
static char *model_of(const struct stat *status)
{
	static char model[64];
	char *path = format_text("/sys/dev/block/%u:%u/device/model", major(status->st_rdev),
				 minor(status->st_rdev));
	FILE *file = fopen(path, "re");

	if (!file || !fgets(model, sizeof(model), file))
		*model = '\0';
	model[strcspn(model, "\n")] = '\0';
	if (file)
		fclose(file);
	free(path);
	return model;
}

/* Opens the disk for exclusive use, and asks for confirmation. */
static int open_device(const struct options *options, size_t bytes)
{
	const char *path = options->output;
	int fd = open(path, O_RDWR | O_EXCL | O_CLOEXEC);
	unsigned long long room = 0;
	char answer[8] = "";
	struct stat status;

	if (fd < 0)
		die(STATUS_OURS, "cannot write to '%s': %s", path,
		    errno == EBUSY ? "it is in use: unmount it" : strerror(errno));
	if (fstat(fd, &status) || ioctl(fd, BLKGETSIZE64, &room))
		die(STATUS_OURS, "cannot ask '%s' for its size: %s", path, strerror(errno));
	if (room < bytes)
		die(STATUS_OURS, "'%s' has %llu MiB, the image needs %zu", path, room >> 20,
		    bytes >> 20);
	if (options->force)
		return fd;
	fprintf(stderr, "%s: %llu MiB %s. All that is on it is lost. Type yes to go on: ", path,
		room >> 20, model_of(&status));
	if (!fgets(answer, sizeof(answer), stdin) || strcmp(answer, "yes\n"))
		die(STATUS_OURS, "nothing was written");
	return fd;
}

static void image_progress(const char *what, size_t done, size_t all)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r%s %zu of %zu MiB%s", what, done >> 20, all >> 20,
			done == all ? "\n" : "");
}

static void write_device(int fd, const struct buffer *image, const char *path)
{
	ssize_t n;

	for (size_t done = 0; done < image->size; done += (size_t)n) {
		size_t left = image->size - done;

		n = pwrite(fd, image->bytes + done, left < PIECE ? left : PIECE, (off_t)done);
		if (n <= 0 || (done % (16 * PIECE) == 0 && fsync(fd)))
			die(STATUS_OURS, "cannot write '%s': %s", path, strerror(errno));
		image_progress("wrote", done + (size_t)n, image->size);
	}
	if (fsync(fd))
		die(STATUS_OURS, "cannot write '%s': %s", path, strerror(errno));
}

/* Reads back from the disk, not from the page cache. */
static void verify_device(int fd, const struct buffer *image, const char *path)
{
	static unsigned char piece[PIECE];
	ssize_t n;

	ioctl(fd, BLKFLSBUF);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	for (size_t done = 0; done < image->size; done += (size_t)n) {
		size_t left = image->size - done;

		n = pread(fd, piece, left < PIECE ? left : PIECE, (off_t)done);
		if (n <= 0 || memcmp(piece, image->bytes + done, (size_t)n))
			die(STATUS_OURS,
			    "'%s' does not hold what was written, at byte %zu: is it "
			    "broken?",
			    path, done);
		image_progress("verified", done + (size_t)n, image->size);
	}
}

static void copy_to_device(const struct options *options, const char *file)
{
	struct buffer image = read_file(file);
	int fd = open_device(options, image.size);

	write_device(fd, &image, options->output);
	verify_device(fd, &image, options->output);
	if (close(fd))
		die(STATUS_OURS, "cannot write '%s': %s", options->output, strerror(errno));
	free(image.bytes);
	printf("wrote and verified %s: it boots by UEFI\n", options->output);
}

/* Returns the size of the sectors that the image is for; of a disk, the disk's own. */
static char *sector_of(const struct options *options)
{
	int fd, bytes = 512;

	if (options->sector)
		return format_text("%s", options->sector);
	fd = is_device(options->output) ? open(options->output, O_RDONLY | O_CLOEXEC) : -1;
	if (fd >= 0) {
		ioctl(fd, BLKSSZGET, &bytes);
		close(fd);
	}
	return format_text("%d", bytes);
}

/* Returns GRUB's configuration for a machine without UEFI, where nothing writes results. */
static char *grub_of(const struct options *options, const char *words)
{
	if (!options->bios)
		return NULL;
	return format_text("serial --unit=0 --speed=115200\n"
			   "terminal_output console serial\n"
			   "insmod all_video\n"
			   "multiboot2 /barepmu/kernel.elf %s\n"
			   "module2 /barepmu/initrd.cpio\n"
			   "boot\n",
			   words);
}

void write_image(const struct options *options, const struct buffer *initrd)
{
	static const char *const levels[] = {"warn", "info", "debug"};
	int level = options->verbosity < 1 ? options->verbosity + 1 : 2;
	char *words =
	    format_text("console=both log=%s%s%s", levels[level], options->append ? " " : "",
			options->append ? options->append : "");
	struct stick stick = {.initrd = initrd,
			      .jobs = make_jobs(options),
			      .command_line = format_text("host=firmware %s", words),
			      .grub = grub_of(options, words),
			      .visor = stick_visor(options)};

	if (is_program(options->output)) {
		make_efi_program(&stick, options->output);
		printf("wrote %s: an EFI program, for a network boot\n", options->output);
		return;
	}
	setenv("ROOM", ROOM_MIB, 1);
	setenv("SECTOR", sector_of(options), 1);
	if (is_device(options->output)) {
		copy_to_device(options, make_stick(&stick, NULL));
		return;
	}
	make_stick(&stick, options->output);
	printf("wrote %s: write it to a USB stick, or boot it with OVMF\n", options->output);
}

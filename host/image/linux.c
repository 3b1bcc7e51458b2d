/* SPDX-License-Identifier: BSD-2-Clause */
/* The reference: stock Linux in the same machine, with the same program and the same frames on
 * COM2. */
#include "host/image/linux.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/image/archive.h"
#include "host/image/modules.h"
#include "host/image/unpack/gzip.h"
#include "host/image/unpack/lz4.h"
#include "host/image/unpack/xz.h"
#include "host/image/unpack/zstd.h"
#include "host/lib/home.h"
#include "host/lib/report.h"
#include "host/lib/text.h"
#include "host/machine/link/feed.h"
#include "host/machine/terminal.h"

/* Fields of a bzImage (Linux Documentation/arch/x86/boot.rst). */
#define SETUP_SECTORS  0x1f1
#define HEADER_MAGIC   0x202
#define RELEASE_OFFSET 0x20e /* 16 bits: where the release's text is, counted from SECTOR */
#define PAYLOAD_OFFSET 0x248
#define PAYLOAD_LENGTH 0x24c
#define SECTOR         512
#define SMALLEST       0x260
#define RELEASE_MAX    128

char *linux_kernel(void)
{
	const char *given = getenv("BAREPMU_LINUX");
	char *path;
	glob_t found;

	if (given && *given)
		return format_text("%s", given);
	if (glob("/boot/vmlinuz-*", 0, NULL, &found))
		die(STATUS_OURS,
		    "cannot find a Linux kernel in /boot: install linux-image-cloud-amd64 or set "
		    "BAREPMU_LINUX to a bzImage");
	path = format_text("%s", found.gl_pathv[found.gl_pathc - 1]);
	globfree(&found);
	return path;
}

static uint32_t field(const struct buffer *image, size_t offset)
{
	uint32_t value;

	memcpy(&value, image->bytes + offset, sizeof(value));
	return value;
}

/* The formats of a kernel's payload (CONFIG_KERNEL_*). */
static bool (*const unpackers[])(struct buffer *out, const unsigned char *bytes,
				 size_t size) = {lz4_unpack, zstd_unpack, xz_unpack, gzip_unpack};

bool linux_unpack(const char *path, struct buffer *out)
{
	struct buffer image = read_file(path);
	size_t start, length;
	bool good = false;

	if (image.size < SMALLEST || memcmp(image.bytes + HEADER_MAGIC, "HdrS", 4))
		die(STATUS_OURS, "'%s' is not a bzImage", path);
	start = (image.bytes[SETUP_SECTORS] + 1u) * SECTOR + field(&image, PAYLOAD_OFFSET);
	length = field(&image, PAYLOAD_LENGTH);
	if (start > image.size || length > image.size - start)
		die(STATUS_OURS, "'%s' is truncated", path);
	*out = (struct buffer){NULL, 0, 0};
	for (size_t i = 0; !good && i < sizeof(unpackers) / sizeof(unpackers[0]); i++)
		good = unpackers[i](out, image.bytes + start, length);
	free(image.bytes);
	return good;
}

struct buffer linux_vmlinux(const char *path)
{
	struct buffer out;

	if (!linux_unpack(path, &out))
		die(STATUS_OURS,
		    "'%s' is damaged, or not packed with LZ4, Zstandard, XZ or gzip: an emulated "
		    "PMU needs one that is; --pmu none takes any",
		    path);
	return out;
}

/* Disables the watchdog, which would take a counter and wake the simulated core at the start:
 * starts would take five times the CPU time. Skips the test of the timer's interrupt: 40 ms of
 * PAUSE, an eighth of a start. */
char *linux_command_line(const struct options *options)
{
	return format_text("console=ttyS0 loglevel=%d panic=-1 cryptomgr.notests nmi_watchdog=0 "
			   "no_timer_check%s%s",
			   options->verbosity > 0 ? 7 : 3, options->append ? " " : "",
			   options->append ? options->append : "");
}

/* The rest of a file at our standard input is also the program's. A pipe or a terminal is read
 * while the program runs. */
static void add_input(struct buffer *archive, const struct options *options)
{
	struct stat info;
	struct buffer input;
	off_t at;

	if (feed_wanted(options)) {
		const char *which = terminal_feed();

		archive_add(archive, "/.barepmu/feed", 0444, which, strlen(which));
	}
	if (fstat(STDIN_FILENO, &info) || !S_ISREG(info.st_mode))
		return;
	at = lseek(STDIN_FILENO, 0, SEEK_CUR);
	input = read_file("/proc/self/fd/0");
	if (at >= 0 && (size_t)at < input.size)
		archive_add(archive, "/.barepmu/input", 0444, input.bytes + at,
			    input.size - (size_t)at);
	free(input.bytes);
}

/* Returns the kernel's release, which the caller frees; NULL: the file does not have it. */
static char *release_of(const char *path)
{
	static unsigned char head[SECTOR + UINT16_MAX + RELEASE_MAX];
	FILE *file = fopen(path, "r");
	size_t bytes = file ? fread(head, 1, sizeof(head), file) : 0, at, end;
	uint16_t offset;

	if (file)
		fclose(file);
	if (bytes < SMALLEST)
		return NULL;
	memcpy(&offset, head + RELEASE_OFFSET, sizeof(offset));
	for (at = end = offset + SECTOR; offset && end < bytes && head[end] > ' '; end++)
		;
	return end > at ? format_text("%.*s", (int)(end - at), head + at) : NULL;
}

void linux_modules(struct buffer *archive)
{
	char *path = linux_kernel(), *release = release_of(path);

	if (release)
		modules_add(archive, path, release);
	free(release);
	free(path);
}

void linux_files(struct buffer *archive, const struct options *options)
{
	struct buffer init = read_file(home_file("linux-init"));

	archive_add(archive, "/init", 0755, init.bytes, init.size);
	archive_add_directory(archive, "/proc");
	archive_add_directory(archive, "/sys");
	archive_add_directory(archive, "/dev");
	add_input(archive, options);
	free(init.bytes);
}

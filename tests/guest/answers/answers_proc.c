/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of /proc and /sys that tools read, as on Debian's Linux. */
#define _GNU_SOURCE
#include <sys/stat.h>
#include "tests/guest/answers/answers.h"

/* Reads a file whole: its length or a negative errno. */
static long slurp(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY);
	long length = fd < 0 ? -errno : raw(read(fd, text, size - 1));

	if (length >= 0)
		text[length] = 0;
	close(fd);
	return length;
}

/* Returns whether the file begins with the text, or a negative errno. */
static long begins(const char *path, const char *start)
{
	char text[4096];
	long length = slurp(path, text, sizeof(text));

	return length < 0 ? length : !strncmp(text, start, strlen(start));
}

/* Returns whether the descriptor's file of /proc/self/fdinfo has the line. */
static long info_has(int fd, const char *line)
{
	char path[64], text[1024];
	long length;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	length = slurp(path, text, sizeof(text));
	return length < 0 ? length : strstr(text, line) != NULL;
}

static int written(int flags)
{
	int fd = open("/tmp/answers.info", O_CREAT | O_TRUNC | O_RDWR | flags, 0644);

	if (fd < 0 || write(fd, "0123456789", 10) != 10)
		_exit(8);
	return fd;
}

static long info_position(void)
{
	return info_has(written(0), "pos:\t10\n");
}

static long info_flags(void)
{
	return info_has(written(O_APPEND), "\nflags:\t0102002\n");
}

static long info_cloexec(void)
{
	return info_has(written(O_CLOEXEC), "\nflags:\t02100002\n");
}

static long info_pipe(void)
{
	int ends[2];

	return pipe(ends) ? -errno : info_has(ends[0], "pos:\t0\nflags:\t00\nmnt_id:\t");
}

static long info_inode(void)
{
	struct stat state;
	char line[64];
	int fd = written(0);

	fstat(fd, &state);
	snprintf(line, sizeof(line), "\nino:\t%lu\n", (unsigned long)state.st_ino);
	return info_has(fd, line);
}

static long info_process(void)
{
	char line[64];

	snprintf(line, sizeof(line), "\nPid:\t%d\n", getpid());
	return info_has((int)syscall(SYS_pidfd_open, getpid(), 0), line);
}

static long info_none(void)
{
	return info_has(900, "");
}

static pid_t parent;

static long info_stranger_now(void)
{
	char path[64], text[64];

	become_user();
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/0", parent);
	return slurp(path, text, sizeof(text));
}

static long info_stranger(void)
{
	parent = getpid();
	return in_child(info_stranger_now);
}

static long modules(void)
{
	char text[64];
	long length = slurp("/proc/modules", text, sizeof(text));

	return length < 0 ? length : 0;
}

static long modules_directory(void)
{
	struct stat state;

	return raw(stat("/sys/module", &state)) ?: S_ISDIR(state.st_mode);
}

static long cgroups(void)
{
	return begins("/proc/cgroups", "#subsys_name\thierarchy\tnum_cgroups\tenabled\n");
}

static long cgroups_of_events(void)
{
	char text[4096];
	long length = slurp("/proc/cgroups", text, sizeof(text));

	return length < 0 ? length : strstr(text, "\nperf_event\t") != NULL;
}

static long bpf_users(void)
{
	return begins("/proc/sys/kernel/unprivileged_bpf_disabled", "2\n");
}

static long bpf_times(void)
{
	return begins("/proc/sys/kernel/bpf_stats_enabled", "0\n");
}

/* Looks for the build id among the notes: its length. */
static long build_id(void)
{
	char notes[4096];
	long length = slurp("/sys/kernel/notes", notes, sizeof(notes)), at = 0;

	if (length < 0)
		return length;
	while (at + 12 <= length) {
		uint32_t head[3]; /* lengths of name and contents, type */

		memcpy(head, notes + at, sizeof(head));
		if (head[0] == 4 && head[2] == 3 && !memcmp(notes + at + 12, "GNU", 4))
			return head[1];
		at += 12 + ((head[0] + 3) & -4u) + ((head[1] + 3) & -4u);
	}
	return -1;
}

static long core_pattern(void)
{
	return begins("/proc/sys/kernel/core_pattern", "core\n");
}

#define EVENTS "/sys/bus/event_source/devices/software"

static long power_status(void)
{
	return begins(EVENTS "/power/runtime_status", "unsupported\n");
}

static long power_control(void)
{
	return begins("/sys/devices/system/cpu/cpu0/power/control", "auto\n");
}

/* Returns whether the link's target ends so, or a negative errno. */
static long leads_to(const char *path, const char *end)
{
	char target[256] = "";
	long length = raw(readlink(path, target, sizeof(target) - 1));

	return length < 0
		   ? length
		   : (size_t)length > strlen(end) && !strcmp(target + length - strlen(end), end);
}

static long processor_bus(void)
{
	return leads_to("/sys/devices/system/cpu/cpu0/subsystem", "/bus/cpu");
}

static long bus_processor(void)
{
	return leads_to("/sys/bus/cpu/devices/cpu0", "/devices/system/cpu/cpu0");
}

static const struct answer cases[] = {
    CASE("core_pattern", core_pattern, 1),
    CASE("power/runtime_status of a source of events", power_status, 1),
    CASE("power/control of a processor", power_control, 1),
    CASE("a processor's subsystem", processor_bus, 1),
    CASE("the bus of processors", bus_processor, 1),
    CASE("/sys/kernel/notes: the kernel's build id", build_id, 20),
    CASE("/proc/self/fdinfo: position", info_position, 1),
    CASE("/proc/self/fdinfo: flags", info_flags, 1),
    CASE("/proc/self/fdinfo: O_CLOEXEC is among them", info_cloexec, 1),
    CASE("/proc/self/fdinfo: a pipe", info_pipe, 1),
    CASE("/proc/self/fdinfo: inode", info_inode, 1),
    CASE("/proc/self/fdinfo: a pidfd's process", info_process, 1),
    CASE("/proc/self/fdinfo: no such descriptor", info_none, -ENOENT),
    CASE("/proc/PID/fdinfo of a stranger", info_stranger, -EACCES),
    CASE("/proc/modules", modules, 0),
    CASE("/sys/module is a directory", modules_directory, 1),
    CASE("/proc/cgroups: heading", cgroups, 1),
    CASE("/proc/cgroups: events", cgroups_of_events, 1),
    CASE("unprivileged_bpf_disabled", bpf_users, 1),
    CASE("bpf_stats_enabled", bpf_times, 1),
};

int main(void)
{
	return answers_run(cases, COUNT(cases));
}

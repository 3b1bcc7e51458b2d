/* SPDX-License-Identifier: BSD-2-Clause */
/* The right to open events: every paranoid level, user and capability against every kind of
 * request. */
#include "oracle.h"
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define USER  1000
#define OTHER 2000

static pid_t of_user, of_other, of_root, hidden; /* sleeping processes */

/* The user, keeping the one capability, or none (-1). */
static void become(uid_t uid, int capability)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2] = {{0}};

	if (!uid)
		return;
	prctl(PR_SET_KEEPCAPS, 1);
	syscall(SYS_setgroups, 0, NULL);
	syscall(SYS_setresgid, uid, uid, uid);
	syscall(SYS_setresuid, uid, uid, uid);
	if (capability >= 0)
		data[CAP_TO_INDEX(capability)].effective =
		    data[CAP_TO_INDEX(capability)].permitted = CAP_TO_MASK(capability);
	syscall(SYS_capset, &header, data);
	prctl(PR_SET_DUMPABLE, 1);
}

static pid_t sleeper(uid_t uid, int dumpable)
{
	int ready[2];
	char byte;
	pid_t pid;

	pipe(ready);
	pid = fork();
	if (!pid) {
		become(uid, -1);
		prctl(PR_SET_DUMPABLE, dumpable);
		write(ready[1], "", 1);
		for (;;)
			pause();
	}
	read(ready[0], &byte, 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void try(const char *name, struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = perf_open(attr, pid, cpu, -1, 0);

	report(failed(fd), "  %s", name);
	if (fd >= 0)
		close(fd);
}

static struct perf_event_attr plain(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = {.type = type, .size = sizeof(attr), .config = config};

	attr.disabled = attr.exclude_kernel = attr.exclude_hv = 1;
	return attr;
}

/* One event of each kind that a user may be refused. */
static void requests(void)
{
	struct perf_event_attr attr = plain(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY), kernel = attr,
			       other;

	try("user", &attr, 0, -1);
	kernel.exclude_kernel = 0;
	try("kernel", &kernel, 0, -1);
	kernel.exclude_user = 1;
	try("kernel alone", &kernel, 0, -1);
	try("processor", &attr, -1, 0);
	kernel.exclude_user = 0;
	try("processor and kernel", &kernel, -1, 0);
	other = attr;
	other.sample_type = PERF_SAMPLE_PHYS_ADDR;
	try("physical addresses", &other, 0, -1);
	other.sample_type = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_INTR;
	other.sample_regs_intr = 1;
	try("registers", &other, 0, -1);
	other = attr;
	other.namespaces = 1;
	try("namespaces", &other, 0, -1);
	other = attr;
	other.ksymbol = other.bpf_event = 1;
	try("kernel symbols", &other, 0, -1);
	other = attr;
	other.text_poke = 1;
	try("text poke", &other, 0, -1);
	other = attr;
	other.sample_type = PERF_SAMPLE_BRANCH_STACK;
	other.branch_sample_type = PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_ANY;
	try("kernel branches", &other, 0, -1);
	other.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	try("user branches", &other, 0, -1);
	other = plain(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	try("instructions", &other, 0, -1);
	other = plain(PERF_TYPE_RAW, 0x00c0);
	try("raw instructions", &other, 0, -1);
	other = plain(PERF_TYPE_RAW, 0x2000c0);
	try("raw instructions of any thread", &other, 0, -1);
	try("the user's process", &attr, of_user, -1);
	try("another user's process", &attr, of_other, -1);
	try("root's process", &attr, of_root, -1);
	try("the user's process that is not dumpable", &attr, hidden, -1);
	other = attr;
	other.size = 8;
	try("a bad size", &other, 0, -1);
	other = attr;
	other.sample_freq = 1000000000;
	other.freq = 1;
	try("too often", &other, 0, -1);
}

static const struct {
	const char *name;
	uid_t uid;
	int capability;
} users[] = {
    {"root", 0, -1},
    {"a user", USER, -1},
    {"a user with CAP_PERFMON", USER, CAP_PERFMON},
    {"a user with CAP_SYS_ADMIN", USER, CAP_SYS_ADMIN},
    {"a user with CAP_SYS_PTRACE", USER, CAP_SYS_PTRACE},
    {"a user with CAP_IPC_LOCK", USER, CAP_IPC_LOCK},
};

/* Maps rings until it is refused; prints the number of pages. */
static void rings(void)
{
	struct perf_event_attr attr = plain(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	unsigned long total = 0;
	void *map;
	int fd;

	setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){100 * PAGE, 100 * PAGE});
	for (unsigned i = 0; i < 40; i++) {
		fd = perf_open(&attr, 0, -1, -1, 0);
		map = mmap(NULL, 17 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (map == MAP_FAILED) {
			report(failed(-1), "  the ring after %lu pages", total);
			return;
		}
		total += 17;
	}
	printf("  %lu pages without an end\n", total);
}

/* /proc/kallsyms with and without addresses; files of other users' processes. */
static void files(void)
{
	static const char *const names[] = {"maps",   "environ", "auxv", "stat",
					    "status", "cmdline", "comm", "exe"};
	const pid_t pids[] = {of_user, of_other, of_root, hidden};
	static const char *const owners[] = {"the user's", "another user's", "root's",
					     "the user's hidden"};
	unsigned long address = 0;
	char path[64], link[256];
	FILE *symbols = fopen("/proc/kallsyms", "r");

	for (unsigned i = 0; symbols && i < 100 && !address; i++)
		if (fscanf(symbols, "%lx %*s %*[^\n]", &address) != 1)
			break;
	if (symbols)
		fclose(symbols);
	printf("  symbols %s addresses\n", address ? "with" : "without");
	for (unsigned i = 0; i < COUNT(pids); i++) {
		for (unsigned j = 0; j < COUNT(names); j++) {
			snprintf(path, sizeof(path), "/proc/%d/%s", pids[i], names[j]);
			if (j < COUNT(names) - 1)
				report(failed(open(path, O_RDONLY)), "  %s %s", owners[i],
				       names[j]);
			else
				report(failed(readlink(path, link, sizeof(link))), "  %s %s",
				       owners[i], names[j]);
		}
		snprintf(path, sizeof(path), "/proc/%d/fd", pids[i]);
		report(failed(open(path, O_RDONLY | O_DIRECTORY)), "  %s fd", owners[i]);
	}
	report(failed(open("/proc/sys/kernel/perf_event_paranoid", O_WRONLY)), "  set the level");
	report(failed(open("/proc/sys/kernel/perf_event_mlock_kb", O_RDONLY)), "  read a limit");
}

static void as_user(unsigned index, void (*part)(void), int level)
{
	fflush(stdout);
	if (!fork()) {
		become(users[index].uid, users[index].capability);
		printf("level %d, %s:\n", level, users[index].name);
		part();
		exit(0);
	}
	wait(NULL);
}

static void set(const char *path, int value)
{
	FILE *file = fopen(path, "w");

	report(file ? 0 : failed(-1), "%s can be set", path);
	fprintf(file, "%d", value);
	if (fclose(file))
		printf("%d: %s\n", value, outcome(-errno));
}

int main(void)
{
	umask(022);
	of_user = sleeper(USER, 1);
	of_other = sleeper(OTHER, 1);
	of_root = sleeper(0, 1);
	hidden = sleeper(USER, 0);
	for (int level = -1; level <= 3; level++) {
		set("/proc/sys/kernel/perf_event_paranoid", level);
		for (unsigned i = 0; i < COUNT(users); i++) {
			as_user(i, requests, level);
			if (level < 3)
				as_user(i, rings, level);
		}
	}
	for (int level = 0; level <= 2; level++) {
		set("/proc/sys/kernel/perf_event_paranoid", level);
		for (int restrict_ = 0; restrict_ <= 2; restrict_++) {
			set("/proc/sys/kernel/kptr_restrict", restrict_);
			for (unsigned i = 0; i < COUNT(users); i++)
				as_user(i, files, level);
		}
	}
	set("/proc/sys/kernel/kptr_restrict", 0);
	kill(of_user, SIGKILL);
	kill(of_other, SIGKILL);
	kill(of_root, SIGKILL);
	kill(hidden, SIGKILL);
	return 0;
}

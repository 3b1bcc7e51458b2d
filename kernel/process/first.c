/* SPDX-License-Identifier: BSD-2-Clause */
/* The first program: started from the run file; the machine ends with it. */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/stat.h>
#include "abi/boot_info.h"
#include "abi/exit_status.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/paging/paging_audit.h"
#include "kernel/base/cmdline.h"
#include "kernel/base/log.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/device/stdio.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/path.h"
#include "kernel/fs/ramfile.h"
#include "kernel/host/host.h"
#include "kernel/host/keep.h"
#include "kernel/host/share.h"
#include "kernel/process/arguments.h"
#include "kernel/process/cpio.h"
#include "kernel/process/exec.h"
#include "kernel/process/first.h"
#include "kernel/process/process.h"
#include "kernel/vm/vm.h"

#define RUN_FILE        "/.barepmu/run"
#define DEFAULT_PROGRAM "/bin/demo"
#define LINE_SIZE       512

static struct task *first;

struct task *first_task(void)
{
	return first->process->leader;
}

/* Ends the machine with a line that says why no program ran. */
static _Noreturn void not_started(uint32_t status, const char *line)
{
	if (!host_is_linked()) /* else the host's command says it */
		log_error("%s", line);
	host_exit(status, HOST_NOT_STARTED, line);
}

/* Adds the strings of the run file that start with `kind`; counts them. */
static int add_strings(struct arguments *arguments, const char *run, size_t bytes, char kind,
		       unsigned *count)
{
	int err = 0;

	for (size_t at = 0; at < bytes && !err; at += strlen(run + at) + 1) {
		if (run[at] == kind) {
			err = arguments_add(arguments, run + at + 1);
			(*count)++;
		}
	}
	return err;
}

/* Changes to the directory at `path`; ends the machine if that fails. */
static void change_directory(const char *path)
{
	char line[LINE_SIZE];
	struct inode *inode;
	struct text text;

	if (path_lookup(NULL, path, 0, &inode) || !S_ISDIR(inode->mode)) {
		text_init(&text, line, sizeof(line));
		text_print(&text, "there is no directory %s in the image to start in", path);
		not_started(STATUS_OURS, line);
	}
	cwd_go_to(current_task()->cwd, inode);
	inode_put(inode);
}

/* Changes to the directory in the run file. */
static void choose_directory(const char *run, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += strlen(run + at) + 1)
		if (run[at] == 'C')
			change_directory(run + at + 1);
}

/* Mounts the host directories of the run file. */
static void mount_shares(const char *run, size_t bytes)
{
	for (size_t at = 0; at < bytes && host_is_linked(); at += strlen(run + at) + 1) {
		int err = run[at] == 'S'   ? share_mount(run + at + 1)
			  : run[at] == 'W' ? share_mount_both(run + at + 1)
					   : 0;

		if (err)
			log_warn("cannot show the host's %s here", run + at + 1);
	}
}

static char *run_memory(size_t bytes)
{
	char *run = kalloc(bytes + 1);

	if (!run)
		panic("no memory for %s: give the machine more", RUN_FILE);
	return run;
}

/* Returns the run file, the loader's or the initrd's, NUL-terminated; NULL: there is none. */
static char *read_run_file(size_t *bytes)
{
	struct inode *inode;
	char *run;

	if (boot_info.run_bytes) {
		run = run_memory(boot_info.run_bytes);
		memcpy(run, boot_info.run, boot_info.run_bytes);
		*bytes = boot_info.run_bytes;
		return run;
	}
	if (path_lookup(root_inode, RUN_FILE, 0, &inode))
		return NULL;
	run = run_memory(inode->size);
	*bytes = inode_read(inode, 0, run, inode->size);
	inode_put(inode);
	return run;
}

/* Collects the program's arguments: from the run file, else the command line's run=, else the
 * demonstration. */
static int gather(struct arguments *arguments)
{
	char path[256] = DEFAULT_PROGRAM;
	size_t bytes = 0;
	char *run = read_run_file(&bytes);
	int err;

	if (run) {
		mount_shares(run, bytes);
		choose_directory(run, bytes);
		err = add_strings(arguments, run, bytes, 'A', &arguments->argc);
		if (!err)
			err = add_strings(arguments, run, bytes, 'E', &arguments->envc);
		kfree(run);
		if (err || arguments->argc)
			return err;
	}
	cmdline_value("run", path, sizeof(path));
	arguments->argc = 1;
	arguments->envc = 2;
	err = arguments_add(arguments, path);
	if (!err)
		err = arguments_add(arguments, "HOME=/");
	return err ? err : arguments_add(arguments, "PATH=/bin");
}

/* Copies the program's name, truncated to PATH_SIZE. */
static void first_string(const struct arguments *arguments, char path[PATH_SIZE])
{
	size_t bytes = 0;

	if (arguments->used)
		memcpy(path, arguments_at(arguments, 0, &bytes), PATH_SIZE);
	path[bytes < PATH_SIZE ? bytes : PATH_SIZE - 1] = 0;
}

/* Logs which programs /bin has, in lines of up to LINE_SIZE. */
static void list_programs(void)
{
	char line[LINE_SIZE];
	struct dirent *entry;
	struct inode *dir;
	struct text text;

	if (path_lookup(root_inode, "/bin", 0, &dir))
		return;
	text_init(&text, line, sizeof(line));
	list_for_each(entry, &dir->entries, link) {
		if (text.length + strlen(entry->name) + 2 > sizeof(line)) {
			log_warn("/bin has%s", line);
			text_init(&text, line, sizeof(line));
		}
		text_print(&text, " %s", entry->name);
	}
	if (text.length)
		log_warn("/bin has%s", line);
	inode_put(dir);
}

/* Runs first on the first task's stack: becomes the program, or ends the machine. */
static void first_run(void)
{
	struct arguments arguments = {0};
	struct inode *inode = NULL;
	struct dirent *name = NULL;
	const char *why = NULL;
	char path[PATH_SIZE], line[LINE_SIZE];
	struct text text;
	int err;

	sched_first();
	err = gather(&arguments);
	text_init(&text, line, sizeof(line));
	first_string(&arguments, path);
	if (!err)
		err = path_lookup_name(NULL, path, 0, &inode, &name);
	if (err) {
		text_print(&text, "%s: not found in the image", path);
		if (keep_is_on())
			list_programs();
		not_started(STATUS_NOT_FOUND, line);
	}
	err = exec(inode, name, path, &arguments, &why);
	inode_put(inode);
	name_put(name);
	if (err) {
		text_print(&text, "%s: cannot run it: %s", path, why ? why : "not enough memory");
		not_started(STATUS_NOT_EXEC, line);
	}
	log_debug("%s starts %lu TSC ticks after our first instruction", path,
		  rdtsc() - boot_info.entry_tsc);
}

void first_start(void)
{
	const char *fault;
	char line[LINE_SIZE];
	struct text text;

	fault = boot_info.initrd_bytes
		    ? cpio_unpack(phys_virt(boot_info.initrd_base), boot_info.initrd_bytes)
		    : "there is none (QEMU: -initrd FILE)";
	if (fault) {
		text_init(&text, line, sizeof(line));
		text_print(&text, "the initrd (a cpio archive of the newc kind) cannot be used: %s",
			   fault);
		not_started(STATUS_OURS, line);
	}
	first = task_first(first_run);
	if (!first || stdio_open(first->files, first->process->sid))
		panic("no memory for the first task: give the machine more");
	task_start(first);
}

/* check=map: reports the rights in the page tables at the end of a program. */
static void report_map(void)
{
	struct paging_audit audit;

	paging_audit(&audit);
	log_info("map: %lu pages of the kernel, %lu executable, %lu of them writable, %lu written "
		 "by another address, %lu exposed",
		 audit.kernel, audit.executable, audit.writable_executable, audit.aliased,
		 audit.exposed);
}

static char fall[LINE_SIZE]; /* where a signal met the program: "RIP ADDRESS [FILE+OFFSET]" */

void first_falls(uint64_t rip, uint64_t address)
{
	static char path[PAGE_SIZE];
	struct vma *vma = vma_find(current_task()->mm, rip);
	struct text text;

	text_init(&text, fall, sizeof(fall));
	text_print(&text, "%lx %lx ", rip, address);
	if (vma && vma->start <= rip && vma->file)
		text_print(&text, "%s+%lx", vma_name(vma, path, sizeof(path)),
			   rip - vma->start + vma->pgoff * PAGE_SIZE);
}

void first_ended(int status)
{
	uint64_t interrupts = 0, nmis = 0, unclaimed = 0;

	host_send_files();
	share_send_back();
	if (cmdline_is("check", "map"))
		report_map();
	for (uint32_t i = 0; i < nr_cpus; i++) {
		interrupts += percpu_interrupts(cpus[i]);
		nmis += cpus[i]->nmis;
		unclaimed += cpus[i]->nmis_unclaimed;
	}
	log_debug("%lu interrupts, %lu NMIs", interrupts, nmis);
	if (unclaimed)
		log_warn("%lu NMIs were not claimed", unclaimed);
	if (status & 0x7f) {
		log_info("the program was killed by signal %d", status & 0x7f);
		host_exit(128u + (status & 0x7f), HOST_SIGNAL, fall);
	}
	log_info("the program ended with status %d", status >> 8 & 0xff);
	host_exit(status >> 8 & 0xff, HOST_EXITED, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The notes of core files, in the layout of Linux's elf_prstatus, elf_prpsinfo and NT_FILE. */
#include <linux/elf.h>
#include <linux/resource.h>
#include <linux/time.h>
#include "api/process/core_file.h"
#include "api/process/usage.h"
#include "api/ptrace/ptrace.h"
#include "arch/x86/cpu/fpu.h"
#include "kernel/base/string.h"
#include "kernel/file/file.h"
#include "kernel/fs/path.h"
#include "kernel/mem/memory.h"
#include "kernel/signal/signal.h"
#include "kernel/vm/foreign.h"
#include "kernel/vm/vma.h"

#define NAME_BYTES     8 /* "CORE" or "LINUX" with padding */
#define ARGUMENT_BYTES 80

struct status {
	int32_t signo, code, error;
	int16_t current_signal;
	uint64_t pending, blocked;
	int32_t pid, parent, group, session;
	struct __kernel_old_timeval user, system, children_user, children_system;
	uint64_t registers[USER_REGISTERS];
	int32_t has_vector_registers;
};
_Static_assert(sizeof(struct status) == 336, "elf_prstatus");

struct identity {
	char state, state_letter, zombie, nice;
	uint64_t flags;
	uint32_t uid, gid;
	int32_t pid, parent, group, session;
	char name[16], arguments[ARGUMENT_BYTES];
};
_Static_assert(sizeof(struct identity) == 136, "elf_prpsinfo");

static void put_header(struct core_file *core, const char *owner, uint32_t type, uint64_t bytes)
{
	const Elf64_Nhdr header = {
	    .n_namesz = (uint32_t)strlen(owner) + 1, .n_descsz = (uint32_t)bytes, .n_type = type};
	char name[NAME_BYTES] = {0};

	memcpy(name, owner, strlen(owner));
	core_put(core, &header, sizeof(header));
	core_put(core, name, sizeof(name));
}

static void put_note(struct core_file *core, const char *owner, uint32_t type, const void *bytes,
		     uint64_t count)
{
	static const char zeros[4];

	put_header(core, owner, type, count);
	core_put(core, bytes, count);
	core_put(core, zeros, -count % sizeof(zeros));
}

static int32_t parent_of(const struct task *task)
{
	const struct task *parent = task->process->leader->parent;

	return parent ? parent->tgid : 0;
}

static void put_status(struct core_file *core, const struct task *task, int signo)
{
	const struct process *process = task->process;
	struct status status = {.signo = signo,
				.current_signal = (int16_t)signo,
				.pending = task->pending,
				.blocked = task->blocked,
				.pid = task->pid,
				.parent = parent_of(task),
				.group = process->pgid,
				.session = process->sid,
				.has_vector_registers = true};
	struct usage usage;
	struct rusage times;

	task_usage(task, &usage);
	usage_to_rusage(&usage, &times);
	status.user = times.ru_utime;
	status.system = times.ru_stime;
	for (unsigned i = 0; i < USER_REGISTERS; i++)
		status.registers[i] = register_get(task, i);
	put_note(core, "CORE", NT_PRSTATUS, &status, sizeof(status));
}

/* Vector registers: FXSAVE's part alone, and all. */
static void put_vectors(struct core_file *core, const struct task *task)
{
	void *image = kalloc(fpu_size());

	if (!image) {
		core->failed = true;
		return;
	}
	fpu_image_read(task->fpu, image);
	put_note(core, "CORE", NT_PRFPREG, image, FXSAVE_BYTES);
	if (fpu_components())
		put_note(core, "LINUX", NT_X86_XSTATE, image, fpu_size());
	kfree(image);
}

/* The arguments are separated by spaces. */
static void put_identity(struct core_file *core, const struct task *task)
{
	const struct mm *mm = task->mm;
	uint64_t bytes = mm->arg_end - mm->arg_start;
	struct identity identity = {.state_letter = 'R',
				    .nice = (char)task->nice,
				    .uid = task->cred.uid.real,
				    .gid = task->cred.gid.real,
				    .pid = task->tgid,
				    .parent = parent_of(task),
				    .group = task->process->pgid,
				    .session = task->process->sid};

	if (bytes >= ARGUMENT_BYTES)
		bytes = ARGUMENT_BYTES - 1;
	bytes = foreign_copy(task->mm, mm->arg_start, identity.arguments, bytes, 0);
	for (uint64_t i = 0; i < bytes; i++)
		if (!identity.arguments[i])
			identity.arguments[i] = ' ';
	memcpy(identity.name, task->comm, sizeof(identity.name));
	put_note(core, "CORE", NT_PRPSINFO, &identity, sizeof(identity));
}

static void put_auxiliary(struct core_file *core, struct mm *mm)
{
	char vector[512];
	uint64_t bytes = mm->auxv_end - mm->auxv_start;

	if (bytes > sizeof(vector))
		bytes = sizeof(vector);
	bytes = foreign_copy(mm, mm->auxv_start, vector, bytes, 0);
	put_note(core, "CORE", NT_AUXV, vector, bytes);
}

/* Returns the path of the file that the area shows, NULL: none. */
static const char *file_path(const struct vma *vma, char *buffer)
{
	if (!vma->file || !vma->file->inode || !vma->file->name)
		return NULL;
	return inode_path(vma->file->inode, vma->file->name, buffer, PATH_SIZE);
}

/* Mapped files: their number and the size of a page, the ranges with their offsets in pages, and
 * then the names. The first pass counts. */
static void put_files(struct core_file *core, struct mm *mm, char *buffer)
{
	uint64_t head[2] = {0, PAGE_SIZE}, bytes = sizeof(head);
	static const char zeros[4];
	struct vma *vma;
	const char *path;

	list_for_each(vma, &mm->vmas, link)
		if ((path = file_path(vma, buffer)))
			head[0]++, bytes += 3 * sizeof(uint64_t) + strlen(path) + 1;
	put_header(core, "CORE", NT_FILE, bytes);
	core_put(core, head, sizeof(head));
	list_for_each(vma, &mm->vmas, link)
		if (file_path(vma, buffer))
			core_put(core, (uint64_t[]){vma->start, vma->end, vma->pgoff},
				 3 * sizeof(uint64_t));
	list_for_each(vma, &mm->vmas, link)
		if ((path = file_path(vma, buffer)))
			core_put(core, path, strlen(path) + 1);
	core_put(core, zeros, -bytes % sizeof(zeros));
}

/* True while the thread's registers are in memory: it does not run on another processor. */
static bool is_readable(const struct task *task)
{
	return task != current_task() && task->state != TASK_ZOMBIE && !task->on_cpu;
}

void core_put_notes(struct core_file *core, const siginfo_t *info)
{
	struct task *task = current_task(), *other;
	char *buffer = kalloc(PATH_SIZE);

	if (!buffer) {
		core->failed = true;
		return;
	}
	fpu_save(task->fpu);
	put_status(core, task, info->si_signo);
	put_identity(core, task);
	put_note(core, "CORE", NT_SIGINFO, info, sizeof(*info));
	put_auxiliary(core, task->mm);
	put_files(core, task->mm, buffer);
	put_vectors(core, task);
	list_for_each(other, &task->process->threads, thread_link)
		if (is_readable(other)) {
			put_status(core, other, info->si_signo);
			put_vectors(core, other);
		}
	kfree(buffer);
}

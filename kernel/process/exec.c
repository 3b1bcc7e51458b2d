/* SPDX-License-Identifier: BSD-2-Clause */
/* execve(2): builds a new address space with the program and its stack; after that exec cannot
 * fail. */
#include <linux/auxvec.h>
#include <linux/errno.h>
#include <linux/mman.h>
#include <linux/resource.h>
#include <linux/stat.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/fpu.h"
#include "arch/x86/cpu/switch.h"
#include "arch/x86/trap/traps.h"
#include "kernel/base/assert.h"
#include "kernel/base/hooks.h"
#include "kernel/base/string.h"
#include "kernel/device/random.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/path.h"
#include "kernel/fs/permission.h"
#include "kernel/fs/ramfile.h"
#include "kernel/ipc/robust.h"
#include "kernel/mem/user.h"
#include "kernel/process/arguments.h"
#include "kernel/process/elf.h"
#include "kernel/process/exec.h"
#include "kernel/process/process.h"
#include "kernel/process/trace.h"
#include "kernel/signal/posix_timers.h"
#include "kernel/signal/signal.h"
#include "kernel/vm/vdso.h"
#include "kernel/vm/vm.h"

#define SCRIPT_LINE 256           /* of the "#!" line that counts */
#define SCRIPTS_MAX 4             /* scripts whose interpreters are scripts */
#define STACK_FIRST (132ul << 10) /* the stack's area at the start, beside the strings */
#define USER_RFLAGS 0x202         /* IF and the bit that is always 1 */

/* Adds the stack's area, large enough for the initial contents. */
static int add_stack(struct mm *mm, uint32_t prot, const struct arguments *arguments)
{
	size_t bytes = arguments->used + (arguments->argc + arguments->envc) * sizeof(uint64_t) +
		       PATH_SIZE + STACK_FIRST;
	int err;

	mm->stack_limit = current_task()->process->limits[RLIMIT_STACK][0];
	err = vma_add(mm, (VM_STACK_TOP - bytes) & -PAGE_SIZE, VM_STACK_TOP, prot,
		      MAP_PRIVATE | VMA_STACK, NULL, 0);
	return err == -EEXIST ? -ENOEXEC : err; /* a segment is there */
}

static void reset_signals(struct task *task)
{
	for (unsigned i = 0; i < NR_SIGNALS; i++) {
		struct signal_action *action = &task->process->actions->action[i];
		uint64_t handler = action->handler;

		memset(action, 0, sizeof(*action));
		if (handler == (uint64_t)SIG_IGN)
			action->handler = handler;
	}
	task->altstack = task->altstack_bytes = 0;
	task->altstack_flags = SS_DISABLE;
}

/* Makes the handlers the process's own, if another process shares them (CLONE_SIGHAND). */
static int unshare_actions(struct process *process)
{
	struct sigactions *own;

	if (process->actions->refs == 1)
		return 0;
	own = kalloc(sizeof(*own));
	if (!own)
		return -ENOMEM;
	*own = *process->actions;
	own->refs = 1;
	KASSERT(process->actions->refs > 1);
	process->actions->refs--;
	process->actions = own;
	return 0;
}

/* Sets the registers with which ring 3 starts. */
static void start_registers(struct task *task, uint64_t entry, uint64_t stack)
{
	/* Samples may read the registers during this, so interrupts are masked: a sample sees the
	 * old program's registers or the new one's, never a mixture. */
	const struct frame first = {
	    .rip = entry, .cs = USER_CS, .rflags = USER_RFLAGS, .rsp = stack, .ss = USER_SS};
	uint64_t flags;

	memcpy(task_user_frame(task), &first, sizeof(first));
	fpu_init_state(task->fpu);
	flags = irq_save();
	fpu_load(task->fpu);
	task->fs_base = task->gs_base = 0;
	switch_tls(0, 0);
	this_cpu()->return_work = 1;
	irq_restore(flags);
}

/* Calls perf's hooks in Linux's order. */
static void notify_perf(struct task *task)
{
	struct vma *vma;

	if (perf_hooks.exec)
		perf_hooks.exec(task);
	if (perf_hooks.comm)
		perf_hooks.comm(task, true);
	if (perf_hooks.mmap)
		list_for_each(vma, &task->mm->vmas, link)
			perf_hooks.mmap(vma);
	if (perf_hooks.exec_done)
		perf_hooks.exec_done(task);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* True if the user's other processes may inspect the program: it has no further privileges, and its
 * file is readable. */
static bool may_look_into(const struct program *program, const struct inode *inode)
{
	const struct cred *cred = &program->cred;

	return cred->uid.effective == cred->uid.real && cred->gid.effective == cred->gid.real &&
	       !program->unreadable && !inode_permission(inode, MAY_READ);
}

/* Ends the decision about credentials: tasks that wait to trace this one check their permission
 * again. */
static void decided(struct task *task)
{
	task->executing = false;
	waitq_wake(&task->process->changes);
}

/* After the point of no return: the task becomes the program. */
static void become(struct task *task, struct program *program, struct inode *inode,
		   struct dirent *name, const char *path, uint64_t stack)
{
	char comm[TASK_NAME];

	program->mm->dumpable = may_look_into(program, inode) ? DUMPABLE_USER : DUMPABLE_NOBODY;
	program->mm->stack_start = stack;
	mm_set_exe(program->mm, inode, name);
	robust_list_exit(task);
	mm_switch(program->mm);
	task->locks_over = false;
	task->rseq = 0;
	task_leave_vfork(task);
	files_close_on_exec(task->files);
	reset_signals(task);
	task->clear_child_tid = 0;
	task->process->execed = true;
	task->exit_signal = SIGCHLD;
	task_name(comm, base_name(path));
	task_rename(task, comm);
	start_registers(task, program->entry, stack);
	task->cred = program->cred;
	notify_perf(task);
}

/* True if another process shares the current directory and umask (CLONE_FS). */
static bool shares_cwd(const struct task *task)
{
	const struct task *thread;
	uint32_t own = 0;

	list_for_each(thread, &task->process->threads, thread_link)
		own += thread->cwd == task->cwd;
	return task->cwd->refs > own;
}

/* True if an ordinary user controls the task, by tracing it or by shared state: then exec must not
 * change its identity. */
static bool is_in_hand(const struct task *task)
{
	bool traced = is_traced(task) && !task->trace->tracer_capable;

	return (traced || shares_cwd(task)) && !capable(CAP_SETUID);
}

static int exec_elf(struct inode *inode, struct dirent *name, const char *path,
		    struct arguments *arguments, const char **why)
{
	struct task *task = current_task();
	struct program_owner owner = {inode->uid, inode->gid, inode->mode};
	struct program program = {.mm = mm_new()};
	uint64_t stack = 0;
	int err, old_pid = task->pid;

	if (!program.mm)
		return -ENOMEM;
	/* until set-user-id is decided, no task may attach or share state */
	task->executing = true;
	if (is_in_hand(task))
		owner.mode &= ~(uint32_t)(S_ISUID | S_ISGID);
	cred_for_exec(&program.cred, &owner, &program.secure);
	err = elf_load(inode, name, &program);
	*why = program.why;
	if (!err)
		err = add_stack(program.mm, program.stack_prot, arguments);
	if (!err) {
		program.vdso = vdso_map(program.mm);
		err = program.vdso ? 0 : -ENOMEM;
	}
	if (!err) {
		stack = first_stack(program.mm, &program, path, arguments);
		err = stack ? 0 : -ENOMEM;
	}
	if (!err)
		err = files_unshare(&task->files);
	if (!err)
		err = unshare_actions(task->process);
	if (!err)
		err = process_become_single();
	if (err) {
		decided(task);
		mm_put(program.mm);
		return err;
	}
	posix_timers_free(task->process);
	become(task, &program, inode, name, path, stack);
	decided(task);
	trace_exec(old_pid);
	return 0;
}

/* The interpreter and its optional argument of a "#!" line, both ended by NUL in `line`. Returns 0
 * or -ENOEXEC. */
static int parse_script_line(char *line, char **interpreter, char **argument)
{
	char *at = line + 2, *end;

	while (*at == ' ' || *at == '\t')
		at++;
	*interpreter = at;
	while (*at && *at != ' ' && *at != '\t' && *at != '\n')
		at++;
	if (at == *interpreter)
		return -ENOEXEC;
	*argument = NULL;
	end = strchr(at, '\n');
	if (end)
		*end = 0;
	if (!*at)
		return 0;
	*at++ = 0;
	while (*at == ' ' || *at == '\t')
		at++;
	end = at + strlen(at);
	while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
		*--end = 0;
	if (*at)
		*argument = at;
	return 0;
}

/* Builds argv of a script: interpreter, its argument, the script's path, the rest of the old
 * argv. */
static int script_arguments(struct arguments *arguments, const char *interpreter,
			    const char *argument, const char *path)
{
	struct arguments new = {0};
	size_t skip = arguments->argc ? arguments_string(arguments, 0) : 0;
	int err = arguments_add(&new, interpreter);

	if (!err && argument)
		err = arguments_add(&new, argument);
	if (!err)
		err = arguments_add(&new, path);
	if (!err)
		err = arguments_add_rest(&new, arguments, skip);
	new.argc = arguments->argc + (argument ? 2 : 1) + (arguments->argc ? 0 : 1);
	new.envc = arguments->envc;
	if (err) {
		arguments_free(&new);
		return err;
	}
	arguments_free(arguments);
	*arguments = new;
	return 0;
}

int exec_permitted(const struct inode *inode)
{
	if (!S_ISREG(inode->mode) || inode_permission(inode, MAY_EXECUTE))
		return -EACCES;
	return inode->writers ? -ETXTBSY : 0;
}

/* The program, or the next interpreter. */
struct candidate {
	struct inode *inode; /* both referenced, or NULL */
	struct dirent *name;
	const char *path;
};

static void program_put(const struct candidate *program)
{
	if (program->inode)
		inode_put(program->inode);
	name_put(program->name);
}

/* Puts the interpreter of the script's first line in the program's place, and the script into the
 * arguments. */
static int take_interpreter(struct candidate *program, char *line, struct arguments *arguments,
			    const char **reason)
{
	char *interpreter, *argument;
	int err = parse_script_line(line, &interpreter, &argument);

	if (!err)
		err = script_arguments(arguments, interpreter, argument, program->path);
	if (err)
		return err;
	program_put(program);
	*program = (struct candidate){.path = arguments->pages[0]}; /* no longer than a line */
	err = path_lookup_name(NULL, program->path, 0, &program->inode, &program->name);
	if (err) {
		program->inode = NULL;
		program->name = NULL;
		*reason = "its interpreter is not there";
	}
	return err;
}

/* Reads the program's first line. */
static int first_line(const struct candidate *program, char line[SCRIPT_LINE + 1],
		      const char **reason)
{
	int err = exec_permitted(program->inode);

	if (err) {
		*reason = err == -ETXTBSY ? "open for writing" : "permission denied";
		return err;
	}
	err = inode_fetch(program->inode);
	if (!err)
		line[inode_read(program->inode, 0, line, SCRIPT_LINE)] = 0;
	return err;
}

int exec(struct inode *inode, struct dirent *name, const char *path, struct arguments *arguments,
	 const char **why)
{
	struct candidate program = {inode, name, path};
	char line[SCRIPT_LINE + 1];
	const char *reason = NULL;
	int err;

	inode_get(inode);
	name_get(name);
	err = first_line(&program, line, &reason);
	for (unsigned depth = 0; !err && line[0] == '#' && line[1] == '!'; depth++) {
		err = depth < SCRIPTS_MAX ? take_interpreter(&program, line, arguments, &reason)
					  : -ELOOP;
		if (!err)
			err = first_line(&program, line, &reason);
	}
	if (!err)
		err = exec_elf(program.inode, program.name, program.path, arguments, &reason);
	program_put(&program);
	arguments_free(arguments);
	if (why)
		*why = reason;
	return err;
}

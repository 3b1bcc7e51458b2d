/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of tracers: ptrace(2). */
#include <asm/prctl.h>
#include <asm/ptrace-abi.h>
#include <linux/audit.h>
#include <linux/elf.h>
#include <linux/errno.h>
#include <linux/ptrace.h>
#include "api/calls.h"
#include "api/ptrace/ptrace.h"
#include "kernel/mem/user.h"
#include "kernel/process/trace.h"
#include "kernel/signal/signal.h"
#include "kernel/task/pids.h"
#include "kernel/vm/foreign.h"
#include "pmu/soft/breakpoint.h"

#define OPTIONS_ALL (PTRACE_O_MASK & ~PTRACE_O_SUSPEND_SECCOMP)
#define CALL_STOP   (SIGTRAP | 0x80)

/* Indices in struct user_regs_struct of a system call's registers. */
enum { CALL_NUMBER = 15, CALL_RESULT = 10, INSTRUCTION = 16, STACK = 19 };

/* Accesses a word of the tracee's memory, regardless of protection. */
static long access_word(struct task *task, uint64_t address, uint64_t *word, unsigned how)
{
	if (!trace_may_access(task) || foreign_copy(task->mm, address, word, sizeof(*word),
						    FOREIGN_FORCE | how) != sizeof(*word))
		return -EIO;
	return 0;
}

static long peek(struct task *task, uint64_t address, uint64_t user)
{
	uint64_t word = 0;
	long err = access_word(task, address, &word, 0);

	return err ? err : copy_to_user(user, &word, sizeof(word));
}

static bool user_offset_ok(uint64_t offset)
{
	return offset % sizeof(uint64_t) == 0 && offset < USER_BYTES;
}

static long peek_user_area(struct task *task, uint64_t offset, uint64_t user)
{
	uint64_t word = 0;

	if (!user_offset_ok(offset))
		return -EIO;
	if (offset / 8 < USER_REGISTERS)
		word = register_get(task, (unsigned)(offset / 8));
	else if (offset >= USER_DEBUG_REGS)
		word = watch_get(task, (unsigned)(offset - USER_DEBUG_REGS) / 8);
	return copy_to_user(user, &word, sizeof(word));
}

static long poke_user_area(struct task *task, uint64_t offset, uint64_t word)
{
	if (!user_offset_ok(offset))
		return -EIO;
	if (offset / 8 < USER_REGISTERS)
		return register_set(task, (unsigned)(offset / 8), word);
	if (offset < USER_DEBUG_REGS)
		return -EIO;
	return watch_set(task, (unsigned)(offset - USER_DEBUG_REGS) / 8, word);
}

static long all_registers(struct task *task, bool set, uint32_t type, uint64_t user)
{
	uint64_t bytes = type == NT_PRSTATUS ? USER_REGISTERS * 8 : 512;

	return set ? regset_set(task, type, user, &bytes) : regset_get(task, type, user, &bytes);
}

/* Copies a set of registers by a vector in user memory, whose length becomes the number of bytes
 * copied. */
static long some_registers(struct task *task, bool set, uint64_t type, uint64_t user)
{
	struct {
		uint64_t base, length;
	} vector;
	long err;

	if (copy_from_user(&vector, user, sizeof(vector)))
		return -EFAULT;
	err = set ? regset_set(task, (uint32_t)type, vector.base, &vector.length)
		  : regset_get(task, (uint32_t)type, vector.base, &vector.length);
	return err ? err : copy_to_user(user + 8, &vector.length, sizeof(vector.length));
}

static long resume(struct task *task, uint64_t signo, bool step, enum trace_calls calls)
{
	if (signo > NR_SIGNALS)
		return -EIO;
	trace_resume(task, (int)signo, step, calls);
	return 0;
}

static long detach(struct task *task, uint64_t signo)
{
	if (signo > NR_SIGNALS)
		return -EIO;
	trace_detach(task, (int)signo);
	return 0;
}

static long set_options(struct task *task, uint64_t options)
{
	if (options & ~(uint64_t)OPTIONS_ALL)
		return -EINVAL;
	task->trace->options = (uint32_t)options;
	return 0;
}

static long signal_info(struct task *task, bool set, uint64_t user)
{
	struct tracee *trace = task->trace;

	if (!trace->has_info)
		return -EINVAL;
	if (set)
		return copy_from_user(&trace->info, user, sizeof(trace->info));
	return copy_to_user(user, &trace->info, sizeof(trace->info));
}

static long signal_mask(struct task *task, bool set, uint64_t bytes, uint64_t user)
{
	uint64_t mask = task->restore_blocked ? task->saved_blocked : task->blocked;

	if (bytes != sizeof(mask))
		return -EINVAL;
	if (!set)
		return copy_to_user(user, &mask, sizeof(mask));
	if (copy_from_user(&mask, user, sizeof(mask)))
		return -EFAULT;
	task->blocked = mask & ~SIGNALS_UNBLOCKABLE;
	task->restore_blocked = false;
	return 0;
}

/* Only stops with PTRACE_O_TRACESYSGOOD's mark are identifiable as system-call stops. */
static size_t describe_call(struct task *task, struct ptrace_syscall_info *info)
{
	static const unsigned arguments[] = {14, 13, 12, 7, 9, 8}; /* rdi rsi rdx r10 r8 r9 */
	enum trace_place place =
	    task->trace->code == CALL_STOP ? task->trace->place : TRACE_ELSEWHERE;

	info->arch = AUDIT_ARCH_X86_64;
	info->instruction_pointer = register_get(task, INSTRUCTION);
	info->stack_pointer = register_get(task, STACK);
	switch (place) {
	case TRACE_AT_ENTRY:
		info->op = PTRACE_SYSCALL_INFO_ENTRY;
		info->entry.nr = register_get(task, CALL_NUMBER);
		for (unsigned i = 0; i < 6; i++)
			info->entry.args[i] = register_get(task, arguments[i]);
		return offsetof(struct ptrace_syscall_info, entry) + sizeof(info->entry);
	case TRACE_AT_EXIT:
		info->op = PTRACE_SYSCALL_INFO_EXIT;
		info->exit.rval = (int64_t)register_get(task, CALL_RESULT);
		info->exit.is_error = info->exit.rval < 0 && info->exit.rval >= -4095;
		return offsetof(struct ptrace_syscall_info, exit.is_error) + 1;
	default:
		return offsetof(struct ptrace_syscall_info, entry);
	}
}

static long call_info(struct task *task, uint64_t bytes, uint64_t user)
{
	struct ptrace_syscall_info info = {0};
	size_t whole = describe_call(task, &info);

	if (copy_to_user(user, &info, bytes < whole ? bytes : whole))
		return -EFAULT;
	return (long)whole;
}

static long thread_pointer(struct task *task, uint64_t option, uint64_t value)
{
	enum { FS_BASE = 21, GS_BASE };
	unsigned index = option == ARCH_SET_FS || option == ARCH_GET_FS ? FS_BASE : GS_BASE;
	uint64_t word = register_get(task, index);

	if (option == ARCH_GET_FS || option == ARCH_GET_GS)
		return copy_to_user(value, &word, sizeof(word));
	if (option != ARCH_SET_FS && option != ARCH_SET_GS)
		return -EINVAL;
	return register_set(task, index, value) ? -EPERM : 0;
}

static long seized_only(struct task *task, long request)
{
	struct tracee *trace = task->trace;

	if (!trace->seized)
		return -EIO;
	if (request == PTRACE_INTERRUPT) {
		trace_interrupt(task);
		return 0;
	}
	if (!trace->has_info || trace->info.si_code >> 8 != PTRACE_EVENT_STOP)
		return -EIO;
	trace_listen(task);
	return 0;
}

/* Handles a request to a stopped tracee; -EIO: unknown request. */
static long request_of(struct task *task, long request, uint64_t address, uint64_t data)
{
	switch (request) {
	case PTRACE_PEEKTEXT:
	case PTRACE_PEEKDATA:
		return peek(task, address, data);
	case PTRACE_POKETEXT:
	case PTRACE_POKEDATA:
		return access_word(task, address, &data, FOREIGN_WRITE);
	case PTRACE_PEEKUSR:
		return peek_user_area(task, address, data);
	case PTRACE_POKEUSR:
		return poke_user_area(task, address, data);
	case PTRACE_GETREGS:
	case PTRACE_SETREGS:
		return all_registers(task, request == PTRACE_SETREGS, NT_PRSTATUS, data);
	case PTRACE_GETFPREGS:
	case PTRACE_SETFPREGS:
		return all_registers(task, request == PTRACE_SETFPREGS, NT_PRFPREG, data);
	case PTRACE_GETREGSET:
	case PTRACE_SETREGSET:
		return some_registers(task, request == PTRACE_SETREGSET, address, data);
	case PTRACE_ARCH_PRCTL:
		return thread_pointer(task, data, address);
	case PTRACE_CONT:
		return resume(task, data, false, TRACE_CALLS_NOT);
	case PTRACE_SYSCALL:
		return resume(task, data, false, TRACE_CALLS);
	case PTRACE_SINGLESTEP:
		return resume(task, data, true, TRACE_CALLS_NOT);
	case PTRACE_SYSEMU:
		return resume(task, data, false, TRACE_CALLS_EMULATE);
	case PTRACE_SYSEMU_SINGLESTEP:
		return resume(task, data, true, TRACE_CALLS_EMULATE);
	case PTRACE_DETACH:
		return detach(task, data);
	case PTRACE_SETOPTIONS:
	case PTRACE_OLDSETOPTIONS:
		return set_options(task, data);
	case PTRACE_GETEVENTMSG:
		return copy_to_user(data, &task->trace->message, sizeof(task->trace->message));
	case PTRACE_GETSIGINFO:
	case PTRACE_SETSIGINFO:
		return signal_info(task, request == PTRACE_SETSIGINFO, data);
	case PTRACE_GETSIGMASK:
	case PTRACE_SETSIGMASK:
		return signal_mask(task, request == PTRACE_SETSIGMASK, address, data);
	case PTRACE_GET_SYSCALL_INFO:
		return call_info(task, address, data);
	case PTRACE_LISTEN:
		return seized_only(task, request);
	default:
		return -EIO;
	}
}

static long seize(struct task *task, uint64_t address, uint64_t options)
{
	if (address || options & ~(uint64_t)PTRACE_O_MASK)
		return -EIO;
	if (options & ~(uint64_t)OPTIONS_ALL)
		return -EINVAL;
	return trace_attach(task, true, (uint32_t)options);
}

static long kill_tracee(struct task *task)
{
	signal_send(task, SIGKILL);
	return 0;
}

/* The task is referenced. */
static long ptrace_query(struct task *task, long request, uint64_t address, uint64_t data)
{
	long err;

	if (request == PTRACE_ATTACH)
		return trace_attach(task, false, 0);
	if (request == PTRACE_SEIZE)
		return seize(task, address, data);
	err = trace_check(task, request == PTRACE_KILL || request == PTRACE_INTERRUPT);
	if (err)
		return err;
	if (request == PTRACE_KILL)
		return kill_tracee(task);
	if (request == PTRACE_INTERRUPT)
		return seized_only(task, request);
	return request_of(task, request, address, data);
}

long sys_ptrace(uint64_t request, uint64_t pid, uint64_t address, uint64_t data)
{
	struct task *task;
	long result;

	if (request == PTRACE_TRACEME)
		return trace_me();
	task = task_find((int)pid);
	if (!task)
		return -ESRCH;
	result = ptrace_query(task, (long)request, address, data);
	task_put(task);
	return result;
}

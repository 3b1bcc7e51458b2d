/* SPDX-License-Identifier: BSD-2-Clause */
/* The one terminal: /dev/console and, for the session that it controls, /dev/tty. It is the host
 * command's, or else the console, which has no input. */
#include <asm/ioctls.h>
#include <asm/poll.h>
#include <asm/termbits.h>
#include <asm/termios.h>
#include <linux/errno.h>
#include <linux/stat.h>
#include "arch/x86/cpu/cpu.h"
#include "kernel/base/cmdline.h"
#include "kernel/base/number.h"
#include "kernel/base/string.h"
#include "kernel/device/input.h"
#include "kernel/device/stdio.h"
#include "kernel/device/tty.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/host/host.h"
#include "kernel/mem/user.h"
#include "kernel/signal/signal.h"
#include "kernel/task/task.h"

#define FIRST_GROUP 1 /* of the first program, where there is no session */

static struct {
	struct winsize size;
	int session, foreground; /* 0: it controls no session */
	enum host_frame stream;  /* of the host's that is the terminal's output */
	bool typed;              /* there is a keyboard */
} tty = {.size = {.ws_row = 25, .ws_col = 80}, .stream = HOST_STDOUT};

/* Reads the host command's options: terminal=ioe, a letter for each stream that is a terminal, and
 * size=ROWSxCOLS. */
unsigned tty_init(void)
{
	char text[32];
	unsigned streams = 0;
	const char *at = text;
	uint64_t rows, cols;

	if (!host_is_linked())
		return host_listens() ? 0 : 1u << 1 | 1u << 2;
	if (!cmdline_value("terminal", text, sizeof(text)))
		return 0;
	for (unsigned i = 0; i < 3; i++)
		streams |= strchr(text, "ioe"[i]) ? 1u << i : 0;
	tty.typed = streams & 1;
	tty.stream = streams & 2 ? HOST_STDOUT : HOST_STDERR;
	if (cmdline_value("size", text, sizeof(text)) && !number_digits(&at, 10, &rows) &&
	    *at++ == 'x' && !number_digits(&at, 10, &cols)) {
		tty.size.ws_row = (uint16_t)rows;
		tty.size.ws_col = (uint16_t)cols;
	}
	return streams;
}

enum host_frame tty_stream(void)
{
	return tty.stream;
}

bool tty_has_input(void)
{
	return tty.typed;
}

void tty_control(int session)
{
	tty.session = tty.foreground = session;
}

static bool is_controlled(void)
{
	return tty.session && current_task()->process->sid == tty.session;
}

/* Signals every process of the group. There are many tasks only if a program made them. */
static void signal_group(int group, int signo)
{
	struct task *task;

	list_for_each(task, &all_tasks, task_link)
		if (task == task->process->leader && task->process->pgid == group)
			signal_send_process(task, signo);
}

void tty_signal(int signo)
{
	signal_group(tty.foreground ? tty.foreground : FIRST_GROUP, signo);
}

void tty_resize(uint16_t rows, uint16_t cols)
{
	if (!rows || !cols || (rows == tty.size.ws_row && cols == tty.size.ws_col))
		return;
	tty.size.ws_row = rows;
	tty.size.ws_col = cols;
	if (tty.foreground)
		signal_group(tty.foreground, SIGWINCH);
}

/* True if no member of the group has a parent in the session outside the group, so that no task
 * could continue it. */
static bool is_orphaned(int group)
{
	struct task *task;

	list_for_each(task, &all_tasks, task_link) {
		const struct task *parent = task->parent;

		if (task->process->pgid == group && parent && parent->process &&
		    parent->process->pgid != group && parent->process->sid == task->process->sid)
			return false;
	}
	return true;
}

/* For a background process: stops it, or returns an error if it cannot be stopped (SIGTTIN's
 * rules). */
int tty_may_read(void)
{
	const struct task *task = current_task();

	if (!is_controlled() || task->process->pgid == tty.foreground)
		return 0;
	if (signal_is_ignored(task->process, SIGTTIN) || task->blocked >> (SIGTTIN - 1) & 1 ||
	    is_orphaned(task->process->pgid))
		return -EIO;
	signal_group(task->process->pgid, SIGTTIN);
	return -EINTR;
}

static long set_size(uint64_t user)
{
	struct winsize size;

	if (copy_from_user(&size, user, sizeof(size)))
		return -EFAULT;
	tty_resize(size.ws_row, size.ws_col);
	tty.size = size;
	return 0;
}

static long set_modes(uint64_t user, bool flush)
{
	struct termios modes;
	tcflag_t before = tty_line.modes.c_lflag;
	uint64_t flags;

	if (copy_from_user(&modes, user, sizeof(modes)))
		return -EFAULT;
	flags = irq_save();
	if (flush)
		line_flush(&tty_line);
	tty_line.modes = modes;
	line_modes_changed(&tty_line, before);
	irq_restore(flags);
	return 0;
}

static long flush(uint64_t which)
{
	uint64_t flags;

	if (which > TCIOFLUSH)
		return -EINVAL;
	flags = irq_save();
	if (which != TCOFLUSH)
		line_flush(&tty_line);
	irq_restore(flags);
	return 0;
}

static long readable(uint64_t user)
{
	int bytes = (int)line_readable(&tty_line);

	return copy_to_user(user, &bytes, sizeof(bytes));
}

/* TIOCSPGRP: makes a process group of the session the foreground group. */
static long set_foreground(uint64_t user)
{
	struct task *task;
	int group;

	if (!is_controlled())
		return -ENOTTY;
	if (copy_from_user(&group, user, sizeof(group)))
		return -EFAULT;
	if (group < 0)
		return -EINVAL;
	list_for_each(task, &all_tasks, task_link) {
		if (task->process->pgid != group)
			continue;
		if (task->process->sid != tty.session)
			return -EPERM;
		tty.foreground = group;
		return 0;
	}
	return -ESRCH;
}

/* TIOCSCTTY: a session without a terminal takes this one if it is free. */
static long device_tty_take(void)
{
	const struct process *process = current_task()->process;

	if (is_controlled())
		return 0;
	if (process->sid != current_task()->tgid || tty.session)
		return -EPERM;
	tty_control(process->sid);
	return 0;
}

/* TIOCNOTTY: the session's leader gives the terminal up for the whole session. */
static long give_up(void)
{
	if (!is_controlled())
		return -ENOTTY;
	if (current_task()->tgid == tty.session)
		tty_control(0);
	return 0;
}

long tty_ioctl(struct file *file, unsigned command, uint64_t argument)
{
	const int none = 0;

	(void)file;
	switch (command) {
	case TCGETS:
		return copy_to_user(argument, &tty_line.modes, sizeof(tty_line.modes));
	case TCSETS:
	case TCSETSW:
	case TCSETSF:
		return set_modes(argument, command == TCSETSF);
	case TIOCGWINSZ:
		return copy_to_user(argument, &tty.size, sizeof(tty.size));
	case TIOCSWINSZ:
		return set_size(argument);
	case TIOCGPGRP:
		return is_controlled()
			   ? copy_to_user(argument, &tty.foreground, sizeof(tty.foreground))
			   : -ENOTTY;
	case TIOCSPGRP:
		return set_foreground(argument);
	case TIOCGSID:
		return is_controlled() ? copy_to_user(argument, &tty.session, sizeof(tty.session))
				       : -ENOTTY;
	case TIOCSCTTY:
		return device_tty_take();
	case TIOCNOTTY:
		return give_up();
	case FIONREAD:
		return readable(argument);
	case TIOCOUTQ:
		return copy_to_user(argument, &none, sizeof(none));
	case TCFLSH:
		return flush(argument);
	case TCSBRK:
	case TCSBRKP:
	case TCXONC:
		return 0; /* output is never queued */
	default:
		return -ENOTTY;
	}
}

/* /dev/tty can be opened by the processes that it controls. */
static int open_controlling(struct inode *inode, struct file *file)
{
	(void)inode, (void)file;
	return is_controlled() ? 0 : -ENXIO;
}

const struct inode_ops tty_inode_ops = {.open = open_controlling};

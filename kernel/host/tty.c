/* SPDX-License-Identifier: BSD-2-Clause */
/* The console as a terminal: /dev/console and, for the session that it controls, /dev/tty. Nothing
 * can be typed: input is at its end. */
#include <asm/ioctls.h>
#include <asm/poll.h>
#include <asm/termbits.h>
#include <asm/termios.h>
#include <linux/errno.h>
#include <linux/stat.h>
#include "kernel/fs/file.h"
#include "kernel/fs/inode.h"
#include "kernel/signal/signal.h"
#include "kernel/host/stdio.h"
#include "kernel/task/task.h"
#include "kernel/host/tty.h"
#include "kernel/mem/user.h"

static struct {
	struct termios modes;
	struct winsize size;
	int session, foreground; /* 0: it controls no session */
} tty = {
    .modes =
	{.c_iflag = ICRNL | IXON,
	 .c_oflag = OPOST | ONLCR,
	 .c_cflag = B115200 | CS8 | CREAD,
	 .c_lflag = ISIG | ICANON | ECHO,
	 .c_cc = {[VINTR] = 3, [VQUIT] = 28, [VERASE] = 127, [VKILL] = 21, [VEOF] = 4, [VMIN] = 1}},
    .size = {.ws_row = 25, .ws_col = 80},
};

void tty_control(int session)
{
	tty.session = tty.foreground = session;
}

static bool is_controlled(void)
{
	return tty.session && current_task()->process->sid == tty.session;
}

/* TIOCSPGRP: a process group of the session becomes the one in front. */
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

/* TIOCSCTTY: a session without a terminal takes this one, if nobody has it. */
static long take(void)
{
	const struct process *process = current_task()->process;

	if (is_controlled())
		return 0;
	if (process->sid != current_task()->tgid || tty.session)
		return -EPERM;
	tty_control(process->sid);
	return 0;
}

/* TIOCNOTTY: the session's leader gives it up for all. */
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
		return copy_to_user(argument, &tty.modes, sizeof(tty.modes));
	case TCSETS:
	case TCSETSW:
	case TCSETSF:
		return copy_from_user(&tty.modes, argument, sizeof(tty.modes));
	case TIOCGWINSZ:
		return copy_to_user(argument, &tty.size, sizeof(tty.size));
	case TIOCSWINSZ:
		return copy_from_user(&tty.size, argument, sizeof(tty.size));
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
		return take();
	case TIOCNOTTY:
		return give_up();
	case FIONREAD:
	case TIOCOUTQ:
		return copy_to_user(argument, &none, sizeof(none));
	case TCSBRK:
	case TCSBRKP:
	case TCFLSH:
	case TCXONC:
		return 0; /* output is never queued */
	default:
		return -ENOTTY;
	}
}

/* /dev/tty is there for the processes that it controls. */
static int open_controlling(struct inode *inode, struct file *file)
{
	(void)inode, (void)file;
	return is_controlled() ? 0 : -ENXIO;
}

const struct inode_ops tty_inode_ops = {.open = open_controlling};

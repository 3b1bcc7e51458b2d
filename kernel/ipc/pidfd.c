/* SPDX-License-Identifier: BSD-2-Clause */
/* Process descriptors: they can be polled for the process's end, and identify it while they are
 * open. */
#include <asm/poll.h>
#include <linux/fcntl.h>
#include "kernel/file/file.h"
#include "kernel/file/poll.h"
#include "kernel/ipc/pidfd.h"
#include "kernel/task/task.h"

static unsigned pidfd_poll(struct file *file, struct poll_table *table)
{
	struct task *leader = file->priv;

	poll_wait(table, &leader->process->changes);
	return leader->process->live ? 0 : POLLIN | POLLRDNORM;
}

static void pidfd_release(struct file *file)
{
	task_put(file->priv);
}

static const struct file_ops pidfd_ops = {
    .name = "[pidfd]",
    .poll = pidfd_poll,
    .release = pidfd_release,
};

struct file *pidfd_file(struct task *leader, uint32_t flags)
{
	struct file *file = file_new(&pidfd_ops, leader, O_RDWR | flags);

	if (file)
		task_get(leader);
	return file;
}

struct task *pidfd_task(const struct file *file)
{
	return file->ops == &pidfd_ops ? file->priv : NULL;
}

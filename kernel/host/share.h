/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared directories of the host in the guest's tree, over the link. */
#ifndef KERNEL_SHARE_H
#define KERNEL_SHARE_H

/*
 * Mounts the host's directory at its own path. Its entries are loaded when it is looked at, a
 * file's contents when it is opened; existing entries stay. Changes stay in memory. Returns 0,
 * -ENOTDIR or -ENOMEM. Needs the link. Context: task.
 */
int share_mount(const char *path);
/* As share_mount(), but changes are written back to the host. Context: task. */
int share_mount_both(const char *path);
/* Sends new, changed, moved and removed files of such directories. Context: task, at the end. */
void share_send_back(void);

#endif

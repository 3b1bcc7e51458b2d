/* SPDX-License-Identifier: BSD-2-Clause */
/* Folders of the host's in our tree, by the link. */
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
/* Sends what became new, changed, moved or gone in such folders. Context: task, at the end. */
void share_send_back(void);

#endif

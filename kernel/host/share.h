/* SPDX-License-Identifier: BSD-2-Clause */
/* Folders of the host's in our tree, by the link. */
#ifndef KERNEL_SHARE_H
#define KERNEL_SHARE_H

/*
 * Puts the host's folder at its own path into the tree. What is in it comes when it is looked at,
 * and what is in a file when that is opened; what lies there already stays. Changes stay in memory.
 * Returns 0, -ENOTDIR or -ENOMEM. Needs the link. Context: task.
 */
int share_mount(const char *path);
/* The same for a folder that changes go back to: 0 or an error of share_mount(). Context:
 * task. */
int share_mount_both(const char *path);
/* Sends what became new, changed, moved or gone in such folders. Context: task, at the end. */
void share_send_back(void);

#endif

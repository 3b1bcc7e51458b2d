/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits a child process that reads an untrusted program. */
#ifndef HOST_IMAGE_CONFINE_H
#define HOST_IMAGE_CONFINE_H

/* From now on the process, and programs that it executes, may only read files, write to open
 * descriptors, and exit. Without seccomp(2) on the host nothing changes. */
void confine_to_reading(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Secure bits of a task. */
#ifndef ABI_LINUX_SECUREBITS_H
#define ABI_LINUX_SECUREBITS_H

#define SECBIT_NOROOT               1
#define SECBIT_NO_SETUID_FIXUP      4
#define SECBIT_KEEP_CAPS            16
#define SECBIT_KEEP_CAPS_LOCKED     32
#define SECBIT_NO_CAP_AMBIENT_RAISE 64

#define SECURE_ALL_BITS  0x55
#define SECURE_ALL_LOCKS 0xaa

#endif

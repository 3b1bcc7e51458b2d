/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies to and from ring 3: every pointer is checked, every fault is caught. */
#ifndef KERNEL_USER_H
#define KERNEL_USER_H

#include <stddef.h>
#include <stdint.h>

#define USER_END 0x00007ffffffff000ul /* first address that no application may use */
_Static_assert(USER_END == 0x00007ffffffff000ul, "usercopy.asm");

/* Return 0 or -EFAULT; a partial copy before the fault is kept. May sleep or fault pages in. Four
 * bytes are one access: another processor sees an aligned word whole. Context: task. */
int copy_from_user(void *to, uint64_t from, size_t bytes);
int copy_to_user(uint64_t to, const void *from, size_t bytes);
/* Copies up to the first inaccessible page, and returns the number of bytes. A large part may be
 * copied twice. Context: task. */
size_t copy_some_from_user(void *to, uint64_t from, size_t bytes);
size_t copy_some_to_user(uint64_t to, const void *from, size_t bytes);
/* Stores one word; returns its size (8), or -EFAULT. Context: task. */
long put_user_word(uint64_t to, uint64_t value);
/* Zeroes user memory: 0 or -EFAULT. Context: task. */
int clear_user(uint64_t to, size_t bytes);
/* Copies a NUL-terminated string of at most size-1 characters; returns its length, -EFAULT, or
 * -ENAMETOOLONG. Context: task. */
long copy_string_from_user(char *to, uint64_t from, size_t size);

/*
 * Reads the current address space by walking its page tables, without faulting: for NMIs.
 * Returns the number of bytes that could be read before the first page that is absent or not the
 * user's. Context: any, NMI included.
 */
size_t peek_user(void *to, uint64_t from, size_t bytes);
/* Returns the kernel's address of a page of the current address space; NULL: absent, or not the
 * user's. It stays readable while interrupts are masked, because removing it needs a remote call to
 * every processor. Context: any. */
const void *peek_page(uint64_t page);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses that no call may write to, and the calls that get them (pointers.c). */
#ifndef TESTS_DEBUG_POINTERS_H
#define TESTS_DEBUG_POINTERS_H

#include "tests/debug/debug.h"

/*
 * A call's arguments, a letter each: p a pointer; l one to the number 16; o one that the call may
 * ignore, or take for a hint; / a path; f a file, d AT_FDCWD, D a directory, r and w the ends of a
 * pipe, s one of a socket pair, u a socket alone, b one with connections to accept, e an epoll set,
 * t a timer, n an inotify instance, v an event, x a set of semaphores, a descriptor each; m a page;
 * P our pid; T a posix timer; S a signal; k 4096; a digit itself.
 */
struct pointer_call {
	const char *name;
	long number;
	const char *arguments;
};

extern const struct pointer_call pointer_calls[];

/* A pointer that the kernel uses later, or finds in a struct: the function hands `address` over, in
 * a process of its own. */
struct later_pointer {
	const char *name;
	void (*use)(uint64_t address);
};

extern const struct later_pointer later_pointers[], later_objects[];

/* Before the kernel's text is looked at. */
void prepare_objects(void);

#endif

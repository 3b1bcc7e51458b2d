/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of objects that hold references to others: chains of them end one after the other, not
 * one inside of the other, so that a kernel stack is large enough however long a chain is. */
#ifndef KERNEL_ENDING_H
#define KERNEL_ENDING_H

/* A member of such an object. */
struct ending {
	struct ending *next;
	void (*end)(struct ending *ending);
};

/*
 * Calls end(ending) now; while the current task ends another object, after that has ended. Returns
 * when everything has ended, except to end(), which must not need what it gave up to be gone.
 * Context: task.
 */
void ending_run(struct ending *ending, void (*end)(struct ending *ending));

#endif

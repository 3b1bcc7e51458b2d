/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts QEMU, reads its serial lines, and makes sure that it ends. */
#ifndef HOST_MACHINE_QEMU_H
#define HOST_MACHINE_QEMU_H

#include <sys/types.h>

#include "host/machine/link/results.h"
#include "host/options.h"

#define QEMU "qemu-system-x86_64"

struct qemu {
	pid_t pid;
	int com1, com2, errors; /* its lines and its stderr */
};

/* Starts a query of QEMU's version, which is slow, if its file does not contain it. */
void qemu_query(void);
/* Returns QEMU's version ("7.2"); ends the command when QEMU is missing or too old. */
const char *qemu_check(void);
bool kvm_offers_pmu(void);
/* Starts it with these arguments; it finds COM1 at /dev/fd/3, COM2 at /dev/fd/4 and `initrd_fd` at
 * /dev/fd/5. `both_ways`: COM2 is a socket. */
void qemu_start(struct qemu *qemu, char **argv, int initrd_fd, bool both_ways);
/* Reads from it until its last frame, and ends it; ends the command without a last frame, after the
 * time limit (124) or by a signal. */
void qemu_watch(struct qemu *qemu, const struct options *options, struct results *results);
/* Runs it in the foreground with our own streams; returns its debug-exit status, or 0. Ends the
 * command when QEMU fails, after the time limit (124) or by a signal. With `stopped` time limit and
 * signals end QEMU as its monitor does, so that its plugin can finish, and *stopped is the signal
 * (SIGALRM: the time limit), or 0. */
int qemu_run(char **argv, int timeout, int *stopped);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors that QEMU inherits, beside the fixed ones of its machine. */
#include "host/machine/inherited.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "host/lib/report.h"

int inherited(int fd)
{
	int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD, FIRST_INHERITED);

	if (high < 0)
		die(STATUS_OURS, "cannot open a file: %s", strerror(errno));
	close(fd);
	return high;
}

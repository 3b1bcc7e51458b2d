/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of buffers. */
#ifndef ABI_LINUX_UIO_H
#define ABI_LINUX_UIO_H

#include <linux/posix_types.h>

struct iovec {
	void *iov_base;
	__kernel_size_t iov_len;
};

#endif

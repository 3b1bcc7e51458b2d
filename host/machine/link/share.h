/* SPDX-License-Identifier: BSD-2-Clause */
/* The host directories that the machine may see. */
#ifndef HOST_MACHINE_SHARE_H
#define HOST_MACHINE_SHARE_H

#include <stdint.h>
#include <sys/uio.h>

#include "host/options.h"

const struct words *share_choose(const struct options *options);
/* True if the machine sees this path, a host path without links. */
bool share_shows(const struct options *options, const char *path);
/* Reads a file from `offset` on into the parts; returns the bytes, or a negative errno. */
int64_t share_read(const char *path, uint64_t offset, const struct iovec *to, int nr);
/* Lists a directory (struct link_entry); returns the bytes that there are, or a negative errno. */
int64_t share_list(const char *path, unsigned char *to, uint64_t room);
/* Writes the struct link_entry of one name; returns its bytes, or a negative errno. */
int64_t share_look(const char *path, unsigned char *to, uint64_t room);
/* Returns the writable shared directory that `path` is, or is in, and the length of its path; or
 * NULL. */
const char *share_both_of(const char *path, size_t *length);
/* Opens `path`, which is, or is in, the shared `directory` as that was when the machine began,
 * without following links; `flags` are open(2)'s. -1 and errno on an error. */
int share_open(const char *directory, const char *path, uint64_t flags);

#endif

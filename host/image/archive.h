/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes cpio archives of the "newc" kind (man 5 cpio). */
#ifndef HOST_IMAGE_ARCHIVE_H
#define HOST_IMAGE_ARCHIVE_H

#include "host/lib/buffer.h"

/* Adds a file without its contents, which begin on a page; its directories exist. The caller writes
 * the contents after the archive, padded to a multiple of 4. */
void archive_begin_on_page(struct buffer *archive, const char *path, size_t size);
/* Adds one file with its parent directories; `path` starts with '/'. */
void archive_add(struct buffer *archive, const char *path, unsigned mode, const void *bytes,
		 size_t size);
/* Adds a symbolic link with its parent directories. */
void archive_add_link(struct buffer *archive, const char *path, const char *target);
/* Adds a directory and its parents. */
void archive_add_directory(struct buffer *archive, const char *path);
/* Adds a host file or a whole host directory at `path`; symbolic links are followed. */
void archive_add_host(struct buffer *archive, const char *host_path, const char *path);
void archive_end(struct buffer *archive);

#endif

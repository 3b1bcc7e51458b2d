/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of /proc and /sys: text that is made when the file is opened. */
#ifndef KERNEL_SYNTHETIC_H
#define KERNEL_SYNTHETIC_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/base/text.h"

/* Where lseek(2) finds the end of a file. */
enum synthetic_end {
	END_NONE,     /* EINVAL, as Linux's seq files */
	END_CONTENTS, /* where the contents end */
	END_START,    /* at 0, the size in stat(2) */
};

/* One file. `make` adds its contents to `out`; it may be called more than once per open. `id` is
 * the creator's (a pid). Context: task. */
struct synthetic {
	const char *path; /* absolute, or a name within a process's directory */
	void (*make)(struct text *out, uint64_t id);
	const char *text; /* a line that never changes, in place of `make` */
	/* Stores the written text (NUL-terminated). Returns 0, the number of bytes consumed, or a
	 * negative errno. NULL: the file is read-only. */
	int (*store)(const char *text, uint64_t id);
	/* The file is opened for writing with O_TRUNC: 0 or a negative errno. NULL: no effect. */
	int (*cut)(uint64_t id);
	/* Called at open: 0 or a negative errno. NULL: only the mode counts. */
	int (*permit)(uint64_t id);
	uint32_t mode;      /* permissions; 0: all may read, and root write what can be written */
	uint32_t size;      /* size in stat(2); most files have none */
	bool takes_nothing; /* writes of zero bytes also call `store` */
	/* Returns the size in stat(2), in place of `size`, of contents that are made once. NULL. */
	uint64_t (*measure)(void);
	enum synthetic_end end;
};

/* Adds the file's contents to `out`. Context: task. */
static inline void synthetic_make(const struct synthetic *file, struct text *out, uint64_t id)
{
	if (file->text)
		text_print(out, "%s\n", file->text);
	else
		file->make(out, id);
}

/* Adds a permanent file and the directories of its path, before or after the tree is made. Context:
 * start. */
void synthetic_add(const struct synthetic *file);
/* As synthetic_add(), but at `path` instead of file->path, and with an id. Context: task. */
void synthetic_add_at(const char *path, const struct synthetic *file, uint64_t id);
/* Adds a whole table to one directory: its paths are names there. Context: task. */
void synthetic_add_all(const char *directory, const struct synthetic *files, unsigned nr,
		       uint64_t id);
/* A directory with more than a mode: the root of a file system, or one whose entries are made on
 * lookup. */
struct inode_ops;
struct synthetic_directory {
	uint32_t mode;
	uint32_t magic;              /* statfs(2); 0: as above */
	uint64_t ino;                /* its number; 0: any */
	const struct inode_ops *ops; /* NULL: only what is added below it */
};
/* Adds a directory. Context: task. */
void synthetic_directory(const char *path, const struct synthetic_directory *directory);
/* Adds a symbolic link at the concatenation of both parts of the path. Context: task. */
void synthetic_link(const char *path, const char *target, const char *rest);

struct inode;
/* A new inode that shows the file; one reference, no name. NULL when memory is short.
 * Context: task. */
struct inode *synthetic_inode(const struct synthetic *file, uint64_t id);

/* Puts the additions into the tree. Context: start, from proc_init(). */
void synthetic_init(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory that the machine shares with us (abi/host_link.h), and our standard input. */
#ifndef TOOLS_LINK_H
#define TOOLS_LINK_H

#include "host/barepmu.h"

#include <sys/uio.h>

/* Adds QEMU's words for memory that we share with it and for the line that we ring by. */
void link_words(struct words *words, const struct options *options);
/* The machine's memory, and its ends of the line and of the pipe that it waits at; to be given to
 * QEMU. */
int link_memory_fd(void);
int link_bell_fd(void);
int link_door_fd(unsigned number);

/* The machine says where the link lies in its memory. Dies when that cannot be. */
void link_attach(uint64_t address);
bool link_attached(void);
/* Takes all output that lies in the ring. */
void link_drain(struct frames *frames, struct results *results);
/* The descriptor that input is awaited from, or -1; and how long at most, in ms. */
int link_input_fd(void);
int link_wait_ms(int most);
/* Answers what the machine has asked; `readable`: link_input_fd() has something. */
void link_serve(struct frames *frames, struct results *results, bool readable);
/* Sends the program a signal, once for each. */
void link_signal(int signo);

/* feed.c: whether a pipe or a terminal is the input of a program on Linux. */
bool feed_wanted(const struct options *options);
/* The machine has room for so many bytes. */
void feed_asked(uint32_t bytes);
/* What to wait for, or -1: it has not asked. */
int feed_fd(void);
/* Sends what feed_fd() has to the machine; `line`: our end of COM2. */
void feed_serve(int line);
/* Sends the terminal's size. */
void feed_size(int line);

/* share.c: the folders that the machine may see. */
const struct words *share_choose(const struct options *options);
/* It sees this path, a host's without links. */
bool share_shows(const struct options *options, const char *path);
/* Reads a file from `offset` on into the parts: how many bytes came, or a negative errno. */
int64_t share_read(const char *path, uint64_t offset, const struct iovec *to, int nr);
/* Lists a folder (struct link_entry): how many bytes there are, or a negative errno. */
int64_t share_list(const char *path, unsigned char *to, uint64_t room);
/* The struct link_entry of one name: how many bytes it has, or a negative errno. */
int64_t share_look(const char *path, unsigned char *to, uint64_t room);

/* The folder that the machine may write and that `path` is, or is in: *length of it; or NULL. */
const char *share_both_of(const char *path, size_t *length);

/* Opens `path`, which is, or is in, the shared `folder`, by open(2)'s flags: as that was when the
 * machine began, and without following links. -1 and errno. */
int share_open(const char *folder, const char *path, uint64_t flags);

/* bring.c: what comes back of shared folders. All die when it cannot be written. */
/* Notes that the machine saw a name in a folder: one that it has there no more at the end goes. */
void bring_saw(const char *folder, const char *name);
/* A file to write the new contents to. */
FILE *bring_file(const char *path);
/* Gives the file that came these permission bits, of which the lower nine count. */
void bring_rights(const char *path, const unsigned char *rights, size_t length);
void bring_symlink(const char *path, const unsigned char *target, size_t length);
/* The names in a folder, each ended by NUL, in as many pieces as come. */
void bring_names(const char *path, const unsigned char *names, size_t length, bool last);

/* results.c: opens a file of ours to be written anew, one at a time; NULL and errno. In a folder
 * that the machine writes too, links are not followed: they may be the machine's. Elsewhere what
 * was in the file is there until results_close(), unless it is a link or a device. */
FILE *results_open(const char *path);
/* Closes such a file, or one of bring_file(): it is there as a whole. False and errno: it could not
 * be written. */
bool results_close(FILE *file);

/* fallen.c: says which signal ended the program; with -v at which address and in which function. */
void fallen_tell(const struct options *options, const struct results *results);

/* terminal.c: which of our streams are a terminal, as the kernel's words for it, or "". */
const char *terminal_words(void);
/* Which are neither a terminal nor a pipe: the same. */
const char *file_words(void);
bool terminal_typed(void);
/* For a program on Linux: letters, rows and columns; "": none is typed at. */
const char *terminal_feed(void);
/* From now on each key goes to the machine, until the end. */
void terminal_raw(void);
void terminal_restore(void);
/* The end of a line on our stderr, as the terminal wants it now. */
const char *terminal_newline(void);
void terminal_size(uint32_t *rows, uint32_t *cols);
/* Looks for the keys that leave: true when they came. */
bool terminal_leaves(const unsigned char *bytes, size_t size);

#endif

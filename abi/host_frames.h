/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames from the image to the host command: types, flags and the reasons in the last one
 * (docs/protocols.md, "Frames on COM2"). */
#ifndef ABI_HOST_FRAMES_H
#define ABI_HOST_FRAMES_H

#define HOST_PAYLOAD 65536 /* most bytes of one frame */

enum host_frame {
	HOST_STDOUT = 'O',
	HOST_STDERR = 'E',
	HOST_FILE = 'F',
	HOST_EXIT = 'X',
	HOST_LINK = 'R',
	/* from Linux's first process: room for this number of input bytes (u32) */
	HOST_INPUT = 'I',
	/* from the same: the link, for requests of files alone; frames stay on COM2 until HOST_LINK
	 */
	HOST_SHARES = 'S',
};

/* Replies on the same line: kind (u8), length (u16), payload. */
enum host_feed {
	FEED_BYTES = 'D', /* as asked for; none: the end */
	FEED_SIZE = 'W',  /* at any time: the terminal's rows and columns (u16 each) */
};

/* Flags of HOST_FILE. */
enum {
	FILE_LAST = 1,       /* the last piece */
	FILE_SHARED = 2,     /* at its own path in a directory that both write, else below /out */
	FILE_RIGHTS = 4,     /* shared: the payload is its permission bits, 32 bits wide */
	FILE_SYMLINK = 8,    /* shared: the payload is where it leads */
	FILE_DIRECTORY = 16, /* shared: the payload is the names that are in it, each with a NUL */
};

enum host_reason { HOST_EXITED, HOST_SIGNAL, HOST_NOT_STARTED, HOST_PANIC };

#endif

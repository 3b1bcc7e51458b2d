/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of the host's compression libraries, which are loaded when a kernel needs one. */
#ifndef HOST_IMAGE_UNPACK_LIBRARY_H
#define HOST_IMAGE_UNPACK_LIBRARY_H

struct library {
	const char *file;    /* libz.so.1 */
	const char *package; /* Debian's */
	const char *format;  /* of the kernel, for messages */
	void *handle;        /* NULL: not loaded yet */
};

/* Returns the library's function, which is loaded at the first call. Ends the command with a
 * message if there is none. */
void *library_function(struct library *library, const char *name);

#endif

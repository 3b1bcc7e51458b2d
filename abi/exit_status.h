/* SPDX-License-Identifier: BSD-2-Clause */
/* Exit statuses of the command, of its programs in the image, and of the image's first process, as
 * env(1) and timeout(1) have them. */
#ifndef ABI_EXIT_STATUS_H
#define ABI_EXIT_STATUS_H

#define STATUS_TIMEOUT   124
#define STATUS_OURS      125 /* a bad option, no memory, ...: anything except the program's */
#define STATUS_NOT_EXEC  126
#define STATUS_NOT_FOUND 127

#endif

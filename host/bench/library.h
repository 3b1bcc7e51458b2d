/* SPDX-License-Identifier: BSD-2-Clause */
/* Archives for the code of `bench --code`. */
#ifndef HOST_BENCH_LIBRARY_H
#define HOST_BENCH_LIBRARY_H

/* Returns the path of an archive, which the caller frees: `name` itself if it has a slash, else of
 * libNAME.a. m and c are musl's, which the applications in the image are linked with. Ends the
 * command when there is none. */
char *library_find(const char *name);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Code addresses in messages. */
#ifndef DEBUG_PLACE_H
#define DEBUG_PLACE_H

/* "function+0x12": in a buffer that the next call overwrites. Context: any. */
const char *place(const void *code);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Machine code from assembly text, by nasm. */
#ifndef HOST_ASSEMBLE_H
#define HOST_ASSEMBLE_H

#include "host/lib/buffer.h"

/* Returns the machine code of `text`, which is assembly or @FILE. `lines` gets the beginning of
 * each line ("OFFSET TEXT"); `define` is a word for nasm. Ends the command with nasm's message. */
struct buffer assemble(const char *option, const char *text, const char *define,
		       struct buffer *lines);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays to which elements are only appended. */
#ifndef HOST_LIB_ARRAY_H
#define HOST_LIB_ARRAY_H

#include <stddef.h>

/* Returns the array of `nr` elements of `element` bytes each, perhaps moved, with room for one
 * more, which is zeroed. Without a field for the room: it doubles at each power of two, so `nr`
 * never shrinks. NULL is an array of 0. Ends the command when memory runs out. */
void *array_grow(void *array, size_t nr, size_t element);

#endif

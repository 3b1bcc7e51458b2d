/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays to which elements are only appended. */
#include "host/lib/array.h"

#include <stdlib.h>
#include <string.h>

#include "host/lib/report.h"

void *array_grow(void *array, size_t nr, size_t element)
{
	void *wider;

	if (nr & (nr - 1))
		return array;
	wider = realloc(array, (nr ? 2 * nr : 1) * element);
	if (!wider)
		die(STATUS_OURS, "out of memory");
	memset((char *)wider + nr * element, 0, (nr ? nr : 1) * element);
	return wider;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads libraries that most runs do not need. */
#include "host/image/unpack/library.h"

#include <dlfcn.h>

#include "host/lib/report.h"

void *library_function(struct library *library, const char *name)
{
	void *function;

	if (!library->handle)
		library->handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
	if (!library->handle)
		die(STATUS_OURS,
		    "the kernel is packed with %s, and %s cannot be loaded: install %s",
		    library->format, library->file, library->package);
	function = dlsym(library->handle, name);
	if (!function)
		die(STATUS_OURS, "%s has no %s(): it is too old", library->file, name);
	return function;
}

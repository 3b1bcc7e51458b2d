/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds components: built-in ones by name, others in shared objects. */
#ifndef SIM_COMPONENT_LOAD_H
#define SIM_COMPONENT_LOAD_H

#include "emulator/sim/component/component.h"

/* Where a component is to be used. */
struct component_place {
	enum sim_kind kind;
	enum sim_level level;
	const struct sim_component *const *builtin; /* ends with NULL */
};

/*
 * Parses "NAME[:PARAMETER=N]...": NAME is a built-in component, a file with a slash in its name, or
 * a component of the directory of component_search(). Loads it and checks it. Returns 0, or -1 with
 * one line (without newline) in error.
 */
int component_parse(const char *text, const struct component_place *place,
		    struct component_use *out, char *error, size_t size);

/* Sets the directory of the components that are named without a slash. Keeps the text. */
void component_search(const char *directory);

/* As component_search(), with the directory components/ beside the file that holds `address`. */
void component_search_beside(const void *address);

/* Returns the name of the file that holds `address`, if it is a loaded component's; else NULL. */
const char *component_file_of(const void *address);

/* True if a shared object was loaded. */
bool component_any_file(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that put a component into a core. */
#ifndef SIM_OPTIONS_COMPONENTS_H
#define SIM_OPTIONS_COMPONENTS_H

#include "emulator/sim/config/config.h"

struct component_word {
	const char *name;
	const char *shows; /* one line for users */
	enum component_slot slot;
	enum sim_kind kind;
	enum sim_level level;
};

extern const struct component_word component_words[];
extern const size_t component_word_count;

/* Returns the option; NULL: no component's, or a value that options.c takes. */
const struct component_word *component_word(const char *name, const char *value);

/* Sets config's component. Returns 0, or -1 with error as core_config_parse(). */
int component_set(struct core_config *config, const struct component_word *word, const char *value,
		  char *error, size_t size);

/* Checks that the core has what the components are attached to. As component_set(). */
int component_check(const struct core_config *config, char *error, size_t size);

#endif

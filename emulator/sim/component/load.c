/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds components: built-in ones by name, others in shared objects. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr() */
#endif

#include "emulator/sim/component/load.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/lib/closest.h"
#include "emulator/sim/component/error_line.h"

enum { FILES_MAX = 32, PATH_SIZE = 512 };

/* Loaded shared objects; never unloaded. */
static struct {
	char name[COMPONENT_NAME_SIZE];
	const struct sim_component *component;
} files[FILES_MAX];
static unsigned nr_files;

static const char *directory;

static const char *const kinds[SIM_KINDS] = {"nothing", "a direction predictor",
					     "an indirect predictor", "a replacement policy",
					     "a prefetcher"};

void component_search(const char *where)
{
	directory = where;
}

void component_search_beside(const void *address)
{
	static char beside[PATH_SIZE];
	Dl_info here;

	if (!dladdr(address, &here) || !strrchr(here.dli_fname, '/'))
		return;
	snprintf(beside, sizeof(beside), "%.*s/components",
		 (int)(strrchr(here.dli_fname, '/') - here.dli_fname), here.dli_fname);
	directory = beside;
}

/* Returns the name of the first callback that the component lacks; NULL: none. */
static const char *missing(const struct sim_component *c)
{
	if (!c->create || !c->destroy)
		return c->create ? "destroy()" : "create()";
	switch (c->kind) {
	case SIM_DIRECTION:
		return !c->direction            ? "struct sim_direction"
		       : c->direction->step     ? NULL
		       : !c->direction->predict ? "predict()"
		       : !c->direction->update  ? "update()"
						: NULL;
	case SIM_INDIRECT:
		return !c->indirect            ? "struct sim_indirect"
		       : c->indirect->step     ? NULL
		       : !c->indirect->predict ? "predict()"
		       : !c->indirect->update  ? "update()"
					       : NULL;
	case SIM_REPLACEMENT:
		return !c->replacement           ? "struct sim_replacement"
		       : !c->replacement->victim ? "victim()"
		       : !c->replacement->fill   ? "fill()"
		       : !c->replacement->hit    ? "hit()"
						 : NULL;
	default:
		return !c->prefetcher           ? "struct sim_prefetcher"
		       : !c->prefetcher->access ? "access()"
						: NULL;
	}
}

static unsigned count_parameters(const struct sim_component *c)
{
	unsigned nr = 0;

	while (c->parameters && c->parameters[nr].name)
		nr++;
	return nr;
}

static unsigned count_statistics(const struct sim_component *c)
{
	unsigned nr = 0;

	while (c->statistics && c->statistics[nr])
		nr++;
	return nr;
}

/* Checks what a shared object says of itself. */
static int check_component(const char *name, const struct sim_component *c, char *error,
			   size_t size)
{
	if (c->version != SIM_VERSION)
		return error_line(
		    error, size,
		    "component '%s' was built for version %u of sim.h, this is version %d", name,
		    c->version, SIM_VERSION);
	if (c->kind == 0 || c->kind >= SIM_KINDS)
		return error_line(error, size, "component '%s' is of an unknown kind, %u", name,
				  c->kind);
	if (!c->name || !c->shows)
		return error_line(error, size, "component '%s' has no name or no description",
				  name);
	if (missing(c))
		return error_line(error, size, "component '%s' has no %s", name, missing(c));
	if (count_parameters(c) > SIM_PARAMETERS_MAX || count_statistics(c) > SIM_STATISTICS_MAX)
		return error_line(error, size,
				  "component '%s' has more than %d parameters or %d statistics",
				  name, SIM_PARAMETERS_MAX, SIM_STATISTICS_MAX);
	return 0;
}

static int load(const char *name, const char *path, const struct sim_component **out, char *error,
		size_t size)
{
	const struct sim_component *(*get)(void);
	void *object;

	for (unsigned i = 0; i < nr_files; i++)
		if (!strcmp(files[i].name, path)) {
			*out = files[i].component;
			return 0;
		}
	if (strlen(path) >= sizeof(files[0].name) || nr_files == FILES_MAX)
		return error_line(error, size,
				  "component '%s': too long a name, or too many components", name);
	object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!object)
		return error_line(error, size, "component '%s' cannot be loaded: %s", name,
				  dlerror());
	get = (const struct sim_component *(*)(void))dlsym(object, SIM_SYMBOL);
	*out = get ? get() : NULL;
	if (!*out)
		return error_line(error, size, "'%s' is no component: it has no SIM_COMPONENT()",
				  name);
	if (check_component(name, *out, error, size))
		return -1;
	strcpy(files[nr_files].name, path);
	files[nr_files++].component = *out;
	return 0;
}

static const struct sim_component *find_builtin(const struct component_place *place,
						const char *name)
{
	for (unsigned i = 0; place->builtin && place->builtin[i]; i++)
		if (!strcmp(place->builtin[i]->name, name))
			return place->builtin[i];
	return NULL;
}

/* A name without a slash: built in, or in the directory. */
static int find_named(const char *name, const struct component_place *place,
		      const struct sim_component **out, char *error, size_t size)
{
	char path[PATH_SIZE];
	FILE *file;

	*out = find_builtin(place, name);
	if (*out)
		return 0;
	snprintf(path, sizeof(path), "%s/%s.so", directory ? directory : "", name);
	file = directory && *name ? fopen(path, "re") : NULL;
	if (!file) {
		size_t have = (size_t)snprintf(error, size, "no component '%s': takes", name);

		for (unsigned i = 0; place->builtin && place->builtin[i] && have < size; i++)
			have += (size_t)snprintf(error + have, size - have, " %s,",
						 place->builtin[i]->name);
		if (have < size)
			snprintf(error + have, size - have,
				 " a component's name, or a FILE.so "
				 "with a slash");
		return -1;
	}
	fclose(file);
	return load(name, path, out, error, size);
}

static int unknown_parameter(const struct component_use *use, const char *name, char *error,
			     size_t size)
{
	const struct sim_parameter *p = use->component->parameters;
	struct closest search = {.word = name};

	if (!p || !p->name)
		return error_line(error, size,
				  "component '%s' takes no parameter '%s': it has none", use->name,
				  name);
	for (; p->name; p++)
		closest_offer(&search, p->name);
	if (search.best)
		return error_line(error, size,
				  "component '%s' has no parameter '%s': did you mean '%s'?",
				  use->name, name, search.best);
	return error_line(error, size, "component '%s' has no parameter '%s': takes %s%s",
			  use->name, name, use->component->parameters[0].name,
			  use->component->parameters[1].name ? ", ..." : "");
}

/* Applies one PARAMETER=N, which it modifies. */
static int set_parameter(struct component_use *use, char *text, char *error, size_t size)
{
	char *value = strchr(text, '='), *end;
	const struct sim_parameter *parameters = use->component->parameters;

	if (value)
		*value++ = 0;
	for (unsigned i = 0; parameters && parameters[i].name; i++) {
		const struct sim_parameter *p = &parameters[i];

		if (strcmp(p->name, text))
			continue;
		use->parameters[i] =
		    value ? strtoull(value, &end, strncmp(value, "0x", 2) ? 10 : 16) : 0;
		if (value && isdigit((unsigned char)*value) && !*end &&
		    use->parameters[i] >= p->min && use->parameters[i] <= p->max)
			return 0;
		return error_line(error, size,
				  "component '%s': %s=%s: takes a number from %llu to %llu",
				  use->name, text, value ? value : "", (unsigned long long)p->min,
				  (unsigned long long)p->max);
	}
	return unknown_parameter(use, text, error, size);
}

static int check_place(const struct component_use *use, const struct component_place *place,
		       char *error, size_t size)
{
	const struct sim_component *c = use->component;

	if (c->kind != place->kind)
		return error_line(error, size, "component '%s' is %s, not %s", use->name,
				  kinds[c->kind], kinds[place->kind]);
	if (c->levels && place->level != SIM_NO_LEVEL && !(c->levels >> place->level & 1))
		return error_line(error, size, "component '%s' is not for this level", use->name);
	return 0;
}

int component_parse(const char *text, const struct component_place *place,
		    struct component_use *out, char *error, size_t size)
{
	char copy[PATH_SIZE], *rest = copy, *name;

	*out = (struct component_use){0};
	if (strlen(text) >= sizeof(copy))
		return error_line(error, size, "component: longer than %d characters",
				  PATH_SIZE - 1);
	strcpy(copy, text);
	name = strsep(&rest, ":");
	if (strlen(name) >= sizeof(out->name))
		return error_line(error, size, "component '%s': too long a name", name);
	strcpy(out->name, name);
	if (strchr(name, '/') ? load(name, name, &out->component, error, size)
			      : find_named(name, place, &out->component, error, size))
		return -1;
	if (check_place(out, place, error, size))
		return -1;
	for (unsigned i = 0; i < count_parameters(out->component); i++)
		out->parameters[i] = out->component->parameters[i].usual;
	while (rest)
		if (set_parameter(out, strsep(&rest, ":"), error, size))
			return -1;
	return 0;
}

const char *component_file_of(const void *address)
{
	Dl_info here, its;

	if (!dladdr(address, &here))
		return NULL;
	for (unsigned i = 0; i < nr_files; i++)
		if (dladdr(files[i].component, &its) && its.dli_fbase == here.dli_fbase)
			return files[i].name;
	return NULL;
}

bool component_any_file(void)
{
	return nr_files;
}

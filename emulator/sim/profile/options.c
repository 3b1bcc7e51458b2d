/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the profile's options, in the form NAME=VALUE. */
#include "emulator/sim/profile/options.h"

#include <stdlib.h>
#include <string.h>

#include "abi/core_quantities.h"
#include "emulator/sim/profile/profile.h"

struct profile_options profile_options;

static bool take_path(const char *value)
{
	profile_options.path = value;
	return true;
}

static bool take_own(const char *value)
{
	profile_options.own = !strcmp(value, "on");
	return true;
}

static bool take_chains(const char *value)
{
	static const char *const kinds[] = {"off", "on", "frames"};

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(value, kinds[i])) {
			profile_options.chains = i;
			return true;
		}
	return false;
}

static bool take_kernel(const char *value)
{
	profile_options.kernel = strtoull(value, NULL, 0);
	return true;
}

static bool take_modules(const char *value)
{
	profile_options.modules = strtoull(value, NULL, 0);
	return true;
}

/* PERIOD:QUANTITY[:QUANTITY...], numbers. */
static bool take_event(const char *value)
{
	char *end;
	unsigned n = profile_options.nr_events;

	if (n == PROFILE_EVENTS)
		return false;
	profile_options.events[n].period = strtoull(value, &end, 10);
	for (unsigned term = 0; *end == ':' && term < PROFILE_TERMS; term++) {
		unsigned long quantity = strtoul(end + 1, &end, 10);

		if (quantity >= CORE_NR_QUANTITIES)
			return false;
		profile_options.events[n].terms[term] = (uint8_t)quantity;
	}
	profile_options.nr_events++;
	return !*end && profile_options.events[n].terms[0];
}

/* KIND:VALUE, or KIND!:VALUE for the machine's end. */
static bool take_stop(const char *value)
{
	static const char *const kinds[] = {"address", "upper", "text", "post", "ring3"};
	struct profile_stop *stop = &profile_options.stops[profile_options.nr_stops];
	const char *colon = strchr(value, ':');

	if (!colon || profile_options.nr_stops == PROFILE_STOPS)
		return false;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t length = strlen(kinds[i]);

		if (strncmp(value, kinds[i], length) ||
		    (value[length] != ':' && value[length] != '!'))
			continue;
		stop->kind = i;
		stop->last = value[length] == '!';
		stop->text = colon + 1;
		stop->address = strtoull(colon + 1, NULL, 0);
		profile_options.nr_stops++;
		return true;
	}
	return false;
}

static const struct {
	const char *name;
	bool (*take)(const char *value);
} rows[] = {
    {"profile", take_path},    {"chains", take_chains}, {"kernel", take_kernel},
    {"event", take_event},     {"stop", take_stop},     {"own", take_own},
    {"modules", take_modules},
};

bool profile_option(const char *option)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t length = strlen(rows[i].name);

		if (!strncmp(option, rows[i].name, length) && option[length] == '=')
			return rows[i].take(option + length + 1);
	}
	return false;
}

bool profile_on(void)
{
	return profile_options.path;
}

const uint8_t *profile_event(unsigned event, uint64_t *period)
{
	if (event >= profile_options.nr_events)
		return NULL;
	*period = profile_options.events[event].period;
	return profile_options.events[event].terms;
}

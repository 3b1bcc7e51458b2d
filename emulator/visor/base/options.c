/* SPDX-License-Identifier: BSD-2-Clause */
/* The visor's options. */
#include "emulator/visor/base/options.h"
#include "emulator/visor/model/model.h"

#include "emulator/visor/base/console.h"
#include "emulator/visor/base/lib.h"

#define DEFAULT_PERSONALITY "skylake"
#define WORD_SIZE           128
#define MAX_STEPS           1000000

/* Copies the next word of `text`, returns the text after it; an empty word: there is none. */
static const char *next_word(const char *text, char word[WORD_SIZE])
{
	size_t n = 0;

	while (*text == ' ' || *text == '\t' || *text == '\r' || *text == '\n')
		text++;
	for (; *text && *text != ' ' && *text != '\t' && *text != '\r' && *text != '\n'; text++)
		if (n < WORD_SIZE - 1)
			word[n++] = *text;
	word[n] = 0;
	return text;
}

/* Returns the text after the prefix `name` of `word`, or NULL. */
static const char *value_of(const char *word, const char *name)
{
	size_t length = strlen(name);

	return strlen(word) >= length && !memcmp(word, name, length) ? word + length : NULL;
}

static const struct personality *parse_personality(const char *name)
{
	const struct personality *personality = personality_find(name);

	if (personality)
		return personality;
	say("visor: no PMU is called \"%s\"; there are", name);
	for (unsigned i = 0; personality_at(i); i++)
		say(" %s", personality_name(personality_at(i)));
	say("\n");
	stop();
}

/* Parses the number after `name`=. */
static unsigned parse_number(const char *name, const char *text, unsigned low, unsigned high)
{
	uint64_t value = 0;
	const char *p = text;

	for (; *p >= '0' && *p <= '9' && value <= high; p++)
		value = value * 10 + (uint64_t)(*p - '0');
	if (p == text || *p || value < low || value > high)
		fail("%s=%s is not a number from %u to %u", name, text, low, high);
	return (unsigned)value;
}

static void parse_quirks(struct quirks *quirks, const char *text)
{
	if (quirks_parse(quirks, text))
		return;
	say("visor: quirk=%s is not a list of", text);
	for (unsigned i = 0; quirks_name(i); i++)
		say(" %s", quirks_name(i));
	say("\n");
	stop();
}

static void parse_word(struct options *options, const char *word)
{
	const char *value;

	if ((value = value_of(word, "pmu=")))
		options->personality = parse_personality(value);
	else if ((value = value_of(word, "icount=")))
		options->icount = (int)parse_number("icount", value, 0, ICOUNT_MAX);
	else if ((value = value_of(word, "lbr=")))
		options->lbr = parse_number("lbr", value, 1, MAX_STEPS);
	else if ((value = value_of(word, "hpet=")))
		options->hpet = parse_number("hpet", value, 0, UINT32_MAX);
	else if ((value = value_of(word, "exact")) && !*value)
		options->exact = true;
	else if ((value = value_of(word, "turns")) && !*value)
		options->turns = true;
	else if ((value = value_of(word, "x2apic")) && !*value)
		options->x2apic = true;
	else if ((value = value_of(word, "exit=debug")) && !*value)
		return; /* stop_by() has seen it */
	else if ((value = value_of(word, "quirk=")))
		parse_quirks(&options->quirks, value);
	else
		fail(
		    "unknown option \"%s\"; there are pmu=NAME, exact, icount=SHIFT, turns, lbr=N, "
		    "x2apic, quirk=LIST, hpet=TICK, then -- and the guest's command line",
		    word);
}

const char *options_parse(struct options *options, const char *text)
{
	char word[WORD_SIZE];

	*options = (struct options){.personality = personality_find(DEFAULT_PERSONALITY),
				    .icount = ICOUNT_UNKNOWN};
	for (;;) {
		text = next_word(text, word);
		if (!*word)
			return text;
		if (strlen(word) == 2 && !memcmp(word, "--", 2))
			return *text ? text + 1 : text;
		parse_word(options, word);
	}
}

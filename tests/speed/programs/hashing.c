/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts words in a table with chains: their characters, one after the other, make the hash. */
#include "tests/accuracy/programs/program.h"

enum { BUCKETS = 1 << 14, WORD = 16 };

struct entry {
	struct entry *next;
	uint32_t hash, count;
	char word[WORD];
};

static struct entry *buckets[BUCKETS], *entries;

/* Some words are frequent. */
static void make_word(char *word)
{
	uint32_t random = program_random(), n = random % 4 ? random % 500 : random % 40000;

	memset(word, 0, WORD);
	for (unsigned i = 0; i < 6 + n % 7; i++, n = n * 5 / 4 + 7)
		word[i] = 'a' + n % 26;
}

static void count(const char *word)
{
	uint32_t hash = 2166136261u;
	struct entry *entry;

	for (const char *c = word; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 16777619u;
	for (entry = buckets[hash % BUCKETS]; entry; entry = entry->next)
		if (entry->hash == hash && !strcmp(entry->word, word))
			break;
	if (!entry) {
		entry = entries++;
		entry->hash = hash;
		strcpy(entry->word, word);
		entry->next = buckets[hash % BUCKETS];
		buckets[hash % BUCKETS] = entry;
	}
	entry->count++;
}

int main(int argc, char **argv)
{
	unsigned n = program_size(argc, argv, 90000), most = 0;
	struct entry *all = entries = program_zeros(sizeof(*entries) * n);
	char word[WORD];

	for (unsigned i = 0; i < n; i++) {
		make_word(word);
		count(word);
	}
	for (struct entry *entry = all; entry < entries; entry++)
		most = entry->count > most ? entry->count : most;
	return program_end(most);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of arguments: of QEMU, and of options that may be repeated. */
#ifndef HOST_LIB_WORDS_H
#define HOST_LIB_WORDS_H

#define MAX_WORDS 256

struct words {
	const char *word[MAX_WORDS];
	int nr;
};

/* Appends `word`, which must stay valid; ends the command when the list is full. */
void add_word(struct words *words, const char *word);

#endif

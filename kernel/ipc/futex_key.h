/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys of futexes, shared by their files. Context of all: task. */
#ifndef KERNEL_FUTEX_KEY_H
#define KERNEL_FUTEX_KEY_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/base/tree.h"

#define FUTEX_TRIES_AT_ONCE 16 /* attempts while another processor keeps changing the word */

struct mm;

/* Identifies a word: the mm (NULL for shared words) and the virtual or physical address. */
struct futex_key {
	const struct mm *mm;
	uint64_t addr;
	uint64_t page_bytes; /* size of the page of a shared word; 0: not shared */
};

/* A node for a word in a tree; nodes of one word are in order of arrival. */
struct futex_place {
	struct tree_node node;
	struct futex_key key;
};

/* Pins a shared word's page while tasks wait for the word, so that the physical address stays
 * unique. */
void futex_key_hold(const struct futex_key *key);
void futex_key_drop(const struct futex_key *key);

/* Inserts into a tree by key, and holds the key; removes it, if it is in a tree. */
void futex_place_insert(struct tree *tree, struct futex_place *place);
void futex_place_remove(struct tree *tree, struct futex_place *place);

/* A tree's `before`. */
bool futex_before(const struct tree_node *a, const struct tree_node *b);
/* Returns the word's first node; NULL: none. */
struct futex_place *futex_first(const struct tree *tree, const struct futex_key *key);

/* Finds the word's key; touches its page, so that a shared one has a physical address. Returns 0,
 * -EINVAL or -EFAULT. */
int futex_key_of(uint64_t addr, bool private, struct futex_key *key);
bool futex_same(const struct futex_key *a, const struct futex_key *b);
/* Compares the word with the expected value: 0, -EAGAIN or -EFAULT. */
int futex_compare(uint64_t addr, uint32_t expected);

/* True if a task sleeps on the word with the ordinary operations. */
bool futex_plain_waits(const struct futex_key *key);
/* Returns -EINVAL if a task waits for the word as for a PI lock, or to be requeued to one;
 * otherwise 0. */
int futex_pi_waits(const struct futex_key *key);

#endif

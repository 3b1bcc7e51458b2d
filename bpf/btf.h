/* SPDX-License-Identifier: BSD-2-Clause */
/* Types of programs and maps in BTF, as loaders hand them in: kept, counted, told of. Context of
 * all: task. */
#ifndef BPF_BTF_H
#define BPF_BTF_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/base/list.h"

#define BTF_BYTES_MOST (1u << 20) /* of one; Linux's are 16 MiB */

struct text;

struct btf {
	uint32_t refs, id, bytes, nr_types; /* types without the first, void */
	bool kernel;
	const uint8_t *data; /* header, types, strings */
	const uint32_t *at;  /* of each type, in data */
	struct list link;    /* in all, by id; not the kernel's */
};

/* Takes the bytes over, checked: header, strings, each type's shape and the numbers that it names.
 * What is wrong goes to `log` (NULL: nowhere). NULL and *error. */
struct btf *btf_new(uint8_t *data, uint32_t bytes, struct text *log, int *error);
void btf_get(struct btf *btf);
void btf_put(struct btf *btf);
/* The next id above, 0: none; that of an id, with a reference, or NULL. The kernel's is 1. */
uint32_t btf_next_id(uint32_t id);
struct btf *btf_by_id(uint32_t id);
/* Bytes of a value of the type: false when it has none. */
bool btf_size(const struct btf *btf, uint32_t type, uint32_t *bytes);
/* The type's kind behind names and qualifiers, BTF_KIND_*. */
uint32_t btf_kind(const struct btf *btf, uint32_t type);

#endif

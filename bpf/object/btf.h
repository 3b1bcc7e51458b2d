/* SPDX-License-Identifier: BSD-2-Clause */
/* Types of programs and maps in BTF, as loaders provide them: stored, counted, returned. Context of
 * all: task. */
#ifndef BPF_OBJECT_BTF_H
#define BPF_OBJECT_BTF_H

#include <stdbool.h>
#include <stdint.h>
#include "bpf/object/object.h"

#define KERNEL_BTF_ID 1
#define BTF_BYTES_MAX (1u << 20) /* of one; Linux's are 16 MiB */

struct text;

struct btf {
	struct bpf_object object;
	uint32_t bytes, nr_types; /* types without the first, void */
	bool kernel;
	const uint8_t *data; /* header, types, strings */
	const uint32_t *at;  /* of each type, in data */
};

/* Takes ownership of the bytes and checks them: header, strings, each type's shape and the numbers
 * that it names. Errors are described in `log` (NULL: no log). NULL and *error on failure. */
struct btf *btf_new(uint8_t *data, uint32_t bytes, struct text *log, int *error);
/* Makes the kernel's types, once, if there is memory; they are permanent. */
void btf_prepare(void);
static inline void btf_put(struct btf *btf)
{
	if (btf)
		object_put(&btf->object);
}

/* Computes the size of a value of the type: false if it has none. */
bool btf_size(const struct btf *btf, uint32_t type, uint32_t *bytes);
/* Returns the type's kind, BTF_KIND_*, after names and qualifiers. */
uint32_t btf_kind(const struct btf *btf, uint32_t type);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and numbers of abi/linux/ and abi/asm/, of our headers and of the build machine's. */
#ifndef TESTS_HOST_ABI_FACTS_H
#define TESTS_HOST_ABI_FACTS_H

#include <stddef.h>
#include <stdint.h>

struct fact {
	const char *name;
	uint64_t value;
};

/* Facts in the same order: facts_ours.c by abi/, facts_host.c by the build machine's headers. */
const struct fact *facts_ours(size_t *nr);
const struct fact *facts_host(size_t *nr);

#endif

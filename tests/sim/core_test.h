/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers of the simulated core's tests. */
#ifndef TESTS_CORE_CORE_TEST_H
#define TESTS_CORE_CORE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emulator/sim/memory/memory.h"
#include "emulator/sim/options/parse.h"

/* xorshift64: the same numbers in every run. */
static inline uint64_t test_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* The core that a user's text names; it must be right. */
static inline struct core_config test_core(const char *text)
{
	struct core_config config;
	char error[256] = "";

	if (core_config_parse(text, &config, error, sizeof(error)))
		fail_msg("%s: %s", text, error);
	return config;
}

/* A load or store of 8 bytes, at the same physical as virtual address, long after the last one. */
static inline struct access_result test_access(struct memory *m, uint64_t address, bool store)
{
	static uint64_t now;
	struct access access = {
	    .vaddr = address, .paddr = address, .ip = 0x1000, .size = 8, .store = store};
	struct access_result result;

	access.now = now += 10000;
	memory_access(m, &access, &result);
	return result;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The fixture of tests with one processor's caches and TLBs. */
#ifndef TESTS_CORE_ONE_MEMORY_H
#define TESTS_CORE_ONE_MEMORY_H

#include "tests/sim/core_test.h"

static struct core_config config;
static struct shared_cache *shared;
static struct memory *memory;

static void setup(const char *text)
{
	config = test_core(text);
	shared = shared_cache_new(&config);
	memory = memory_new(&config, shared);
	assert_non_null(memory);
}

static void teardown(void)
{
	memory_free(memory);
	shared_cache_free(shared);
}

#endif

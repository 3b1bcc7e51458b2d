/* SPDX-License-Identifier: BSD-2-Clause */
/* Event codes as libpfm4 knows them. */
#ifndef TESTS_HOST_LIBPFM_H
#define TESTS_HOST_LIBPFM_H

#include <perfmon/pfmlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define CODE 0xf0000ffffull /* event select and unit mask */

static inline bool libpfm_start(void)
{
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1); /* including events of other processors */
	return pfm_initialize() == PFM_SUCCESS;
}

static inline uint64_t theirs(const char *pmu, const char *event)
{
	pfm_pmu_encode_arg_t arg = {.size = sizeof(arg)};
	char name[256];
	uint64_t code;
	int err;

	snprintf(name, sizeof(name), "%s::%s", pmu, event);
	err = pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_NONE, &arg);
	if (err != PFM_SUCCESS)
		fail_msg("%s: %s", name, pfm_strerror(err));
	code = arg.codes[0] & CODE;
	free(arg.codes);
	return code;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What must be true at the beginning and the end of each system call. */
#include "arch/x86/cpu/cpu.h"
#include "debug/context.h"

void check_call_begins(const char *name)
{
	(void)name;
}

void check_call_ended(const char *name)
{
	check_context(CONTEXT_TASK | CONTEXT_UNMASKED, name);
}

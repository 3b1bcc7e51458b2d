/* SPDX-License-Identifier: BSD-2-Clause */
/* Targets of hostile pointers, and their checksum. */
#include "abi/boot_info.h"
#include "arch/x86/paging/paging.h"
#include "kernel/base/string.h"
#include "kernel/debug/victims.h"
#include "kernel/host/crc32.h"
#include "kernel/mem/memory.h"
#include "kernel/task/task.h"

#define BYTES 4096

extern const char text_start[], text_end[], rodata_start[], data_start[];

/* Neither zeros nor values that a call would write. */
static uint8_t in_data[BYTES] __attribute__((aligned(4096))) = {0xd0};

static uint8_t *in_object(void)
{
	static uint8_t *object;

	if (!object) {
		object = kalloc(BYTES);
		if (object)
			memset(object, 0xe1, BYTES);
	}
	return object;
}

uint64_t victim_address(enum debug_victim victim)
{
	switch (victim) {
	case VICTIM_DATA:
		return (uint64_t)(uintptr_t)in_data;
	case VICTIM_ALIAS:
		return DIRECT_MAP + ((uint64_t)(uintptr_t)in_data - KERNEL_BASE);
	case VICTIM_OBJECT:
		return (uint64_t)(uintptr_t)in_object();
	case VICTIM_TASK:
		return (uint64_t)(uintptr_t)&current_task()->cred;
	default:
		return 0;
	}
}

uint32_t victims_checksum(void)
{
	const struct task *task = current_task();
	uint32_t crc = crc32(0, in_data, BYTES);

	if (in_object())
		crc = crc32(crc, in_object(), BYTES);
	return crc32(crc, &task->cred, sizeof(task->cred)) >> 1; /* positive */
}

uint32_t constants_checksum(void)
{
	/* cppcheck-suppress comparePointers ; the linker's two ends of one section */
	uint32_t crc = crc32(0, text_start, (size_t)(text_end - text_start));

	/* cppcheck-suppress comparePointers ; the linker's two ends of one section */
	return crc32(crc, rodata_start, (size_t)(data_start - rodata_start)) >> 1;
}

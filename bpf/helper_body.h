/* SPDX-License-Identifier: BSD-2-Clause */
/* What the bodies of helpers are written with. */
#ifndef BPF_HELPER_BODY_H
#define BPF_HELPER_BODY_H

#include "bpf/helpers.h"

/* A helper's head: run is the program's run, a[] are its registers R1 to R5. */
#define HELPER(name)  uint64_t help_##name(struct run *run, const uint64_t a[5])
#define ERROR(number) ((uint64_t)(-(int64_t)(number)))

/* A pointer that is none is a mistake of the program's: its run ends. */
#define MEMORY(pointer, bytes, write)                                   \
	({                                                              \
		void *memory_ = run_memory(run, pointer, bytes, write); \
		if (!memory_) {                                         \
			run->failed = true;                             \
			return 0;                                       \
		}                                                       \
		run_spend(run, bytes);                                  \
		memory_;                                                \
	})

/* Reads from wherever the address leads: ring 3, the kernel, or memory of the program's own: how
 * many bytes there were, of its own all or none. Context: any. */
size_t helper_peek(struct run *run, void *to, uint64_t from, size_t bytes, bool user);

#endif

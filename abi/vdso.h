/* SPDX-License-Identifier: BSD-2-Clause */
/* Data from the kernel for the vDSO: the page [vvar], directly below its code. */
#ifndef ABI_VDSO_H
#define ABI_VDSO_H

#include <stdint.h>

#define VVAR_BYTES 4096

/* Constant after start, except for real_ns, which is one word: readers need no sequence counter. */
struct vvar {
	uint64_t mult; /* as struct tsc_clock: ns = (tsc * mult >> shift) - zero */
	uint32_t shift;
	uint32_t reserved;
	uint64_t zero;
	int64_t real_ns; /* real time when the monotonic clock was 0 */
};

/* The segment whose limit is the processor's number and, above it, its node's. */
#define VDSO_PROCESSOR_SELECTOR   (15 * 8 | 3)
#define VDSO_PROCESSOR_NODE_SHIFT 12

#define VDSO_COARSE_NS 4000000 /* resolution of the coarse clocks, as reported */

#endif

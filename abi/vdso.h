/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel tells the vDSO: the page [vvar], which lies directly below its code. */
#ifndef ABI_VDSO_H
#define ABI_VDSO_H

#include <stdint.h>

#define VVAR_BYTES 4096

/* Constant after start: nobody has to look twice. */
struct vvar {
	uint64_t mult; /* as struct tsc_clock: ns = (tsc * mult >> shift) - zero */
	uint32_t shift;
	uint32_t reserved;
	uint64_t zero;
	int64_t real_ns; /* real time when the monotonic clock was 0 */
};

/* The segment whose limit is the number of the processor, and above it that of its node. */
#define VDSO_PROCESSOR_SELECTOR   (15 * 8 | 3)
#define VDSO_PROCESSOR_NODE_SHIFT 12

#define VDSO_COARSE_NS 4000000 /* what is said of the coarse clocks, as by the kernel's call */

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Versions of QEMU whose internals the simulator's plugin knows: it moves their clock. With another
 * version a simulated machine's clocks count instructions. */
#ifndef ABI_QEMU_VERSIONS_H
#define ABI_QEMU_VERSIONS_H

static const char *const qemu_clock_versions[] = {"7.2", "10.0"};

#define QEMU_CLOCK_VERSIONS (sizeof(qemu_clock_versions) / sizeof(qemu_clock_versions[0]))

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* x87, SSE, AVX and AVX-512 state of tasks, in XSAVE's standard format: Intel SDM volume 1,
 * "Managing State". */
#ifndef ARCH_X86_FPU_H
#define ARCH_X86_FPU_H

#include <stdbool.h>
#include <stdint.h>

#define FPU_ALIGN    64
#define FXSAVE_BYTES 512 /* of the legacy region */

/* Enables the processor's features. Context: start, each processor. */
void fpu_init(void);

/* Bytes of a state area (aligned to FPU_ALIGN), and the XCR0 components in it (0: FXSAVE's 512
 * bytes only). Constant after start. */
uint32_t fpu_size(void);
uint64_t fpu_components(void);

/* page_zero() may use YMM0, because XGETBV reports whether its upper half is in use. Constant after
 * start. */
extern bool page_zero_wide;

/* Writes the initial state (all registers zero, exceptions masked) into an area of fpu_size()
 * bytes. */
void fpu_init_state(void *area);
/*
 * Stores the registers to the area, loads them from it. fpu_save() may omit state that is unchanged
 * since fpu_load() of the same area: code that writes to an area must load it afterwards.
 * fpu_load() is false for a malformed image: the registers are then initial. Context: task or
 * scheduler.
 */
void fpu_save(void *area);
bool fpu_load(const void *area);

/*
 * The image as Linux shows it to debuggers: components that fpu_save() omitted have their initial
 * values, and the component mask is in the area that FXSAVE leaves to software. fpu_image_write()
 * and fpu_legacy_write() (FXSAVE's 512 bytes only) return false and change nothing if the processor
 * would refuse the image. The task that owns the area must not be running. Context: task.
 */
void fpu_image_read(const void *area, void *image);
bool fpu_image_write(void *area, const void *image);
bool fpu_legacy_write(void *area, const void *image);

#endif

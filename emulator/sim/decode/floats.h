/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Vector instructions whose operands or results may be denormal numbers, for which many processors
 * need an assist of microcode. Source: Intel 248966, "Floating-point exceptions in SIMD code";
 * Wittmann, Zeiser, Hager, Wellein, "Short note on costs of floating point operations" (2015).
 */
#ifndef SIM_DECODE_FLOATS_H
#define SIM_DECODE_FLOATS_H

#include <stdbool.h>
#include <stdint.h>

#define FLOATS_SOURCES     3
#define FLOATS_NO_REGISTER 0xff

struct float_op {
	uint8_t operation;               /* enum fp_operation */
	uint8_t sources[FLOATS_SOURCES]; /* vector registers, or FLOATS_NO_REGISTER */
	uint8_t target;
	uint8_t bytes;  /* of each source and of the result */
	bool is_double; /* else single precision */
	bool loads;     /* a source is in memory */
};

/* Fills in *op for an addition, multiplication, division or square root of SSE, AVX or FMA; false
 * for any other instruction. */
bool float_op_of(const void *bytes, unsigned length, struct float_op *op);

/* True if one of the numbers in `bytes` bytes is denormal. */
bool floats_denormal(const void *values, unsigned bytes, bool is_double);

#endif

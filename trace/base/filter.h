/* SPDX-License-Identifier: BSD-2-Clause */
/* Internals of filters, shared by filter.c (compiles) and match.c (evaluates): a list of
 * comparisons, each with a next comparison for true and for false. */
#ifndef TRACE_FILTER_H
#define TRACE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

enum operator{ OP_EQ, OP_NE, OP_LE, OP_LT, OP_GE, OP_GT, OP_MASK, OP_GLOB, NR_OPERATORS };

/* The left side of a comparison. */
enum subject { SUBJECT_FIELD, SUBJECT_CPU, SUBJECT_COMM };

/* The kind of a comparison: a number of this width against a range, or another kind. */
enum way { WAY_S8, WAY_U8, WAY_S16, WAY_U16, WAY_S32, WAY_U32, WAY_64, WAY_CPU, WAY_OTHER };

enum { PASS = -1, FAIL = -2 };

struct predicate {
	uint8_t way;
	bool inverted; /* true outside of the range */
	uint16_t offset;
	int16_t if_true, if_false; /* the next comparison, PASS or FAIL */
	uint64_t low, span;        /* numbers from low to low + span */
	uint64_t value;
	uint32_t string; /* its place in strings[] */
	uint16_t size;
	uint8_t op, subject;
	bool is_string, is_signed, is_located;
};

struct trace_filter {
	uint32_t nr, strings_used;
	char *strings, *text; /* right-hand sides; the source text */
	struct predicate predicates[];
};

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* A filter as it is made (filter.c) and matched (match.c): a list of comparisons, each of which
 * says where to go on when it holds and when it does not. */
#ifndef TRACE_FILTER_H
#define TRACE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

enum operator{ OP_EQ, OP_NE, OP_LE, OP_LT, OP_GE, OP_GT, OP_MASK, OP_GLOB, NR_OPERATORS };

/* What is compared. */
enum subject { SUBJECT_FIELD, SUBJECT_CPU, SUBJECT_COMM };

/* How it is compared: a number of so many bits lies in a range, or the rest. */
enum way { WAY_S8, WAY_U8, WAY_S16, WAY_U16, WAY_S32, WAY_U32, WAY_64, WAY_CPU, WAY_OTHER };

enum { PASS = -1, FAIL = -2 };

struct predicate {
	uint8_t way;
	bool inverted; /* the range is what does not hold */
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
	char *strings, *text; /* what is compared with; what it was made of */
	struct predicate predicates[];
};

#endif

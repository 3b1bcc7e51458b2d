/* SPDX-License-Identifier: BSD-2-Clause */
/* Evaluates filters. */
#include "arch/x86/cpu/percpu.h"
#include "kernel/base/string.h"
#include "kernel/task/task.h"
#include "trace/base/event.h"
#include "trace/base/filter.h"

/* True if the text matches a pattern with * ? []. The work is bounded by the product of their
 * lengths. */
static bool class_matches(const char **pattern, char c)
{
	const char *p = *pattern + 1;
	bool inverted = *p == '!' || *p == '^', matched = false;

	p += inverted;
	do {
		char low = *p++, high = low;

		if (!low)
			return c == '['; /* not closed: an ordinary character */
		if (*p == '-' && p[1] && p[1] != ']') {
			high = p[1];
			p += 2;
		}
		matched |= (unsigned char)c >= (unsigned char)low &&
			   (unsigned char)c <= (unsigned char)high;
	} while (*p != ']');
	*pattern = p;
	return matched != inverted;
}

static bool one_matches(const char **pattern, char c)
{
	if (**pattern == '?')
		return true;
	if (**pattern == '[')
		return class_matches(pattern, c);
	if (**pattern == '\\' && (*pattern)[1])
		++*pattern;
	return **pattern == c;
}

static bool glob(const char *pattern, const char *text, size_t bytes)
{
	const char *end = text + bytes, *star = NULL, *resume = NULL;

	while (text < end && *text) {
		if (*pattern == '*') {
			star = pattern++;
			resume = text;
			continue;
		}
		if (*pattern && one_matches(&pattern, *text)) {
			pattern++;
			text++;
			continue;
		}
		if (!star)
			return false;
		pattern = star + 1;
		text = ++resume;
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

static bool same(const char *want, const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		if (want[i] != text[i])
			return false;
		if (!want[i])
			return true;
	}
	return !want[bytes];
}

static bool string_matches(const struct trace_filter *filter, const struct predicate *p,
			   const char *record)
{
	const char *want = filter->strings + p->string, *text = record + p->offset;
	size_t bytes = p->size;
	bool equal;

	if (p->subject == SUBJECT_COMM) {
		text = current_task()->comm;
		bytes = sizeof(current_task()->comm);
	} else if (p->is_located) {
		uint32_t place = *(const uint32_t *)text;

		text = record + (place & 0xffff);
		bytes = place >> 16;
	}
	equal = p->op == OP_GLOB ? glob(want, text, bytes) : same(want, text, bytes);
	return equal == (p->op != OP_NE);
}

static bool mask_matches(const struct predicate *p, const char *record)
{
	uint64_t number = 0;

	if (p->subject == SUBJECT_CPU)
		return this_cpu_read(id) & p->value;
	memcpy(&number, record + p->offset, p->size);
	return number & p->value;
}

/* True if the number is in the comparison's range; *other: the comparison is of another kind. */
static inline bool number_matches(const struct predicate *p, const char *record, bool *other)
{
	const void *at = record + p->offset;
	uint64_t number;

	switch (p->way) {
	case WAY_S8:
		number = (uint64_t) * (const int8_t *)at;
		break;
	case WAY_U8:
		number = *(const uint8_t *)at;
		break;
	case WAY_S16:
		number = (uint64_t) * (const int16_t *)at;
		break;
	case WAY_U16:
		number = *(const uint16_t *)at;
		break;
	case WAY_S32:
		number = (uint64_t) * (const int32_t *)at;
		break;
	case WAY_U32:
		number = *(const uint32_t *)at;
		break;
	case WAY_64:
		number = *(const uint64_t *)at;
		break;
	case WAY_CPU:
		number = this_cpu_read(id);
		break;
	default:
		*other = true;
		return false;
	}
	return (number - p->low <= p->span) != p->inverted;
}

/* Evaluates from the comparison on. */
__attribute__((noinline)) static bool match_all(const struct trace_filter *filter,
						const struct predicate *p, const char *record)
{
	for (;;) {
		bool other = false, holds = number_matches(p, record, &other);
		int at;

		if (other)
			holds = p->is_string ? string_matches(filter, p, record)
					     : mask_matches(p, record);
		at = holds ? p->if_true : p->if_false;
		if (at < 0)
			return at == PASS;
		p = &filter->predicates[at];
	}
}

/* Filters usually compare numbers: this path calls nothing, so it has no registers to save. */
bool trace_filter_match(const struct trace_filter *filter, const void *record)
{
	const struct predicate *p = filter->predicates;

	for (;;) {
		bool other = false, holds = number_matches(p, record, &other);
		int at;

		if (other)
			return match_all(filter, p, record);
		at = holds ? p->if_true : p->if_false;
		if (at < 0)
			return at == PASS;
		p = &filter->predicates[at];
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters of records, in Linux's language: FIELD OPERATOR VALUE, joined by &&, || and !, with
 * parentheses. */
#include <linux/errno.h>
#include "kernel/base/number.h"
#include "kernel/base/string.h"
#include "kernel/mem/memory.h"
#include "trace/base/event.h"
#include "trace/base/filter.h"

#define TOO_MANY       "Too many terms in predicate expression"
#define PREDICATES_MAX 1024 /* comparisons of one filter */
#define DEPTH_MAX      64   /* parentheses in each other */
#define NUMBER_MAX     24   /* characters of a number */
#define STRING_MAX     256  /* bytes of a string to compare with, its NUL included */

struct parser {
	const struct trace_event *event;
	const char *at;
	struct trace_filter *filter;
	unsigned depth;
	const char *text;
	struct trace_filter_fault *fault;
};

/* As Linux, classifies characters as Latin-1. */
static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || c == '\xa0';
}

static void skip_blanks(struct parser *parser)
{
	while (is_blank(*parser->at))
		parser->at++;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || ((uint8_t)c >= 0xc0 && c != '\xd7' && c != '\xf7');
}

/* Records the error and its position as Linux counts it; returns the errno. */
static int fault_at(struct parser *parser, const char *what, const char *at, int err)
{
	size_t length = strlen(parser->text), place = (size_t)(at - parser->text);

	parser->fault->what = what;
	parser->fault->at = (uint32_t)(place < length ? place : length);
	return err;
}

/* An error in a comparison: -EINVAL. Linux counts its position from the second character. */
static int bad_predicate(struct parser *parser, const char *what, const char *at)
{
	return fault_at(parser, what, at + 1, -EINVAL);
}

/* Finds the field of that name; 0 or -EINVAL. */
static int find_subject(const struct parser *parser, const char *word, size_t length,
			struct predicate *p)
{
	struct trace_field field;

	for (unsigned i = 0; trace_field(parser->event, i, &field); i++) {
		if (!string_is(word, length, field.name))
			continue;
		*p = (struct predicate){.offset = field.offset,
					.size = field.size,
					.is_signed = field.is_signed,
					.is_string = field.is_string,
					.is_located = field.is_located};
		return field.elements && !field.is_string ? -EINVAL : 0;
	}
	if (string_is(word, length, "CPU") || string_is(word, length, "cpu"))
		*p = (struct predicate){
		    .subject = SUBJECT_CPU, .size = sizeof(int), .is_signed = true};
	else if (string_is(word, length, "COMM") || string_is(word, length, "comm"))
		*p = (struct predicate){.subject = SUBJECT_COMM, .is_string = true};
	else
		return -EINVAL;
	return 0;
}

static int parse_operator(struct parser *parser)
{
	/* Longer operators before their prefixes. */
	static const struct {
		const char *text;
		enum operator op;
	} operators[] = {{"==", OP_EQ}, {"!=", OP_NE}, {"<=", OP_LE},  {"<", OP_LT},
			 {">=", OP_GE}, {">", OP_GT},  {"&", OP_MASK}, {"~", OP_GLOB}};

	for (unsigned i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		const char *text = operators[i].text;

		if (parser->at[0] != text[0] || (text[1] && parser->at[1] != text[1]))
			continue;
		parser->at += strlen(text);
		return operators[i].op;
	}
	return -EINVAL;
}

/* A string in quotes. */
static int parse_string(struct parser *parser, struct predicate *p)
{
	struct trace_filter *filter = parser->filter;
	const char *at = parser->at, *end;
	size_t length;

	if (p->op != OP_EQ && p->op != OP_NE && p->op != OP_GLOB)
		return bad_predicate(parser, "Illegal operation for field type", at);
	if (!p->is_string)
		return bad_predicate(parser, "Expecting numeric field", at);
	end = strchr(at + 1, *at);
	if (!end)
		return bad_predicate(parser, "Missing matching quote", at + strlen(at));
	length = (size_t)(end - at) - 1;
	if (length >= STRING_MAX)
		return bad_predicate(parser, "Operand too long", end);
	p->string = filter->strings_used;
	memcpy(filter->strings + p->string, at + 1, length);
	filter->strings[p->string + length] = 0;
	filter->strings_used += (uint32_t)length + 1;
	parser->at = end + 1;
	return 0;
}

/* Reads a C number: false if it does not fit the field. */
static bool read_number(const char *at, const char *end, struct predicate *p)
{
	bool negative = *at == '-';

	at += negative;
	if ((negative && !p->is_signed) || number_digits(&at, 0, &p->value) || at != end ||
	    (p->is_signed && p->value > (uint64_t)INT64_MAX + negative))
		return false;
	if (negative)
		p->value = -p->value;
	return true;
}

static int parse_number(struct parser *parser, struct predicate *p)
{
	const char *at = parser->at, *end = at + (*at == '-');

	if (p->is_string)
		return bad_predicate(parser, "Expecting string field", at);
	if (p->op == OP_GLOB)
		return bad_predicate(parser, "Illegal operation for field type", at);
	while (is_word(*end) && *end != '_')
		end++;
	if (end - at >= NUMBER_MAX)
		return bad_predicate(parser, "Operand too long", end);
	if (!read_number(at, end, p))
		return bad_predicate(parser, "Illegal integer value", at);
	parser->at = end;
	return 0;
}

static int parse_value(struct parser *parser, struct predicate *p)
{
	char first = *parser->at;

	if (first == '"' || first == '\'')
		return parse_string(parser, p);
	if (first == '-' || (first >= '0' && first <= '9'))
		return parse_number(parser, p);
	return bad_predicate(parser, "Invalid value (did you forget quotes)?", parser->at);
}

/* As on Linux a number is truncated to the field's size. */
static uint64_t cut(const struct predicate *p)
{
	unsigned rest = 64 - 8 * p->size;

	return p->is_signed ? (uint64_t)((int64_t)(p->value << rest) >> rest)
			    : p->value << rest >> rest;
}

/* Converts a comparison with a number to a range; a mask is none. */
static void make_range(struct predicate *p)
{
	uint64_t least = p->is_signed ? (uint64_t)INT64_MIN : 0;
	bool less = p->op == OP_LT || p->op == OP_GE, equal = p->op == OP_EQ || p->op == OP_NE;

	p->low = equal ? p->value : least;
	p->span = equal ? 0 : p->value - least;
	p->inverted = p->op == OP_NE || p->op == OP_GE || p->op == OP_GT;
	if (less && p->span == 0) { /* nothing is less: not all */
		p->span = UINT64_MAX;
		p->inverted = !p->inverted;
	} else if (less) {
		p->span--;
	}
}

/* Returns how to compare a number of `size` bytes. */
static uint8_t way_of(uint32_t size, bool is_signed)
{
	switch (size) {
	case 1:
		return is_signed ? WAY_S8 : WAY_U8;
	case 2:
		return is_signed ? WAY_S16 : WAY_U16;
	case 4:
		return is_signed ? WAY_S32 : WAY_U32;
	default:
		return WAY_64;
	}
}

static void choose_way(struct predicate *p)
{
	p->way = WAY_OTHER;
	if (p->is_string)
		return;
	p->value = cut(p);
	if (p->op == OP_MASK)
		return;
	make_range(p);
	p->way = p->subject == SUBJECT_CPU ? WAY_CPU : way_of(p->size, p->is_signed);
}

/* A comparison is missing. Linux first checks whether there is any at all. */
static int no_predicate(struct parser *parser)
{
	const char *at = parser->at;

	if (!*at && parser->filter->nr)
		return fault_at(parser, "Meaningless filter expression", at, -EINVAL);
	if (!*at && strchr(parser->text, '!'))
		return fault_at(parser, "No filter found", at, -EINVAL);
	return *at && (*at != ')' || parser->filter->nr || at[-1] == '!') ? -EPERM : -EINVAL;
}

/* Parses FIELD OPERATOR VALUE. Returns its index, or -EINVAL. */
static int parse_predicate(struct parser *parser)
{
	struct trace_filter *filter = parser->filter;
	struct predicate *p = &filter->predicates[filter->nr];
	const char *word = parser->at;
	int op, err;

	if (filter->nr >= PREDICATES_MAX)
		return fault_at(parser, TOO_MANY, word, -EINVAL);
	if (!is_word(*word))
		return no_predicate(parser);
	while (is_word(*parser->at))
		parser->at++;
	err = find_subject(parser, word, (size_t)(parser->at - word), p);
	if (err)
		return bad_predicate(parser, "Field not found", parser->at);
	/* Records hold copies, so a user string (.ustring) is not supported. */
	if (p->is_string && strlen(parser->at) >= 8 && memcmp(parser->at, ".ustring", 8) == 0)
		parser->at += 8;
	skip_blanks(parser);
	op = parse_operator(parser);
	if (op < 0)
		return bad_predicate(parser, "Invalid operator", parser->at);
	p->op = (uint8_t)op;
	skip_blanks(parser);
	err = parse_value(parser, p);
	choose_way(p);
	skip_blanks(parser);
	return err ? err : (int)filter->nr++;
}

/* Redirects exits of the comparisons [from, to) from `old` to `now`. */
static void redirect(struct parser *parser, uint32_t from, uint32_t to, int old, int now)
{
	for (uint32_t i = from; i < to; i++) {
		struct predicate *p = &parser->filter->predicates[i];

		if (p->if_true == old)
			p->if_true = (int16_t)now;
		if (p->if_false == old)
			p->if_false = (int16_t)now;
	}
}

static int parse_or(struct parser *parser);

static int parse_not(struct parser *parser)
{
	uint32_t first = parser->filter->nr;
	bool inverted = false;
	int err;

	for (skip_blanks(parser); *parser->at == '!'; skip_blanks(parser)) {
		inverted = !inverted;
		parser->at++;
	}
	if (*parser->at == '(') {
		if (++parser->depth > DEPTH_MAX)
			return -EINVAL;
		parser->at++;
		err = parse_or(parser);
		if (err || *parser->at != ')')
			return err ? err : fault_at(parser, TOO_MANY, parser->at, -EPERM);
		parser->at++;
		parser->depth--;
		skip_blanks(parser);
	} else {
		int number = parse_predicate(parser);

		if (number < 0)
			return number;
		parser->filter->predicates[number].if_true = PASS;
		parser->filter->predicates[number].if_false = FAIL;
	}
	if (inverted) {
		redirect(parser, first, parser->filter->nr, PASS, INT16_MIN);
		redirect(parser, first, parser->filter->nr, FAIL, PASS);
		redirect(parser, first, parser->filter->nr, INT16_MIN, FAIL);
	}
	return 0;
}

/* Parses operands joined by the operator. An operand that decides the result exits; otherwise the
 * next one is evaluated. */
static int parse_chain(struct parser *parser, char op, int undecided,
		       int (*operand)(struct parser *))
{
	uint32_t first = parser->filter->nr, before;
	int err;

	for (before = first;; before = parser->filter->nr) {
		err = operand(parser);
		if (err || parser->at[0] != op || parser->at[1] != op)
			return err;
		parser->at += 2;
		redirect(parser, before, parser->filter->nr, undecided, (int)parser->filter->nr);
	}
}

static int parse_and(struct parser *parser)
{
	return parse_chain(parser, '&', PASS, parse_not);
}

static int parse_or(struct parser *parser)
{
	return parse_chain(parser, '|', FAIL, parse_and);
}

/* Returns the last unclosed parenthesis. */
static const char *open_one(const char *text, const char *at, int open)
{
	int level = open;

	while (at-- > text) {
		level += *at == ')';
		if (*at == '(' && level-- == open)
			return at;
	}
	return text;
}

/* Checks that parentheses and quotes are balanced; otherwise returns Linux's codes, which are not
 * errnos: -1, -2, -3. */
static int check_pairs(struct parser *parser)
{
	const char *at = parser->text;
	int open = 0;

	for (; *at; at++) {
		if (*at == '"' || *at == '\'') {
			const char *end = strchr(at + 1, *at);

			if (!end)
				return fault_at(parser, "Missing matching quote", at, -ESRCH);
			at = end;
		}
		open += (*at == '(') - (*at == ')');
		if (open < 0)
			return fault_at(parser, "Too few '('", at, -EPERM);
	}
	return open ? fault_at(parser, "Too many '('", open_one(parser->text, at, open), -ENOENT)
		    : 0;
}

/* Returns an upper bound of the comparisons in the text: each has an operator. */
static uint32_t most_predicates(const char *text)
{
	uint32_t nr = 1;

	for (; *text; text++)
		nr += *text == '&' || *text == '|';
	return nr < PREDICATES_MAX ? nr : PREDICATES_MAX;
}

int trace_filter_new(const struct trace_event *event, const char *text,
		     struct trace_filter **result, struct trace_filter_fault *fault)
{
	uint32_t most = most_predicates(text);
	size_t bytes = strlen(text) + 1;
	struct trace_filter *filter =
	    kalloc(sizeof(*filter) + (most + 1) * sizeof(struct predicate) + 2 * bytes);
	struct parser parser = {event, text, filter, 0, text, fault};
	int err;

	if (!filter)
		return -ENOMEM;
	filter->strings = (char *)&filter->predicates[most + 1];
	filter->text = memcpy(filter->strings + bytes, text, bytes);
	err = check_pairs(&parser);
	if (!err)
		err = parse_or(&parser);
	if (!err && *parser.at)
		err = fault_at(&parser, TOO_MANY, parser.at, -EPERM);
	if (err) {
		trace_filter_free(filter);
		return err;
	}
	*result = filter;
	return 0;
}

const char *trace_filter_text(const struct trace_filter *filter)
{
	return filter->text;
}

void trace_filter_free(struct trace_filter *filter)
{
	kfree(filter);
}

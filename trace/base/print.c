/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints a record by its event's `print fmt`: a printf format, and C expressions over the record's
 * fields. Formats are the kernel's own; records are untrusted, with their bounds.
 */
#include "kernel/base/number.h"
#include "kernel/base/string.h"
#include "kernel/base/symbols.h"
#include "kernel/base/text.h"
#include "trace/base/event.h"
#include "trace/base/print.h"

#define NESTED_MAX 6  /* parentheses */
#define FLAG_BYTES 96 /* space for the output of __print_flags() */

struct value {
	uint64_t number;
	const char *string; /* NULL: a number */
	size_t length;      /* of the string, at most */
};

struct expression {
	const struct trace_event *event;
	const uint8_t *record;
	uint32_t bytes;
	const char *at; /* in the text */
	unsigned depth;
	struct text flags;
	char flag_bytes[FLAG_BYTES];
};

static struct value evaluate(struct expression *e);

static void skip(struct expression *e)
{
	while (*e->at == ' ')
		e->at++;
}

static bool print_take(struct expression *e, const char *token)
{
	size_t length = strlen(token);

	skip(e);
	for (size_t i = 0; i < length; i++)
		if (e->at[i] != token[i])
			return false;
	e->at += length;
	return true;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static size_t word_bytes(const char *at)
{
	size_t length = 0;

	while (is_word(at[length]))
		length++;
	return length;
}

/* ---- fields ---- */

static struct value string_of(const struct expression *e, uint32_t offset, uint32_t size)
{
	if (offset > e->bytes || size > e->bytes - offset)
		return (struct value){.string = "", .length = 0};
	return (struct value){.string = (const char *)e->record + offset, .length = size};
}

static struct value number_of(const struct expression *e, uint32_t offset, unsigned size,
			      bool is_signed)
{
	struct value value = {0};

	if (size > sizeof(value.number) || offset > e->bytes || size > e->bytes - offset)
		return value;
	memcpy(&value.number, e->record + offset, size);
	if (is_signed && size && size < 8)
		value.number =
		    (uint64_t)((int64_t)(value.number << (64 - 8 * size)) >> (64 - 8 * size));
	return value;
}

/* Returns the field of that name, with an optional index for an array of numbers. */
static struct value field_value(struct expression *e, bool located)
{
	size_t length = word_bytes(e->at);
	const char *name = e->at;
	struct trace_field field;
	uint64_t index = 0;
	unsigned size;

	e->at += length;
	if (print_take(e, "["))
		number_digits(&e->at, 10, &index);
	print_take(e, "]");
	for (unsigned i = 0; trace_field(e->event, i, &field); i++) {
		if (!string_is(name, length, field.name))
			continue;
		if (field.is_located && located) {
			uint32_t where = (uint32_t)number_of(e, field.offset, 4, false).number;

			return string_of(e, where & 0xffff, where >> 16);
		}
		if (field.is_string && !field.is_located)
			return string_of(e, field.offset,
					 field.elements ? field.size : e->bytes - field.offset);
		size = field.elements ? field.size / field.elements : field.size;
		return number_of(e, field.offset + (uint32_t)index * size, size, field.is_signed);
	}
	return (struct value){0};
}

/* ---- expressions ---- */

static struct value quoted(struct expression *e)
{
	struct value value = {.string = e->at};

	while (e->at[value.length] && e->at[value.length] != '"')
		value.length++;
	e->at += value.length;
	e->at += *e->at == '"';
	return value;
}

/* Skips the rest of a macro's arguments, up to its closing parenthesis. */
static void leave(struct expression *e)
{
	while (*e->at && *e->at != ')')
		e->at++;
	e->at += *e->at == ')';
}

/* __print_flags(value, "|", { bit, "name" }...), __print_symbolic(value, { number, "name" }...). */
static struct value named(struct expression *e, bool flags)
{
	uint64_t value = evaluate(e).number, left = value;
	size_t from = e->flags.length;

	if (flags && print_take(e, ",") && print_take(e, "\""))
		quoted(e);
	while (print_take(e, ",") && print_take(e, "{")) {
		uint64_t number = evaluate(e).number;
		struct value name = {0};

		if (print_take(e, ",") && print_take(e, "\""))
			name = quoted(e);
		print_take(e, "}");
		if (flags ? !number || (left & number) != number
			  : number != value || e->flags.length != from)
			continue;
		if (e->flags.length != from)
			text_char(&e->flags, '|');
		text_add(&e->flags, name.string, name.length);
		left &= ~number;
	}
	leave(e);
	if (flags ? left != 0 : e->flags.length == from)
		text_print(&e->flags, "%s0x%lx", e->flags.length != from ? "|" : "", left);
	from = from < FLAG_BYTES ? from : FLAG_BYTES - 1;
	return (struct value){.string = e->flag_bytes + from, .length = FLAG_BYTES - from};
}

static bool is_type(const char *at)
{
	static const char *const types[] = {"void", "unsigned", "long", "int",
					    "char", "short",    "u64",  "s64"};
	size_t length = word_bytes(at);

	for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (string_is(at, length, types[i]))
			return true;
	return false;
}

static struct value primary(struct expression *e)
{
	struct value value = {0};

	skip(e);
	if (print_take(e, "-")) {
		value = primary(e);
		value.number = -value.number;
	} else if (print_take(e, "(")) {
		if (is_type(e->at)) {
			leave(e);
			return primary(e);
		}
		value = evaluate(e);
		print_take(e, ")");
	} else if (print_take(e, "\"")) {
		value = quoted(e);
	} else if (print_take(e, "REC->")) {
		value = field_value(e, false);
	} else if (print_take(e, "__get_str(")) {
		value = field_value(e, true);
		print_take(e, ")");
	} else if (print_take(e, "__print_flags(")) {
		value = named(e, true);
	} else if (print_take(e, "__print_symbolic(")) {
		value = named(e, false);
	} else {
		number_digits(&e->at, 0, &value.number);
		e->at += word_bytes(e->at); /* L, UL */
	}
	return value;
}

/* Evaluates a binary expression, from the loosest-binding operators. */
static struct value binary(struct expression *e, unsigned level)
{
	static const char *const operators[][2] = {
	    {"&", "&"}, {">=", "=="}, {"-", "+"}, {"/", "*"}};
	struct value left, right;
	unsigned which;

	if (level == sizeof(operators) / sizeof(operators[0]))
		return primary(e);
	left = binary(e, level + 1);
	for (;;) {
		if (print_take(e, operators[level][0]))
			which = 0;
		else if (print_take(e, operators[level][1]))
			which = 1;
		else
			return left;
		right = binary(e, level + 1);
		if (level == 0)
			left.number &= right.number;
		else if (level == 1)
			left.number =
			    which ? left.number == right.number : left.number >= right.number;
		else if (level == 2)
			left.number =
			    which ? left.number + right.number : left.number - right.number;
		else if (which)
			left.number *= right.number;
		else
			left.number = right.number
					  ? (uint64_t)((int64_t)left.number / (int64_t)right.number)
					  : 0;
	}
}

static struct value evaluate(struct expression *e)
{
	struct value value = {0}, yes, no;

	if (++e->depth <= NESTED_MAX) {
		value = binary(e, 0);
		if (print_take(e, "?")) {
			yes = evaluate(e);
			print_take(e, ":");
			no = evaluate(e);
			value = value.number || value.string ? yes : no;
		}
	}
	e->depth--;
	return value;
}

/* ---- the format ---- */

struct conversion {
	bool left, zeros;
	unsigned width, bytes; /* of the argument */
	char kind;             /* of printf's; S and s after p: symbols */
};

/* Parses the conversion after a %; returns the text after it. */
static const char *read_conversion(const char *at, struct conversion *c)
{
	uint64_t width = 0;

	*c = (struct conversion){.bytes = 4};
	for (; *at == '-' || *at == '0' || *at == '#' || *at == '+'; at++) {
		c->left |= *at == '-';
		c->zeros |= *at == '0';
	}
	if (*at >= '1' && *at <= '9')
		number_digits(&at, 10, &width);
	c->width = width < 64 ? (unsigned)width : 64;
	for (; *at == 'l' || *at == 'L' || *at == 'z' || *at == 'h'; at++)
		c->bytes = *at == 'h' ? c->bytes / 2 : 8;
	c->kind = *at;
	at += *at != 0;
	if (c->kind == 'p' && (*at == 's' || *at == 'S'))
		c->kind = *at++ == 's' ? 'y' : 'Y';
	return at;
}

static uint64_t cut(uint64_t number, const struct conversion *c)
{
	unsigned shift = 64 - 8 * (c->bytes ? c->bytes : 1);

	return c->kind == 'd' || c->kind == 'i' ? (uint64_t)((int64_t)(number << shift) >> shift)
						: number << shift >> shift;
}

void print_symbol(struct text *out, uint64_t address, int with_offset)
{
	uint64_t offset;
	const char *name = symbols_find(address, &offset);

	if (!name)
		text_print(out, "0x%lx", address);
	else if (with_offset)
		text_print(out, "%s+0x%lx/0x%lx", name, offset, symbols_size(address));
	else
		text_print(out, "%s", name);
}

static void pad(struct text *out, char with, size_t length, size_t width)
{
	for (; length < width; length++)
		text_char(out, with);
}

static void convert(struct text *out, const struct conversion *c, const struct value *value)
{
	char bytes[72];
	struct text digits;
	const char *string = bytes;
	size_t length = 0;

	text_init(&digits, bytes, sizeof(bytes));
	if (c->kind == 'd' || c->kind == 'i')
		text_print(&digits, "%ld", (long)cut(value->number, c));
	else if (c->kind == 'u')
		text_print(&digits, "%lu", cut(value->number, c));
	else if (c->kind == 'p')
		text_print(&digits, "%016lx", value->number);
	else if (c->kind == 'y' || c->kind == 'Y')
		print_symbol(&digits, value->number, c->kind == 'Y');
	else if (c->kind == 'c')
		text_char(&digits, (char)value->number);
	else if (c->kind != 's')
		text_print(&digits, "%lx", cut(value->number, c));
	if (c->kind == 's') {
		string = value->string ? value->string : "(null)";
		while (length < (value->string ? value->length : 6) && string[length])
			length++;
	} else {
		length = digits.length < sizeof(bytes) ? digits.length : sizeof(bytes) - 1;
	}
	if (!c->left)
		pad(out, c->zeros ? '0' : ' ', length, c->width);
	text_add(out, string, length);
	if (c->left)
		pad(out, ' ', length, c->width);
}

/* Returns the text after the quoted string at its start. */
static const char *behind_quotes(const char *at)
{
	while (*at && *at != '"')
		at += at[0] == '\\' && at[1] ? 2 : 1;
	return *at ? at + 1 : at;
}

/* Prints from the position in the format on, with the arguments after the first `skipped`. */
static void print_format(struct expression *e, const char *format, unsigned skipped,
			 struct text *out)
{
	struct conversion conversion;
	struct value value;

	while (skipped-- && print_take(e, ","))
		evaluate(e);
	while (*format && *format != '"') {
		if (*format == '\\' && format[1])
			format++;
		if (*format != '%' || format[1] == '%') {
			format += *format == '%';
			text_char(out, *format++);
			continue;
		}
		format = read_conversion(format + 1, &conversion);
		value = print_take(e, ",") ? evaluate(e) : (struct value){0};
		convert(out, &conversion, &value);
	}
}

/* Probes start with "(ADDRESS)" or "(FUNCTION <- RETURN)", which are printed as symbols. */
static void print_probe_place(struct expression *e, bool returns, struct text *out)
{
	uint64_t first = number_of(e, sizeof(struct trace_header), 8, false).number,
		 second = number_of(e, sizeof(struct trace_header) + 8, 8, false).number;
	bool of_kernel = (int64_t)first < 0;

	text_char(out, '(');
	if (returns && of_kernel) {
		print_symbol(out, second, 1);
		text_print(out, " <- ");
		print_symbol(out, first, 0);
	} else if (returns) {
		text_print(out, "0x%lx <- 0x%lx", second, first);
	} else {
		print_symbol(out, first, 1);
	}
	text_char(out, ')');
}

void print_record(const struct trace_event *event, const void *record, uint32_t bytes,
		  struct text *out)
{
	struct expression e = {.event = event, .record = record, .bytes = bytes};
	static char made[2048]; /* the kernel lock is held */
	const char *format = event->text;
	unsigned skipped = 0;
	struct text text;

	if (!format) {
		text_init(&text, made, sizeof(made));
		event->make_text(event, &text);
		format = made;
	}
	text_init(&e.flags, e.flag_bytes, sizeof(e.flag_bytes));
	format += *format == '"';
	e.at = behind_quotes(format);
	if (event->place == PLACE_OWN && *format == '(') {
		skipped = strcmp(event->fields[0].name, "__probe_func") ? 1 : 2;
		print_probe_place(&e, skipped == 2, out);
		while (*format && *format != ')')
			format++;
		format += *format == ')';
	}
	print_format(&e, format, skipped, out);
}

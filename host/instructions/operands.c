/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses operands for a form: for its latency so that each instance waits for the one before
 * through one operand, for its throughput so that none waits. */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "host/instructions/forms.h"
#include "host/lib/report.h"
#include "host/lib/text.h"

#define MAX_OPERANDS 4
#define CONSTANT     15 /* the register that is never written */
#define INSTANCES    12

enum kind { GENERAL, VECTOR, MEMORY, NUMBER, FIXED };

struct operand {
	enum kind kind;
	char text[8]; /* as in the form: r64, x, m128, i8, cl */
	bool read, written;
};

struct form {
	char mnemonic[24];
	struct operand operand[MAX_OPERANDS];
	int nr;
};

/* The registers that code may write, and the constant last; by width. */
static const struct width {
	const char *kind, *name[CONSTANT + 1];
} widths[] = {
    {"r64",
     {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "r8", "r9", "r10", "r11", "r12", "", "", "",
      "r15"}},
    {"r32",
     {"eax", "ebx", "ecx", "edx", "esi", "edi", "ebp", "r8d", "r9d", "r10d", "r11d", "r12d", "", "",
      "", "r15d"}},
    {"r16",
     {"ax", "bx", "cx", "dx", "si", "di", "bp", "r8w", "r9w", "r10w", "r11w", "r12w", "", "", "",
      "r15w"}},
    {"r8",
     {"al", "bl", "cl", "dl", "sil", "dil", "bpl", "r8b", "r9b", "r10b", "r11b", "r12b", "", "", "",
      "r15b"}},
};

static const struct {
	const char *kind, *name;
} sizes[] = {{"m8", "byte"},   {"m16", "word"},   {"m32", "dword"},
	     {"m64", "qword"}, {"m128", "oword"}, {"m256", "yword"}};

static enum kind kind_of(const char *text)
{
	switch (*text) {
	case 'r':
		return GENERAL;
	case 'x':
	case 'y':
		return VECTOR;
	case 'm':
		return MEMORY;
	case 'i':
		return NUMBER;
	default:
		return FIXED;
	}
}

static _Noreturn void bad_form(const char *text)
{
	die(STATUS_OURS, "--list: '%s' is no form of an instruction, as imul r64+, r64", text);
}

static struct operand parse_operand(const char *form, const char *text, size_t length)
{
	struct operand operand = {.read = true};

	if (length && strchr("+=", text[length - 1])) {
		operand.written = true;
		operand.read = text[length - 1] == '+';
		length--;
	}
	if (!length || length >= sizeof(operand.text))
		bad_form(form);
	memcpy(operand.text, text, length);
	operand.kind = kind_of(operand.text);
	return operand;
}

static struct form parse_form(const char *text)
{
	size_t length = strcspn(text, " ");
	struct form form = {.nr = 0};
	const char *at = text + length;

	if (!length || length >= sizeof(form.mnemonic))
		bad_form(text);
	memcpy(form.mnemonic, text, length);
	while (*(at += strspn(at, " ,"))) {
		length = strcspn(at, " ,");
		if (form.nr == MAX_OPERANDS)
			bad_form(text);
		form.operand[form.nr++] = parse_operand(text, at, length);
		at += length;
	}
	return form;
}

/* Returns the operand with this register, or with this slot of memory. */
static char *operand_text(const struct form *form, const struct operand *operand, int index)
{
	if (operand->kind == VECTOR)
		return format_text("%cmm%d", *operand->text, index);
	if (operand->kind == NUMBER)
		return format_text("3");
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
		if (!strcmp(operand->text, widths[i].kind))
			return format_text("%s", widths[i].name[index]);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (!strcmp(operand->text, sizes[i].kind))
			return format_text("%s [r14 + %d]", sizes[i].name, 64 * (1 + index));
	if (operand->kind != FIXED)
		bad_form(form->mnemonic);
	return format_text("%s", operand->text);
}

/* Returns one instance: operand i has the register index[i]. */
static char *instance(const struct form *form, const int index[MAX_OPERANDS])
{
	char *text = format_text("%s", form->mnemonic);

	for (int i = 0; i < form->nr; i++) {
		char *operand = operand_text(form, &form->operand[i], index[i]);
		char *more = format_text("%s%s %s", text, i ? "," : "", operand);

		free(operand);
		free(text);
		text = more;
	}
	return text;
}

/* Returns an instance whose result is `to`, and whose operand `source` is `from`. */
static char *chained(const struct form *form, int to, int source, int from)
{
	int index[MAX_OPERANDS] = {CONSTANT, CONSTANT, CONSTANT, CONSTANT};

	index[0] = to;
	if (source)
		index[source] = from;
	return instance(form, index);
}

static char *independent(const struct form *form)
{
	char *text = format_text("%s", "");

	for (int i = 0; i < INSTANCES; i++) {
		char *one =
		    chained(form, form->nr && form->operand[0].written ? i : CONSTANT, 0, 0);
		char *more = format_text("%s%s\n", text, one);

		free(one);
		free(text);
		text = more;
	}
	return text;
}

/* "IMUL (R64, R64)", with " 2>1" if `source` is not negative. */
static char *name_of(const struct form *form, int source)
{
	char *name = format_text("%s", form->mnemonic);

	for (int i = 0; i < form->nr; i++) {
		const char *kind = form->operand[i].text;

		name = format_text("%s%s%s%s", name, i ? ", " : " (", kind,
				   form->operand[i].kind == VECTOR ? "mm" : "");
	}
	name = format_text("%s%s", name, form->nr ? ")" : "");
	for (char *c = name; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	return source < 0 ? name : format_text("%s %d>1", name, source + 1);
}

/* True if the result can be this operand of the next instance. */
static bool can_chain(const struct form *form, int source)
{
	const struct operand *result = &form->operand[0], *operand = &form->operand[source];

	if (!form->nr || !result->written || !operand->read)
		return false;
	return source == 0 || (operand->kind == result->kind && result->kind != MEMORY);
}

/* Makes the code of a chain through one operand. Where the result is also read, two registers take
 * turns, so that an instance waits for the one before through this operand only. */
static char *chain(const struct form *form, int source, int *instances)
{
	bool turns = source && form->operand[0].read;
	char *one = chained(form, 0, source, turns ? 1 : 0);

	*instances = turns ? 2 : 1;
	return turns ? format_text("%s\n%s", one, chained(form, 1, source, 0)) : one;
}

/* "NAME | latency | throughput", where %s is the register of an instance. */
static int literal_code(const char *form, struct instruction_code *code)
{
	char *copy = format_text("%s", form), *rest = copy;
	char *name = strsep(&rest, "|"), *latency = strsep(&rest, "|"), *one = rest;
	char *mark, *text = format_text("%s", "");

	if (!latency || !one)
		bad_form(form);
	name[strlen(name) - strspn(name + strlen(name) - 1, " ")] = '\0';
	mark = strstr(one, "%s");
	for (int i = 0; i < INSTANCES; i++)
		text = mark ? format_text("%s%.*s%s%s\n", text, (int)(mark - one), one,
					  widths[0].name[i], mark + 2)
			    : format_text("%s%s\n", text, one);
	*code = (struct instruction_code){name, latency, text, 1};
	return 1;
}

int instruction_codes(const char *text, struct instruction_code *codes, int max)
{
	struct form form;
	int nr = 0, sources = 0;

	if (strchr(text, '|'))
		return literal_code(text, codes);
	form = parse_form(text);
	for (int source = 0; source < form.nr; source++)
		sources += can_chain(&form, source);
	for (int source = 0; source < form.nr && nr < max; source++)
		if (can_chain(&form, source)) {
			struct instruction_code *code = &codes[nr++];

			code->name = name_of(&form, sources > 1 ? source : -1);
			code->latency = chain(&form, source, &code->instances);
			code->throughput = independent(&form);
		}
	if (!nr) /* nothing waits for it */
		codes[nr++] = (struct instruction_code){
		    name_of(&form, -1), chained(&form, form.nr ? 0 : CONSTANT, 0, 0),
		    independent(&form), 1};
	return nr;
}

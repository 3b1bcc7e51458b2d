/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses arguments of probes. */
#include <linux/errno.h>
#include "arch/x86/cpu/frame.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "trace/probe/base/fetch.h"
#include "trace/probe/base/words.h"

static const struct fetch_type types[] = {
    {"x64", "u64", "0x%Lx", 8, false, false, false},
    {"x32", "u32", "0x%x", 4, false, false, false},
    {"x16", "u16", "0x%x", 2, false, false, false},
    {"x8", "u8", "0x%x", 1, false, false, false},
    {"u64", "u64", "%Lu", 8, false, false, false},
    {"u32", "u32", "%u", 4, false, false, false},
    {"u16", "u16", "%u", 2, false, false, false},
    {"u8", "u8", "%u", 1, false, false, false},
    {"s64", "s64", "%Ld", 8, true, false, false},
    {"s32", "s32", "%d", 4, true, false, false},
    {"s16", "s16", "%d", 2, true, false, false},
    {"s8", "s8", "%d", 1, true, false, false},
    {"symbol", "u64", "%pS", 8, false, false, false},
    {"string", "__data_loc char[]", "\\\"%s\\\"", 4, true, true, false},
    {"ustring", "__data_loc char[]", "\\\"%s\\\"", 4, true, true, true},
};

#define NR_TYPES (sizeof(types) / sizeof(types[0]))

/* Linux's names of the registers. */
#define REGISTER(name, member)                       \
	{                                            \
		name, offsetof(struct frame, member) \
	}
static const struct {
	const char *name;
	size_t offset;
} registers[] = {
    REGISTER("ax", rax),        REGISTER("bx", rbx),  REGISTER("cx", rcx),
    REGISTER("dx", rdx),        REGISTER("si", rsi),  REGISTER("di", rdi),
    REGISTER("bp", rbp),        REGISTER("sp", rsp),  REGISTER("ip", rip),
    REGISTER("flags", rflags),  REGISTER("cs", cs),   REGISTER("ss", ss),
    REGISTER("orig_ax", error), REGISTER("r8", r8),   REGISTER("r9", r9),
    REGISTER("r10", r10),       REGISTER("r11", r11), REGISTER("r12", r12),
    REGISTER("r13", r13),       REGISTER("r14", r14), REGISTER("r15", r15),
};

static const uint8_t arguments[] = {offsetof(struct frame, rdi), offsetof(struct frame, rsi),
				    offsetof(struct frame, rdx), offsetof(struct frame, rcx),
				    offsetof(struct frame, r8),  offsetof(struct frame, r9)};

static int add_step(struct fetch_arg *arg, enum fetch_op op, int64_t value)
{
	if (arg->nr_steps == FETCH_STEPS)
		return -E2BIG;
	arg->steps[arg->nr_steps++] = (struct fetch_step){(uint8_t)op, value};
	return 0;
}

static int parse_register(struct fetch_arg *arg, const char *name)
{
	for (unsigned i = 0; i < sizeof(registers) / sizeof(registers[0]); i++)
		if (strcmp(name, registers[i].name) == 0)
			return add_step(arg, FETCH_REGISTER, (int64_t)registers[i].offset);
	return -EINVAL;
}

static int parse_variable(struct fetch_arg *arg, const char *name, unsigned where)
{
	uint64_t number;

	if (strcmp(name, "retval") == 0)
		return where & FETCH_OF_RETURN
			   ? add_step(arg, FETCH_REGISTER, offsetof(struct frame, rax))
			   : -EINVAL;
	if (strcmp(name, "comm") == 0 || strcmp(name, "COMM") == 0)
		return add_step(arg, FETCH_COMM, 0);
	if (strcmp(name, "stack") == 0)
		return add_step(arg, FETCH_REGISTER, offsetof(struct frame, rsp));
	if (word_begins(name, "stack") && word_number(name + 5, &number) && number < 4096)
		return add_step(arg, FETCH_STACK, (int64_t)number);
	if (where & FETCH_OF_FUNCTION && word_begins(name, "arg") &&
	    word_number(name + 3, &number) && number >= 1 && number <= sizeof(arguments))
		return add_step(arg, FETCH_REGISTER, arguments[number - 1]);
	return -EINVAL;
}

/* @ADDRESS, @SYMBOL+OFFSET: memory there. */
static int parse_memory(struct fetch_arg *arg, char *what, unsigned where)
{
	uint64_t address;
	int err;

	if (!word_number(what, &address) && (where & FETCH_OF_USER || !word_symbol(what, &address)))
		return where & FETCH_OF_USER ? -EINVAL : -ENOENT;
	err = add_step(arg, FETCH_CONSTANT, (int64_t)address);
	return err ? err : add_step(arg, FETCH_LOAD, 0);
}

static int parse_value(struct fetch_arg *arg, char *what, unsigned where);

/* +OFFSET(WHAT), -OFFSET(WHAT), with u before the offset for memory of ring 3. */
static int parse_load(struct fetch_arg *arg, char *what, unsigned where)
{
	bool negative = *what++ == '-', user = *what == 'u';
	char *inner = strchr(what, '('), *end = strrchr(what, ')');
	uint64_t offset;
	int err;

	if (!inner || !end || end < inner || end[1])
		return -EINVAL;
	*inner = *end = 0;
	if (!word_number(what + user, &offset))
		return -EINVAL;
	err = parse_value(arg, inner + 1, where);
	return err ? err
		   : add_step(arg, user ? FETCH_LOAD_USER : FETCH_LOAD,
			      negative ? -(int64_t)offset : (int64_t)offset);
}

static int parse_value(struct fetch_arg *arg, char *what, unsigned where)
{
	uint64_t number;

	switch (*what) {
	case '%':
		return parse_register(arg, what + 1);
	case '$':
		return parse_variable(arg, what + 1, where);
	case '@':
		return parse_memory(arg, what + 1, where);
	case '+':
	case '-':
		return parse_load(arg, what, where);
	case '\\':
		return word_number(what + 1, &number)
			   ? add_step(arg, FETCH_CONSTANT, (int64_t)number)
			   : -EINVAL;
	default:
		return -EINVAL;
	}
}

static const struct fetch_type *find_type(const char *name)
{
	for (unsigned i = 0; i < NR_TYPES; i++)
		if (strcmp(types[i].name, name) == 0)
			return &types[i];
	return NULL;
}

/* A string needs an address. */
static int check_type(const struct fetch_arg *arg)
{
	uint8_t last = arg->steps[arg->nr_steps - 1].op;

	if (!arg->type || (last == FETCH_COMM && !arg->type->is_string))
		return -EINVAL;
	return arg->type->is_string && last != FETCH_LOAD && last != FETCH_LOAD_USER &&
		       last != FETCH_COMM
		   ? -EINVAL
		   : 0;
}

/* True for names of fields that each record has, here or on Linux. */
static bool is_taken(const char *name)
{
	static const char *const taken[] = {"common_type",  "common_flags",  "common_preempt_count",
					    "common_pid",   "common_tgid",   "__probe_ip",
					    "__probe_func", "__probe_ret_ip"};

	for (unsigned i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		if (strcmp(name, taken[i]) == 0)
			return true;
	return false;
}

static int parse_name(struct fetch_arg *arg, const char *name, size_t length)
{
	if (length >= sizeof(arg->name))
		return -EINVAL;
	memcpy(arg->name, name, length);
	arg->name[length] = 0;
	return word_is_name(arg->name, false) && !is_taken(arg->name) ? 0 : -EINVAL;
}

int fetch_parse(struct fetch_arg *arg, const char *word, unsigned number, unsigned where)
{
	const char *equals = strchr(word, '='), *what = equals ? equals + 1 : word;
	char copy[128], *type;
	struct text text;
	int err = 0;

	*arg = (struct fetch_arg){0};
	if (strlen(what) >= sizeof(copy))
		return -EINVAL;
	strlcpy(copy, what, sizeof(copy));
	text_init(&text, arg->name, sizeof(arg->name));
	if (equals)
		err = parse_name(arg, word, (size_t)(equals - word));
	else
		text_print(&text, "arg%u", number + 1);
	type = strchr(copy, ':');
	if (type)
		*type++ = 0;
	if (!err)
		err = parse_value(arg, copy, where);
	if (err)
		return err;
	if (!type)
		type = arg->steps[arg->nr_steps - 1].op == FETCH_COMM ? "string" : "x64";
	arg->type = find_type(type);
	return check_type(arg);
}

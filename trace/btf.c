/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /sys/kernel/btf/vmlinux: basic types with Linux's names, registers and tasks as programs see
 * them, and a struct for each trace event's record. Made on first use.
 */
#include <linux/btf.h>
#include <linux/errno.h>
#include <stddef.h>
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/fs/synthetic.h"
#include "kernel/mem/memory.h"
#include "kernel/task/membership/namespaces.h"
#include "kernel/task/task.h"
#include "trace/base/event.h"
#include "trace/btf.h"

#define TYPES_MAX   (24u << 10) /* bytes */
#define STRINGS_MAX (16u << 10)

static struct {
	uint8_t *types;
	char *strings;
	uint32_t type_bytes, string_bytes, nr;
	uint32_t points[8]; /* types of `prototypes` */
	const void *whole;
	uint32_t bytes;
} btf;

/* Appends words; too many are dropped, and a test checks that all types fit. */
static void add_words(const void *words, uint32_t bytes)
{
	if (bytes > TYPES_MAX - btf.type_bytes)
		return;
	memcpy(btf.types + btf.type_bytes, words, bytes);
	btf.type_bytes += bytes;
}

static uint32_t add_string(const char *string)
{
	uint32_t at = btf.string_bytes, bytes = (uint32_t)strlen(string) + 1;

	if (bytes > STRINGS_MAX - at)
		return 0;
	memcpy(btf.strings + at, string, bytes);
	btf.string_bytes += bytes;
	return at;
}

static uint32_t add_type(const char *name, unsigned kind, uint32_t members, uint32_t value)
{
	struct btf_type type = {name ? add_string(name) : 0, kind << 24 | members, {value}};

	add_words(&type, sizeof(type));
	return ++btf.nr;
}

static uint32_t add_array(uint32_t element, uint32_t index, uint32_t count)
{
	uint32_t number = add_type(NULL, BTF_KIND_ARRAY, 0, 0);

	add_words(&(struct btf_array){element, index, count}, sizeof(struct btf_array));
	return number;
}

static void add_member(const char *name, uint32_t type, uint32_t offset)
{
	add_words(&(struct btf_member){add_string(name), type, offset * 8},
		  sizeof(struct btf_member));
}

/* ---- basic types ---- */

static const struct {
	const char *name;
	uint32_t bytes, encoding;
} numbers[] = {
    {"char", 1, BTF_INT_SIGNED},
    {"unsigned char", 1, 0},
    {"signed char", 1, BTF_INT_SIGNED},
    {"short", 2, BTF_INT_SIGNED},
    {"unsigned short", 2, 0},
    {"int", 4, BTF_INT_SIGNED},
    {"unsigned int", 4, 0},
    {"long", 8, BTF_INT_SIGNED},
    {"unsigned long", 8, 0},
    {"long long", 8, BTF_INT_SIGNED},
    {"unsigned long long", 8, 0},
    {"_Bool", 1, BTF_INT_BOOL},
};

#define NR_NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

/* Names of integer types in records and in the arguments of system calls. */
static const struct {
	const char *name, *type;
} names[] = {
    {"s8", "signed char"},
    {"u8", "unsigned char"},
    {"s16", "short"},
    {"u16", "unsigned short"},
    {"s32", "int"},
    {"u32", "unsigned int"},
    {"s64", "long long"},
    {"u64", "unsigned long long"},
    {"__s8", "signed char"},
    {"__u8", "unsigned char"},
    {"__s16", "short"},
    {"__u16", "unsigned short"},
    {"__s32", "int"},
    {"__u32", "unsigned int"},
    {"__s64", "long long"},
    {"__u64", "unsigned long long"},
    {"int8_t", "signed char"},
    {"uint8_t", "unsigned char"},
    {"int16_t", "short"},
    {"uint16_t", "unsigned short"},
    {"int32_t", "int"},
    {"uint32_t", "unsigned int"},
    {"int64_t", "long long"},
    {"uint64_t", "unsigned long long"},
    {"bool", "_Bool"},
    {"size_t", "unsigned long"},
    {"ssize_t", "long"},
    {"uintptr_t", "unsigned long"},
    {"pid_t", "int"},
    {"uid_t", "unsigned int"},
    {"gid_t", "unsigned int"},
    {"dev_t", "unsigned int"},
    {"mode_t", "unsigned int"},
    {"umode_t", "unsigned short"},
    {"off_t", "long"},
    {"loff_t", "long long"},
    {"clockid_t", "int"},
    {"timer_t", "int"},
    {"key_t", "int"},
    {"key_serial_t", "int"},
    {"mqd_t", "int"},
    {"qid_t", "unsigned int"},
    {"rwf_t", "int"},
    {"aio_context_t", "unsigned long"},
    {"__kernel_old_time_t", "long"},
    {"__kernel_timer_t", "int"},
    {"__kernel_pid_t", "int"},
    {"__kernel_size_t", "unsigned long"},
};

#define NR_NAMES (sizeof(names) / sizeof(names[0]))

/* Integers come first, then their typedefs. Returns the number of a type, 0: unknown. */
static uint32_t find_type(const char *name)
{
	for (uint32_t i = 0; i < NR_NUMBERS; i++)
		if (strcmp(numbers[i].name, name) == 0)
			return i + 1;
	for (uint32_t i = 0; i < NR_NAMES; i++)
		if (strcmp(names[i].name, name) == 0)
			return NR_NUMBERS + i + 1;
	return 0;
}

static void add_basics(void)
{
	for (uint32_t i = 0; i < NR_NUMBERS; i++) {
		uint32_t word = numbers[i].encoding << 24 | numbers[i].bytes * 8;

		add_type(numbers[i].name, BTF_KIND_INT, 0, numbers[i].bytes);
		add_words(&word, sizeof(word));
	}
	for (uint32_t i = 0; i < NR_NAMES; i++)
		add_type(names[i].name, BTF_KIND_TYPEDEF, 0, find_type(names[i].type));
}

/* ---- structs ---- */

/* The registers that programs at probes get, by the kernel's names, in order. */
static void add_registers(void)
{
	static const char registers[][8] = {"r15", "r14",     "r13", "r12", "bp",    "bx", "r11",
					    "r10", "r9",      "r8",  "ax",  "cx",    "dx", "si",
					    "di",  "orig_ax", "ip",  "cs",  "flags", "sp", "ss"};
	uint32_t count = sizeof(registers) / sizeof(registers[0]),
		 word = find_type("unsigned long");

	add_type("pt_regs", BTF_KIND_STRUCT, count, count * 8);
	for (uint32_t i = 0; i < count; i++)
		add_member(registers[i], word, i * 8);
}

/* The context of programs at samples: registers, then the period and the address. */
static void add_sample(uint32_t registers)
{
	uint32_t bytes = 21 * 8, word = find_type("u64");

	add_type("bpf_perf_event_data", BTF_KIND_STRUCT, 3, bytes + 16);
	add_member("regs", registers, 0);
	add_member("sample_period", word, bytes);
	add_member("addr", word, bytes + 8);
}

/* The mount namespace of a task: returns the type of a pointer to its struct nsproxy. */
static uint32_t add_namespaces(void)
{
	uint32_t common = add_type("ns_common", BTF_KIND_STRUCT, 1, sizeof(uint32_t)), mount;

	add_member("inum", find_type("unsigned int"), 0);
	mount = add_type("mnt_namespace", BTF_KIND_STRUCT, 1, sizeof(struct mount_namespace));
	add_member("ns", common, offsetof(struct mount_namespace, number));
	mount = add_type(NULL, BTF_KIND_PTR, 0, mount);
	common = add_type("nsproxy", BTF_KIND_STRUCT, 1, sizeof(struct common_namespaces));
	add_member("mnt_ns", mount, offsetof(struct common_namespaces, mount));
	return add_type(NULL, BTF_KIND_PTR, 0, common);
}

/* The task fields that Linux also has, at their offsets here. Returns the type of a pointer to it.
 */
static uint32_t add_task(void)
{
	uint32_t comm = add_array(find_type("char"), find_type("unsigned int"), 16),
		 namespaces = add_namespaces(), pointer = btf.nr + 2;

	add_type("task_struct", BTF_KIND_STRUCT, 9, sizeof(struct task));
	add_member("__state", find_type("unsigned int"), offsetof(struct task, state));
	add_member("flags", find_type("unsigned int"), offsetof(struct task, flags));
	add_member("exit_code", find_type("int"), offsetof(struct task, exit_status));
	add_member("pid", find_type("pid_t"), offsetof(struct task, pid));
	add_member("tgid", find_type("pid_t"), offsetof(struct task, tgid));
	add_member("real_parent", pointer, offsetof(struct task, parent));
	add_member("comm", comm, offsetof(struct task, comm));
	add_member("start_time", find_type("u64"), offsetof(struct task, start_ns));
	add_member("nsproxy", namespaces, offsetof(struct task, namespaces));
	return add_type(NULL, BTF_KIND_PTR, 0, pointer - 1);
}

/* ---- arguments of raw tracepoints ---- */

/* t: a task, i: int, u: unsigned int, b: bool, q: u64. */
static const struct {
	const char *name, *arguments;
} prototypes[] = {
    {"sched_switch", "bttu"},     {"sched_wakeup", "t"},         {"sched_wakeup_new", "t"},
    {"sched_waking", "t"},        {"sched_migrate_task", "ti"},  {"sched_process_exit", "t"},
    {"sched_process_fork", "tt"}, {"sched_stat_runtime", "tqq"},
};

#define NR_PROTOTYPES (sizeof(prototypes) / sizeof(prototypes[0]))

static uint32_t argument_type(char argument, uint32_t task)
{
	switch (argument) {
	case 't':
		return task;
	case 'i':
		return find_type("int");
	case 'u':
		return find_type("unsigned int");
	case 'b':
		return find_type("bool");
	default:
		return find_type("u64");
	}
}

/* Adds btf_trace_NAME, by which programs name the tracepoint: a pointer to a function with a void
 * pointer before the tracepoint's arguments. */
static void add_prototype(unsigned which, uint32_t task)
{
	const char *arguments = prototypes[which].arguments;
	uint32_t nr = (uint32_t)strlen(arguments), nothing = add_type(NULL, BTF_KIND_PTR, 0, 0),
		 function = add_type(NULL, BTF_KIND_FUNC_PROTO, nr + 1, 0);
	char name[64] = "btf_trace_";

	add_words(&(struct btf_param){0, nothing}, sizeof(struct btf_param));
	for (uint32_t i = 0; i < nr; i++)
		add_words(&(struct btf_param){0, argument_type(arguments[i], task)},
			  sizeof(struct btf_param));
	strlcpy(name + strlen(name), prototypes[which].name, sizeof(name) - strlen(name));
	btf.points[which] =
	    add_type(name, BTF_KIND_TYPEDEF, 0, add_type(NULL, BTF_KIND_PTR, 0, function));
}

const char *kernel_btf_point(uint32_t type)
{
	uint32_t bytes;

	if (!kernel_btf(&bytes))
		return NULL;
	for (unsigned i = 0; i < NR_PROTOTYPES; i++)
		if (btf.points[i] == type)
			return prototypes[i].name;
	return NULL;
}

/* ---- records of events ---- */

static uint32_t add_header(void)
{
	uint32_t number = add_type("trace_entry", BTF_KIND_STRUCT, 4, sizeof(struct trace_header));

	add_member("type", find_type("unsigned short"), offsetof(struct trace_header, type));
	add_member("flags", find_type("unsigned char"), offsetof(struct trace_header, flags));
	add_member("preempt_count", find_type("unsigned char"),
		   offsetof(struct trace_header, preempt_count));
	add_member("pid", find_type("int"), offsetof(struct trace_header, pid));
	return number;
}

/* Returns an element's type. The location of a string is a number. */
static uint32_t type_of(const struct trace_field *field)
{
	return find_type(field->is_located ? "unsigned int" : field->type);
}

/* Adds the event's struct with Linux's name, with the header as a member. Array types precede the
 * struct. */
static void add_event(const struct trace_event *event, uint32_t header)
{
	char name[64] = "trace_event_raw_";
	uint32_t array[TRACE_FIELDS_MAX] = {0}, bytes = sizeof(struct trace_header);

	for (unsigned i = 0; i < event->nr_fields; i++) {
		const struct trace_field *field = &event->fields[i];

		if (field->elements)
			array[i] =
			    add_array(type_of(field), find_type("unsigned int"), field->elements);
		bytes = field->offset + field->size;
	}
	strlcpy(name + strlen(name), event->name, sizeof(name) - strlen(name));
	add_type(name, BTF_KIND_STRUCT, event->nr_fields + 1u, (bytes + 7) & ~7u);
	add_member("ent", header, 0);
	for (unsigned i = 0; i < event->nr_fields; i++)
		add_member(event->fields[i].name, array[i] ? array[i] : type_of(&event->fields[i]),
			   event->fields[i].offset);
}

static void add_all(void)
{
	uint32_t header, task;

	add_string("");
	add_basics();
	add_registers();
	add_sample(btf.nr);
	task = add_task();
	for (unsigned i = 0; i < NR_PROTOTYPES; i++)
		add_prototype(i, task);
	add_type("bpf_ringbuf", BTF_KIND_STRUCT, 0, 8); /* shows that there are ring buffers */
	header = add_header();
	for (unsigned i = 0; i < NR_POINTS; i++)
		add_event(&trace_points[i], header);
}

static void join(void)
{
	struct btf_header header = {.magic = BTF_MAGIC,
				    .version = BTF_VERSION,
				    .hdr_len = sizeof(header),
				    .type_len = btf.type_bytes,
				    .str_off = btf.type_bytes,
				    .str_len = btf.string_bytes};
	uint8_t *whole = kalloc(sizeof(header) + btf.type_bytes + btf.string_bytes);

	if (!whole)
		return;
	memcpy(whole, &header, sizeof(header));
	memcpy(whole + sizeof(header), btf.types, btf.type_bytes);
	memcpy(whole + sizeof(header) + btf.type_bytes, btf.strings, btf.string_bytes);
	btf.bytes = (uint32_t)sizeof(header) + btf.type_bytes + btf.string_bytes;
	btf.whole = whole;
}

const void *kernel_btf(uint32_t *bytes)
{
	if (!btf.whole) {
		btf.types = kalloc(TYPES_MAX);
		btf.strings = kalloc(STRINGS_MAX);
		btf.nr = btf.type_bytes = btf.string_bytes = 0;
		if (btf.types && btf.strings) {
			add_all();
			join();
		}
		kfree(btf.types);
		kfree(btf.strings);
	}
	*bytes = btf.bytes;
	return btf.whole;
}

/* ---- the file ---- */

static int permit(uint64_t id)
{
	uint32_t bytes;

	(void)id;
	return kernel_btf(&bytes) ? 0 : -ENOMEM;
}

static uint64_t measure(void)
{
	uint32_t bytes;

	return kernel_btf(&bytes) ? bytes : 0;
}

static void make_types(struct text *out, uint64_t id)
{
	uint32_t bytes;
	const void *whole = kernel_btf(&bytes);

	(void)id;
	text_add(out, whole, bytes);
}

void kernel_btf_init(void)
{
	static const struct synthetic file = {.path = "/sys/kernel/btf/vmlinux",
					      .make = make_types,
					      .permit = permit,
					      .measure = measure,
					      .end = END_CONTENTS};

	synthetic_add(&file);
}

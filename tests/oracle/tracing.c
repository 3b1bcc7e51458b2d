/* SPDX-License-Identifier: BSD-2-Clause */
/* The answers of bpf(2), filters of trace events and definitions of probes. */
#include "oracle.h"
#include "../guest/bpf/bpf_insns.h"
#include "../guest/bpf/bpf_sys.h"
#include "../guest/trace/tracing.h"

/* ---- maps ---- */

static const struct {
	const char *name;
	uint32_t type, key, value, entries;
} maps[] = {
    {"HASH", BPF_MAP_TYPE_HASH, 4, 8, 2},
    {"ARRAY", BPF_MAP_TYPE_ARRAY, 4, 8, 2},
    {"PROG_ARRAY", BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 2},
    {"PERF_EVENT_ARRAY", BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, 2},
    {"PERCPU_HASH", BPF_MAP_TYPE_PERCPU_HASH, 4, 8, 2},
    {"PERCPU_ARRAY", BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8, 2},
    {"STACK_TRACE", BPF_MAP_TYPE_STACK_TRACE, 4, 64, 2},
    {"LRU_HASH", BPF_MAP_TYPE_LRU_HASH, 4, 8, 2},
    {"LRU_PERCPU_HASH", BPF_MAP_TYPE_LRU_PERCPU_HASH, 4, 8, 2},
    {"RINGBUF", BPF_MAP_TYPE_RINGBUF, 0, 0, 4096},
};

static long try_map(uint32_t type, uint32_t key, uint32_t value, uint32_t entries, uint32_t flags)
{
	long fd = map_create(type, key, value, entries, flags);

	if (fd >= 0)
		close((int)fd);
	return fd;
}

static void sizes_of_maps(void)
{
	static const uint32_t sizes[] = {0, 1, 3, 4, 5, 8, 12, 511, 512, 513, 1016, 1024, 4096};

	for (unsigned i = 0; i < COUNT(maps); i++) {
		row("%s: sizes of keys", maps[i].name);
		for (unsigned s = 0; s < COUNT(sizes); s++)
			cell(try_map(maps[i].type, sizes[s], maps[i].value, maps[i].entries, 0));
		row_end();
		row("%s: of values", maps[i].name);
		for (unsigned s = 0; s < COUNT(sizes); s++)
			cell(try_map(maps[i].type, maps[i].key, sizes[s], maps[i].entries, 0));
		row_end();
		row("%s: numbers of elements", maps[i].name);
		for (unsigned s = 0; s < COUNT(sizes); s++)
			cell(try_map(maps[i].type, maps[i].key, maps[i].value, sizes[s], 0));
		row_end();
	}
}

static void flags_of_maps(void)
{
	for (unsigned i = 0; i < COUNT(maps); i++) {
		row("%s: each flag", maps[i].name);
		for (unsigned bit = 0; bit < 32; bit++)
			cell(try_map(maps[i].type, maps[i].key, maps[i].value, maps[i].entries,
				     1u << bit));
		row_end();
		row("%s: two flags", maps[i].name);
		cell(try_map(maps[i].type, maps[i].key, maps[i].value, maps[i].entries,
			     BPF_F_RDONLY | BPF_F_WRONLY));
		cell(try_map(maps[i].type, maps[i].key, maps[i].value, maps[i].entries,
			     BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG));
		cell(try_map(maps[i].type, maps[i].key, maps[i].value, maps[i].entries,
			     BPF_F_RDONLY | BPF_F_RDONLY_PROG));
		row_end();
	}
}

/* Each command with each flag, before and after there is an element. */
static void elements(unsigned i)
{
	static const int commands[] = {BPF_MAP_UPDATE_ELEM, BPF_MAP_LOOKUP_ELEM,
				       BPF_MAP_GET_NEXT_KEY, BPF_MAP_DELETE_ELEM,
				       BPF_MAP_LOOKUP_AND_DELETE_ELEM};
	static uint64_t value[1024];
	int fd = (int)map_create(maps[i].type, maps[i].key, maps[i].value, maps[i].entries, 0);
	uint32_t key[2] = {0, 0};

	for (unsigned c = 0; c < COUNT(commands); c++)
		for (unsigned there = 0; there < 2; there++) {
			row("%s: command %d, key %u there", maps[i].name, commands[c], there);
			for (uint64_t flags = 0; flags < 10; flags++) {
				map_command(BPF_MAP_DELETE_ELEM, fd, key, NULL, 0);
				value[0] = UINT32_MAX; /* no descriptor */
				if (there)
					map_command(BPF_MAP_UPDATE_ELEM, fd, key, value, 0);
				cell(map_command(commands[c], fd, key, value, flags));
			}
			row_end();
		}
	/* The next key of a hash depends on the kernel. */
	row("%s: keys beyond the end", maps[i].name);
	key[0] = 2;
	for (unsigned c = 0; c < COUNT(commands); c++)
		if (commands[c] != BPF_MAP_GET_NEXT_KEY)
			cell(map_command(commands[c], fd, key, value, 0));
	row_end();
	row("%s: pointers that are none", maps[i].name);
	for (unsigned c = 0; c < COUNT(commands); c++) {
		cell(map_command(commands[c], fd, (void *)1, value, 0));
		cell(map_command(commands[c], fd, key, (void *)1, 0));
	}
	row_end();
	row("%s: frozen, then each command", maps[i].name);
	key[0] = 0;
	cell(bpf(BPF_MAP_FREEZE, &(union bpf_attr){.map_fd = (uint32_t)fd}));
	cell(bpf(BPF_MAP_FREEZE, &(union bpf_attr){.map_fd = (uint32_t)fd}));
	for (unsigned c = 0; c < COUNT(commands); c++)
		cell(map_command(commands[c], fd, key, value, 0));
	row_end();
	close(fd);
}

/* ---- numbers ---- */

static void numbers(void)
{
	static const int next[] = {BPF_PROG_GET_NEXT_ID, BPF_MAP_GET_NEXT_ID, BPF_LINK_GET_NEXT_ID,
				   BPF_BTF_GET_NEXT_ID},
			 by_id[] = {BPF_PROG_GET_FD_BY_ID, BPF_MAP_GET_FD_BY_ID,
				    BPF_LINK_GET_FD_BY_ID, BPF_BTF_GET_FD_BY_ID};
	static const uint32_t ids[] = {0x7ffffffe, 0x7fffffff, 0x80000000, UINT32_MAX};

	for (unsigned i = 0; i < 4; i++) {
		row("command %d: numbers near the end", next[i]);
		for (unsigned n = 0; n < COUNT(ids); n++)
			cell(bpf(next[i], &(union bpf_attr){.start_id = ids[n]}));
		row_end();
		row("command %d: numbers of nothing", by_id[i]);
		cell(bpf(by_id[i], &(union bpf_attr){.prog_id = 0}));
		for (unsigned n = 0; n < COUNT(ids); n++)
			cell(bpf(by_id[i], &(union bpf_attr){.prog_id = ids[n]}));
		row_end();
		row("command %d: each flag", by_id[i]);
		for (unsigned bit = 0; bit < 32; bit++)
			cell(bpf(by_id[i], &(union bpf_attr){.prog_id = 0x7ffffffe,
							     .open_flags = 1u << bit}));
		cell(bpf(by_id[i], &(union bpf_attr){.prog_id = 0x7ffffffe, .next_id = 1}));
		cell(bpf(by_id[i], &(union bpf_attr){.prog_id = 0x7ffffffe,
						     .open_flags = BPF_F_RDONLY | BPF_F_WRONLY}));
		row_end();
	}
}

/* ---- programs ---- */

static long try_program(uint32_t type, struct bpf_insn insn)
{
	const struct bpf_insn insns[] = {MOVI(R0, 0), insn, EXIT()};
	long fd = prog_load(type, insns, COUNT(insns));

	if (fd >= 0)
		close((int)fd);
	return fd;
}

/* Arithmetic and jumps on a register that holds a number, each field filled in turn. */
static void instructions(void)
{
	static const unsigned classes[] = {BPF_ALU, BPF_ALU64, BPF_JMP, BPF_JMP32};
	static const struct bpf_insn fields[] = {
	    {.off = 0},  {.off = 1},      {.imm = 1},      {.imm = 16},     {.imm = 32},
	    {.imm = 64}, {.src_reg = 11}, {.dst_reg = 11}, {.dst_reg = 10},
	};

	for (unsigned c = 0; c < COUNT(classes); c++)
		for (unsigned f = 0; f < COUNT(fields); f++) {
			row("class %u, fields %u", classes[c], f);
			for (unsigned code = classes[c]; code < 256; code += 8) {
				struct bpf_insn insn = fields[f];

				insn.code = (uint8_t)code;
				/* An instruction that exits, or jumps over the end, makes the
				 * rest unreachable; calls are tested below. */
				if (code != (BPF_JMP | BPF_EXIT) && code != (BPF_JMP | BPF_JA) &&
				    code != (BPF_JMP | BPF_CALL))
					cell(try_program(BPF_PROG_TYPE_TRACEPOINT, insn));
			}
			row_end();
		}
}

static void program_types(void)
{
	row("types of programs");
	for (uint32_t type = 0; type < 40; type++)
		if (type == BPF_PROG_TYPE_UNSPEC || type == BPF_PROG_TYPE_KPROBE ||
		    type == BPF_PROG_TYPE_TRACEPOINT || type == BPF_PROG_TYPE_PERF_EVENT ||
		    type == BPF_PROG_TYPE_RAW_TRACEPOINT || type > BPF_PROG_TYPE_SYSCALL)
			cell(try_program(type, MOVI(R0, 0)));
	row_end();
}

/* Calls each helper without setting its arguments: existing helpers answer otherwise than
 * missing ones. */
static void helpers(void)
{
	static const uint32_t with[] = {BPF_FUNC_get_current_pid_tgid,
					BPF_FUNC_ktime_get_ns,
					BPF_FUNC_get_smp_processor_id,
					BPF_FUNC_get_current_uid_gid,
					BPF_FUNC_get_prandom_u32,
					BPF_FUNC_get_current_task,
					BPF_FUNC_jiffies64,
					BPF_FUNC_ktime_get_boot_ns,
					0,
					1000};

	for (uint32_t type = BPF_PROG_TYPE_KPROBE; type <= BPF_PROG_TYPE_RAW_TRACEPOINT; type++) {
		if (type != BPF_PROG_TYPE_KPROBE && type != BPF_PROG_TYPE_TRACEPOINT &&
		    type != BPF_PROG_TYPE_PERF_EVENT && type != BPF_PROG_TYPE_RAW_TRACEPOINT)
			continue;
		row("type %u: helpers without arguments", type);
		for (unsigned i = 0; i < COUNT(with); i++)
			cell(try_program(type, CALL((int)with[i])));
		row_end();
	}
}

/* ---- attaching ---- */

static int loaded(uint32_t type)
{
	return PROG(type, MOVI(R0, 0), EXIT());
}

static int open_event(unsigned kind)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_TRACEPOINT, id_of("sched/sched_switch"));

	if (kind == 1)
		attr.config = id_of("syscalls/sys_enter_read");
	if (kind == 2)
		attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	if (kind == 3)
		attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
	if (kind >= 4)
		attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	if (kind == 2 || kind == 4)
		attr.sample_period = 1000000000;
	return perf_try(&attr, 0, -1, -1, 0);
}

static void attaching(void)
{
	static const uint32_t types[] = {BPF_PROG_TYPE_KPROBE, BPF_PROG_TYPE_TRACEPOINT,
					 BPF_PROG_TYPE_PERF_EVENT, BPF_PROG_TYPE_RAW_TRACEPOINT};
	static const char *const raw[] = {"sys_enter", "sys_exit", "no_such", ""};

	for (unsigned t = 0; t < COUNT(types); t++) {
		int program = loaded(types[t]);

		row("type %u: to each kind of event, twice, and by a link", types[t]);
		for (unsigned kind = 0; kind < 5; kind++) {
			int event = open_event(kind);
			union bpf_attr attr = {.link_create = {.prog_fd = (uint32_t)program,
							       .target_fd = (uint32_t)event,
							       .attach_type = BPF_PERF_EVENT}};
			long link;

			cell(failed(ioctl(event, PERF_EVENT_IOC_SET_BPF, program)));
			cell(failed(ioctl(event, PERF_EVENT_IOC_SET_BPF, program)));
			link = bpf(BPF_LINK_CREATE, &attr);
			cell(link);
			close((int)link);
			close(event);
			event = open_event(kind);
			attr.link_create.target_fd = (uint32_t)event;
			link = bpf(BPF_LINK_CREATE, &attr);
			cell(link);
			close((int)link);
			close(event);
		}
		row_end();
		row("type %u: raw tracepoints", types[t]);
		for (unsigned r = 0; r < COUNT(raw); r++) {
			union bpf_attr attr = {.raw_tracepoint = {.name = (uintptr_t)raw[r],
								  .prog_fd = (uint32_t)program}};
			long link = bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);

			cell(link);
			close((int)link);
		}
		row_end();
		close(program);
	}
}

/* ---- filters ---- */

/* Prints the result of writing to tracefs's filter file, and its contents then: lines, and where
 * they differ from others. */
static void filter_file(const char *text)
{
	char shown[1024] = "";
	int fd = open(TRACING "events/sched/sched_switch/filter", O_RDWR);
	long err = write(fd, text, strlen(text)) < 0 ? -errno : 0;

	close(fd);
	fd = open(TRACING "events/sched/sched_switch/filter", O_RDONLY);
	if (read(fd, shown, sizeof(shown) - 1) < 0)
		snprintf(shown, sizeof(shown), "not to be read");
	close(fd);
	for (char *at = shown; *at; at++)
		if (*at == '\n')
			*at = '|';
	report(err, "filter file %s: %s", text, shown);
}

static void filters(void)
{
	static const char *const texts[] = {
	    "common_pid == 1",
	    "common_pid==1",
	    "common_pid = 1",
	    "common_pid",
	    "== 1",
	    "",
	    " ",
	    "0",
	    "none == 1",
	    "common_pid == x",
	    "common_pid == 'x'",
	    "common_pid == \"x\"",
	    "common_pid != 1 && common_pid != 2",
	    "common_pid != 1 &&",
	    "&& common_pid != 1",
	    "common_pid != 1 & common_pid != 2",
	    "common_pid & 1",
	    "common_pid && 1",
	    "(common_pid == 1)",
	    "((common_pid == 1)",
	    "(common_pid == 1))",
	    "!(common_pid == 1)",
	    "!common_pid == 1",
	    "!!(common_pid == 1)",
	    "common_pid == 1 || common_pid == 2",
	    "common_pid == 1 or common_pid == 2",
	    "common_pid == 0x1f",
	    "common_pid == 0x",
	    "common_pid == 017",
	    "common_pid == -1",
	    "common_pid == - 1",
	    "common_pid == +1",
	    "common_pid == 99999999999999999999",
	    "common_pid < 1",
	    "common_pid <= 1",
	    "common_pid => 1",
	    "common_pid ~ 1",
	    "common_pid ~ \"1\"",
	    "prev_comm == \"a\"",
	    "prev_comm == a",
	    "prev_comm == 'a'",
	    "prev_comm ~ \"a*\"",
	    "prev_comm ~ \"*a*b\"",
	    "prev_comm ~ a*",
	    "prev_comm < \"a\"",
	    "prev_comm != \"a\"",
	    "prev_comm == \"a",
	    "prev_comm == a\"",
	    "prev_comm == 1",
	    "prev_comm & 1",
	    "prev_comm == \"\"",
	    "prev_comm == \"a longer name than there is room for in the field\"",
	    "CPU == 0",
	    "cpu == 0",
	    "CPU == 1000",
	    "COMM == \"a\"",
	    "comm == \"a\"",
	    "comm ~ \"a*\"",
	    "common_type == 1",
	    "common_flags == 1",
	    "common_preempt_count == 300",
	    "prev_state == 1;",
	    "common_pid == 1 common_pid == 2",
	    "common_pid == (1)",
	    "common_pid == 1 && (common_pid == 2 || !(common_pid == 3))",
	    "()",
	    "!",
	    "(",
	    ")",
	    "prev_comm.ustring == \"a\"",
	    "next_comm ~ \"[a-z]?\"",
	    "prev_pid == 1 # 2",
	    "prev_pid == 1\n",
	    "\tprev_pid\t==\t1"};

	for (unsigned i = 0; i < COUNT(texts); i++) {
		int event = open_event(0);

		report(failed(ioctl(event, PERF_EVENT_IOC_SET_FILTER, texts[i])), "filter %s",
		       texts[i]);
		close(event);
		filter_file(texts[i]);
	}
}

/* ---- probes ---- */

static void definitions(void)
{
	static const char *const texts[] = {"p:a/b /oracle/tracing:0x10\n",
					    "p:a/b /oracle/tracing:0x10 x=%ax\n",
					    "p:a/b /oracle/tracing:0x10 x=%none\n",
					    "p:a/b /oracle/tracing:0x10 %ax %bx\n",
					    "p:a/b /oracle/tracing:0x10 x=+8(%sp):u32\n",
					    "p:a/b /oracle/tracing:0x10 x=+8(%sp):u33\n",
					    "p:a/b /oracle/tracing:0x10 x=$stack\n",
					    "p:a/b /oracle/tracing:0x10 x=$stack1\n",
					    "p:a/b /oracle/tracing:0x10 x=$retval\n",
					    "r:a/b /oracle/tracing:0x10 x=$retval\n",
					    "p:a/b /oracle/tracing:0x10 x=$comm\n",
					    "p:a/b /oracle/tracing:0x10 x=$none\n",
					    "p:a/b /oracle/tracing:0x10 x=@0x10\n",
					    "p:a/b /oracle/tracing:0x10 x=@+0x10\n",
					    "p:a/b /oracle/tracing:0x10 x=\\1\n",
					    "p:a/b /oracle/tracing:0x10 x=+0(%di):string\n",
					    "p:a/b /oracle/tracing:0x10 x=%ax:string\n",
					    "p:a/b /oracle/tracing:0x10 1x=%ax\n",
					    "p:a/b /oracle/tracing:0x10 x=%ax x=%bx\n",
					    "p:a/b /oracle/tracing:0x10 common_pid=%ax\n",
					    "p:a/b /none:0x10\n",
					    "p:a/b /oracle/tracing\n",
					    "p:a/b /oracle/tracing:\n",
					    "p:a/b /oracle/tracing:x\n",
					    "p:a/b /bin:0x10\n",
					    "p:a/b\n",
					    "p\n",
					    "\n",
					    "x:a/b /oracle/tracing:0x10\n",
					    "p:a-c/b /oracle/tracing:0x10\n",
					    "p:a/b-c /oracle/tracing:0x10\n",
					    "p:1/b /oracle/tracing:0x10\n",
					    "p:/b /oracle/tracing:0x10\n",
					    "p:a/ /oracle/tracing:0x10\n",
					    "p:b /oracle/tracing:0x10\n",
					    "p /oracle/tracing:0x10\n",
					    "p:a/b/c /oracle/tracing:0x10\n",
					    "-:a/none\n",
					    "-:none\n",
					    "-\n",
					    "-:a/b x\n",
					    "# a comment\n"};
	int fd = open(TRACING "uprobe_events", O_WRONLY | O_APPEND);

	for (unsigned i = 0; i < COUNT(texts); i++) {
		char text[128];
		long result = failed(write(fd, texts[i], strlen(texts[i])));

		snprintf(text, sizeof(text), "%.*s", (int)strlen(texts[i]) - 1, texts[i]);
		report(result, "uprobe_events %s", text);
		close(open(TRACING "uprobe_events", O_WRONLY | O_TRUNC));
	}
	close(fd);
}

int main(void)
{
	mount_tracefs();
	sizes_of_maps();
	flags_of_maps();
	for (unsigned i = 0; i < COUNT(maps); i++)
		elements(i);
	numbers();
	program_types();
	instructions();
	helpers();
	attaching();
	filters();
	definitions();
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs: loading, ids, and their end. */
#include <linux/capability.h>
#include <linux/errno.h>
#include "arch/x86/apic/tsc.h"
#include "bpf/object/btf.h"
#include "bpf/object/files.h"
#include "bpf/object/sha1.h"
#include "bpf/run.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/file/file.h"
#include "kernel/mem/memory.h"
#include "kernel/task/task.h"
#include "pmu/core/core.h"
#include "pmu/record/sideband.h"
#include "trace/btf.h"
#include "trace/buffer/pipe.h"

int bpf_cpus_init(void)
{
	for (uint32_t i = 0; i < nr_cpus; i++) {
		struct bpf_cpu *cpu = cpus[i]->bpf ? cpus[i]->bpf : kalloc(sizeof(*cpu));

		if (!cpu)
			return -ENOMEM;
		if (!cpus[i]->bpf)
			run_prepare(&cpu->run);
		cpus[i]->bpf = cpu;
	}
	return 0;
}

/* Returns the map's index in the program; adds it if it is new. Takes the reference. */
static int add_map(struct bpf_program *program, struct bpf_map *map)
{
	for (uint32_t i = 0; i < program->nr_maps; i++)
		if (program->maps[i] == map) {
			map_put(map);
			return (int)i;
		}
	if (program->nr_maps == PROGRAM_MAPS) {
		map_put(map);
		return -E2BIG;
	}
	program->maps[program->nr_maps] = map;
	return (int)program->nr_maps++;
}

static struct bpf_map *map_of_insn(const union bpf_attr *attr, const struct bpf_insn *insn,
				   bool by_index, int *error)
{
	int fd = insn->imm;

	if (by_index)
		*error = bpf_fd_at(attr->fd_array, (uint32_t)insn->imm, &fd);
	if (*error)
		return NULL;
	return bpf_map_of_fd(fd, NULL, error);
}

/* Converts descriptors of maps in wide constants to programs' pointers. */
static int resolve_map(struct bpf_program *program, const union bpf_attr *attr,
		       struct bpf_insn *insn)
{
	unsigned kind = insn->src_reg;
	bool value = kind == BPF_PSEUDO_MAP_VALUE || kind == BPF_PSEUDO_MAP_IDX_VALUE;
	uint64_t pointer;
	int number, err = 0;
	struct bpf_map *map = map_of_insn(
	    attr, insn, kind == BPF_PSEUDO_MAP_IDX || kind == BPF_PSEUDO_MAP_IDX_VALUE, &err);

	if (!map)
		return err;
	number = add_map(program, map);
	if (number < 0)
		return number;
	if (value && (!map->kind->in_values || map->kind->per_cpu || map->max_entries != 1 ||
		      (uint32_t)insn[1].imm >= map->value_size))
		return -EINVAL;
	if (!value && insn[1].imm)
		return -EINVAL;
	pointer = value ? run_pointer(REGION_MAPS + (uint32_t)number, (uint32_t)insn[1].imm)
			: run_pointer(REGION_MAP_NAMES + (uint32_t)number, 0);
	insn->src_reg = 0;
	insn->imm = (int32_t)pointer;
	insn[1].imm = (int32_t)(pointer >> 32);
	return 0;
}

static bool names_map(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_IMM | BPF_DW) &&
	       (insn->src_reg == BPF_PSEUDO_MAP_FD || insn->src_reg == BPF_PSEUDO_MAP_VALUE ||
		insn->src_reg == BPF_PSEUDO_MAP_IDX || insn->src_reg == BPF_PSEUDO_MAP_IDX_VALUE);
}

static int resolve_maps(struct bpf_program *program, const union bpf_attr *attr)
{
	int err;

	for (uint32_t i = 0; i + 1 < program->nr_insns; i++) {
		if (!names_map(&program->insns[i]))
			continue;
		err = resolve_map(program, attr, &program->insns[i]);
		if (err)
			return err;
		i++;
	}
	return 0;
}

/* Socket filters can be loaded, and attached nowhere: loaders try their programs' features with
 * them. */
static bool type_is_here(uint32_t type)
{
	return type == BPF_PROG_TYPE_KPROBE || type == BPF_PROG_TYPE_TRACEPOINT ||
	       type == BPF_PROG_TYPE_PERF_EVENT || type == BPF_PROG_TYPE_RAW_TRACEPOINT ||
	       type == BPF_PROG_TYPE_SOCKET_FILTER || type == BPF_PROG_TYPE_TRACING;
}

/* As on Linux: the digest of the instructions, without descriptors of maps. */
static void set_tag(struct bpf_program *program)
{
	uint8_t digest[SHA1_BYTES];
	struct sha1 sha1;
	bool wide_map = false;

	sha1_init(&sha1);
	for (uint32_t i = 0; i < program->nr_insns; i++) {
		struct bpf_insn insn = program->insns[i];
		bool second = wide_map;

		wide_map =
		    !second && insn.code == (BPF_LD | BPF_IMM | BPF_DW) &&
		    (insn.src_reg == BPF_PSEUDO_MAP_FD || insn.src_reg == BPF_PSEUDO_MAP_VALUE);
		if (wide_map || second)
			insn.imm = 0;
		sha1_add(&sha1, &insn, sizeof(insn));
	}
	sha1_end(&sha1, digest);
	memcpy(program->tag, digest, sizeof(program->tag));
}

/* Writes the records KSYMBOL and BPF_EVENT. */
static void program_emit(const struct bpf_program *program, bool loaded)
{
	records_bpf(program->object.id, program->tag, program->name, (uint64_t)program->insns,
		    program->nr_insns * (uint32_t)sizeof(struct bpf_insn), loaded);
}

static void destroy(struct bpf_object *object)
{
	struct bpf_program *program = (struct bpf_program *)object;

	if (object->id)
		program_emit(program, false);
	for (uint32_t i = 0; i < program->nr_maps; i++)
		map_put(program->maps[i]);
	btf_put(program->btf);
	kfree(program->ops);
	kfree(program->insns);
	kfree(program);
}

static const struct object_ops program_ops = {.destroy = destroy};

/* True if the program prints, which needs a buffer. */
static bool prints(const struct bpf_program *program)
{
	for (uint32_t i = 0; i < program->nr_insns; i++)
		if (program->insns[i].code == (BPF_JMP | BPF_CALL) && !program->insns[i].src_reg &&
		    (program->insns[i].imm == BPF_FUNC_trace_printk ||
		     program->insns[i].imm == BPF_FUNC_trace_vprintk))
			return true;
	return false;
}

/* Ends the log as Linux does. */
static void log_program_size(const struct bpf_program *program, struct text *log)
{
	uint32_t nr = program->nr_insns;

	for (uint32_t i = 0; i < program->nr_insns; i++)
		nr -= program->insns[i].code == (BPF_LD | BPF_IMM | BPF_DW);
	if (log)
		text_print(log,
			   "processed %u insns (limit %u) max_states_per_insn 0 total_states 0 "
			   "peak_states 0 mark_read 0\n",
			   nr, RUN_MAX);
}

/* TRACING programs name a raw tracepoint by its type; functions (fentry) are none. */
static int find_point(struct bpf_program *program, const union bpf_attr *attr)
{
	if (program->type != BPF_PROG_TYPE_TRACING)
		return attr->attach_btf_id ? -EINVAL : 0;
	if (attr->expected_attach_type != BPF_TRACE_RAW_TP || attr->attach_btf_obj_fd)
		return -EINVAL;
	program->point = kernel_btf_point(attr->attach_btf_id);
	return program->point ? 0 : -EINVAL;
}

struct bpf_program *program_load(const union bpf_attr *attr, struct bpf_insn *insns,
				 struct text *log, int *error)
{
	struct bpf_program *program = kalloc(sizeof(*program));

	*error = type_is_here(attr->prog_type) ? bpf_cpus_init() : -EINVAL;
	if (!program && !*error)
		*error = -ENOMEM;
	if (*error) {
		kfree(program);
		kfree(insns);
		return NULL;
	}
	object_init(&program->object, OBJECT_PROGRAM, &program_ops);
	program->type = attr->prog_type;
	program->insns = insns;
	program->nr_insns = attr->insn_cnt;
	program->uid = current_task()->cred.uid.real;
	program->load_time = clock_ns();
	memcpy(program->name, attr->prog_name, sizeof(program->name));
	set_tag(program);
	*error = find_point(program, attr);
	if (!*error)
		*error = resolve_maps(program, attr);
	if (!*error)
		*error = program_bury(program);
	if (!*error && prints(program))
		*error = trace_pipe_prepare();
	if (!*error) {
		*error = program_check(program, log);
		log_program_size(program, log);
	}
	if (!*error)
		*error = program_decode(program);
	if (*error) {
		program_put(program);
		return NULL;
	}
	object_publish(&program->object);
	program_emit(program, true);
	return program;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looks for denormal numbers: in a vector instruction's source registers before it, in its source
 * in memory when it is loaded, in its result before the next instruction.
 */
#include "emulator/sim/plugin/plugin_floats.h"

#include "emulator/sim/decode/floats.h"
#include "emulator/sim/plugin/plugin_blocks.h"
#include "emulator/sim/plugin/qemu/vectors.h"

#define MXCSR_DAZ (1u << 6)

/* An instruction, and the one before it whose result is looked at first. */
struct watched_float {
	struct float_op op;
	bool has_op;
	const struct watched_float *before;
};

/* An instruction with a source in memory, and the callback of its accesses. */
struct watched_operand {
	struct float_op op;
	access_callback *access;
	struct code_insn *insn;
};

/* With DAZ denormal sources are zero. */
static bool takes_denormals(unsigned vcpu)
{
	uint32_t mxcsr;

	return !qemu_way->mxcsr(vcpu, &mxcsr) || !(mxcsr & MXCSR_DAZ);
}

/* One assist for an instruction, however many of its numbers are denormal. */
static void assist(struct processor *p, const struct float_op *op)
{
	if (p->assisted)
		return;
	p->assisted = true;
	enter();
	core_assist(p->core, op->operation);
	leave();
}

static void look_at_sources(struct processor *p, unsigned vcpu, const uint8_t *vectors,
			    const struct float_op *op)
{
	for (unsigned i = 0; i < FLOATS_SOURCES; i++)
		if (op->sources[i] != FLOATS_NO_REGISTER &&
		    floats_denormal(vectors + op->sources[i] * VECTOR_STRIDE_BYTES, op->bytes,
				    op->is_double) &&
		    takes_denormals(vcpu))
			assist(p, op);
}

static void look_at_result(struct processor *p, const uint8_t *vectors, const struct float_op *op)
{
	if (op->target != FLOATS_NO_REGISTER &&
	    floats_denormal(vectors + op->target * VECTOR_STRIDE_BYTES, op->bytes, op->is_double))
		assist(p, op);
}

static bool is_watched(const struct processor *p)
{
	return p->inside && !plugin.replay->on;
}

static void on_float(unsigned vcpu, void *user)
{
	const struct watched_float *watched = user;
	struct processor *p = processor(vcpu = current_vcpu(vcpu));
	const uint8_t *vectors;

	if (!is_watched(p))
		return;
	vectors = qemu_way->vectors(vcpu);
	if (!vectors)
		return;
	if (watched->before)
		look_at_result(p, vectors, &watched->before->op);
	p->assisted = false;
	if (watched->has_op)
		look_at_sources(p, vcpu, vectors, &watched->op);
}

/* True if a number in the `bytes` bytes at the physical address is denormal; an operand on two
 * pages is not looked at. */
static bool is_denormal_at(uint64_t paddr, unsigned bytes, bool is_double)
{
	uint64_t rest = CORE_PAGE_SIZE - paddr % CORE_PAGE_SIZE;
	const char *at = plugin.ram + paddr;

	return plugin_in_ram(at) && bytes <= rest && floats_denormal(at, bytes, is_double);
}

/* Sets *physical to the address of an access to memory; false: it is to a device. The core knows it
 * in most cases; QEMU takes longer. */
static bool find_physical(struct processor *p, qemu_plugin_meminfo_t info, uint64_t vaddr,
			  uint64_t *physical)
{
	const struct qemu_plugin_hwaddr *where;

	if (core_physical(p->core, vaddr, physical))
		return true;
	where = qemu_plugin_get_hwaddr(info, vaddr);
	if (!where || qemu_plugin_hwaddr_is_io(where))
		return false;
	*physical = qemu_plugin_hwaddr_phys_addr(where);
	return true;
}

static void look_at_operand(struct processor *p, unsigned vcpu, qemu_plugin_meminfo_t info,
			    uint64_t vaddr, const struct float_op *op)
{
	uint64_t physical;

	if (!is_watched(p) || p->assisted || info & plugin.store)
		return;
	if (find_physical(p, info, vaddr, &physical) &&
	    is_denormal_at(physical, plugin.sizes[info % INFO_OF_SIZE], op->is_double) &&
	    takes_denormals(vcpu))
		assist(p, op);
}

static void on_operand(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *user)
{
	const struct watched_operand *watched = user;
	unsigned current = current_vcpu(vcpu);

	look_at_operand(processor(current), current, info, vaddr, &watched->op);
	watched->access(vcpu, info, vaddr, watched->insn);
}

/* Returns the operations (bits of enum fp_operation) for which the core needs assists. */
static unsigned assists_of(const struct core_config *config)
{
	return config->pipe.fp_assist ? config->pipe.fp_assists : 0;
}

/* As assists_of(), of any core. */
static unsigned watched_operations(void)
{
	if (!qemu_way->vectors)
		return 0;
	return assists_of(&plugin.words.config) |
	       (plugin.words.hybrid ? assists_of(&plugin.words.efficient) : 0);
}

/* Fills in *op for an instruction that may need an assist; false for any other. */
static bool is_watched_op(const struct qemu_plugin_insn *insn, unsigned length, struct float_op *op)
{
	unsigned operations = watched_operations();

	return operations && float_op_of(qemu_way->insn_data(insn), length, op) &&
	       operations >> op->operation & 1;
}

/* QEMU 7.2 calls only one callback of an instruction's accesses. */
void plugin_instrument_access(struct qemu_plugin_insn *insn, access_callback *access,
			      struct code_insn *code)
{
	struct watched_operand watched = {.access = access, .insn = code};

	if (is_watched_op(insn, code->length, &watched.op) && watched.op.loads)
		qemu_plugin_register_vcpu_mem_cb(insn, on_operand, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW,
						 plugin_keep(&watched, sizeof(watched)));
	else
		qemu_plugin_register_vcpu_mem_cb(insn, access, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, code);
}

void plugin_instrument_floats(struct qemu_plugin_tb *tb, size_t nr)
{
	const struct watched_float *before = NULL;

	if (!watched_operations())
		return;
	for (size_t i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		struct watched_float watched = {.before = before}, *kept;

		watched.has_op =
		    is_watched_op(insn, (unsigned)qemu_plugin_insn_size(insn), &watched.op);
		before = NULL;
		if (!watched.has_op && !watched.before)
			continue;
		kept = plugin_keep(&watched, sizeof(watched));
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_float, qemu_way->registers_flag,
						       kept);
		if (watched.has_op)
			before = kept;
	}
}

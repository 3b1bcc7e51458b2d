/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way to QEMU 7.2 to 8.2: version 1 of the plugin interface has no registers. QEMU's struct of
 * a processor starts with the part common to all architectures, which has a pointer to the
 * architecture's part after it; that starts with the general registers and the instruction pointer
 * (QEMU 7.2: hw/core/cpu.h, target/i386/cpu.h). It is recognised by the instruction pointer. The
 * struct of 8.2 has no such pointer: registers are not known there.
 */
#include <dlfcn.h>
#include <string.h>

#include "abi/core_page.h"
#include "emulator/sim/plugin/qemu/qemu.h"
#include "emulator/sim/plugin/qemu/vectors.h"

#define COMMON_WORDS  256    /* of the struct, among which the pointer is */
#define REACH_BYTES   0x4000 /* the other part begins so near to it */
#define VECTORS_REACH 0x1000 /* and has the vector registers so near to its start */

/* QEMU's numbers of registers in gdb's protocol (target/i386/gdbstub.c). */
#define GDB_XMM0  49
#define GDB_MXCSR 65

/* Words of the other part: registers, instruction pointer, and so on. */
enum {
	WORD_RAX = 0,
	WORD_RDX = 2,
	WORD_RSP = 4,
	WORD_RBP = 5,
	WORD_RSI = 6,
	WORD_RIP = 16,
	WORD_MODE = 22,
	WORD_CS_BASE = 27,
	WORD_SS_BASE = 30,
	WORD_FS_BASE = 36, /* segments have three words each */
	WORD_GS_BASE = 39,
	WORD_CR0 = 53,
	WORD_CR3 = 56,
	WORD_CR4 = 57,
};

#define MODE_RING   3u         /* HF_CPL_MASK */
#define MODE_CODE32 (1u << 4)  /* HF_CS32_MASK */
#define MODE_LONG   (1u << 14) /* HF_LMA_MASK */
#define MODE_CODE64 (1u << 15) /* HF_CS64_MASK */
#define MODE_SMM    (1u << 19) /* HF_SMM_MASK */
#define MODE_GUEST  (1u << 21) /* HF_GUEST_MASK */

struct CPUState;

static struct CPUState *(*get_cpu)(int index);
static const uint64_t *parts[CORE_PROCESSORS];
static int (*read_for_gdb)(struct CPUState *cpu, struct byte_array *to, int number);
static struct byte_array *(*new_bytes)(void);
static void (*set_size)(struct byte_array *array, unsigned size);

static void setup(void)
{
	*(void **)&get_cpu = dlsym(RTLD_DEFAULT, "qemu_get_cpu");
	*(void **)&read_for_gdb = dlsym(RTLD_DEFAULT, "x86_cpu_gdb_read_register");
	*(void **)&new_bytes = dlsym(RTLD_DEFAULT, "g_byte_array_new");
	*(void **)&set_size = dlsym(RTLD_DEFAULT, "g_byte_array_set_size");
}

static const uint8_t *insn_data(const struct qemu_plugin_insn *insn)
{
	return qemu_plugin_insn_data(insn);
}

/* NULL: none of the words points to registers whose instruction pointer is the linear address
 * `rip`. */
static const uint64_t *find_part(const struct CPUState *cpu, uint64_t rip)
{
	const uint64_t *words = (const uint64_t *)cpu;

	for (unsigned i = 0; i < COMMON_WORDS; i++) {
		uint64_t distance = words[i] - (uint64_t)words;
		const uint64_t *part = (const uint64_t *)words[i];

		if (distance && distance < REACH_BYTES && !(distance % sizeof(*words)) &&
		    part[WORD_RIP] + part[WORD_CS_BASE] == rip)
			return part;
	}
	return NULL;
}

static void translating(uint64_t start)
{
	for (int i = 0; get_cpu && i < CORE_PROCESSORS; i++) {
		const struct CPUState *cpu = parts[i] ? NULL : get_cpu(i);

		if (cpu)
			parts[i] = find_part(cpu, start);
	}
}

static bool registers(unsigned vcpu, uint64_t start, uint64_t out[TOUCH_VALUES])
{
	const uint64_t *part = parts[vcpu % CORE_PROCESSORS];

	if (!part || part[WORD_RIP] != start)
		return false;
	memcpy(out, part, TOUCH_REGISTERS * sizeof(*out));
	out[TOUCH_FS] = part[WORD_FS_BASE];
	out[TOUCH_GS] = part[WORD_GS_BASE];
	return true;
}

static bool paging(unsigned vcpu, struct qemu_paging *paging)
{
	const uint64_t *part = parts[vcpu % CORE_PROCESSORS];

	if (!part)
		return false;
	*paging = (struct qemu_paging){.long_mode = part[WORD_MODE] & MODE_LONG,
				       .code64 = part[WORD_MODE] & MODE_CODE64,
				       .code32 = part[WORD_MODE] & MODE_CODE32,
				       .cr0 = part[WORD_CR0],
				       .cr3 = part[WORD_CR3],
				       .cr4 = part[WORD_CR4]};
	return true;
}

static bool stack(unsigned vcpu, uint64_t *rsp)
{
	const uint64_t *part = parts[vcpu % CORE_PROCESSORS];

	if (part)
		*rsp = part[WORD_RSP];
	return part;
}

static bool gdb_register(unsigned vcpu, int number, void *to, unsigned bytes)
{
	static _Thread_local struct byte_array *array;

	if (!get_cpu || !read_for_gdb || !new_bytes || !set_size)
		return false;
	if (!array)
		array = new_bytes();
	set_size(array, 0);
	read_for_gdb(get_cpu((int)vcpu), array, number);
	if (array->length != bytes)
		return false;
	memcpy(to, array->bytes, bytes);
	return true;
}

/* The struct's layout is the same for each processor. */
static const uint8_t *vectors(unsigned vcpu)
{
	static unsigned offset;
	const uint64_t *part = parts[vcpu % CORE_PROCESSORS];
	uint8_t registers[VECTORS][VECTOR_BYTES];

	if (!part)
		return NULL;
	for (int i = 0; !offset && i < VECTORS; i++)
		if (!gdb_register(vcpu, GDB_XMM0 + i, registers[i], VECTOR_BYTES))
			return NULL;
	if (!offset)
		offset = vectors_find(part, VECTORS_REACH, registers);
	return offset ? (const uint8_t *)part + offset : NULL;
}

static bool mxcsr(unsigned vcpu, uint32_t *value)
{
	return gdb_register(vcpu, GDB_MXCSR, value, sizeof(*value));
}

static bool all_registers(unsigned vcpu, struct qemu_registers *out)
{
	const uint64_t *part = parts[vcpu % CORE_PROCESSORS];
	uint64_t mode = part ? part[WORD_MODE] : 0;
	bool flat = mode & MODE_CODE64;

	if (!part)
		return false;
	*out = (struct qemu_registers){.rax = part[WORD_RAX],
				       .rdx = part[WORD_RDX],
				       .rsi = part[WORD_RSI],
				       .rsp = part[WORD_RSP],
				       .rbp = part[WORD_RBP],
				       .stack_base = flat ? 0 : part[WORD_SS_BASE],
				       .code_base = flat ? 0 : part[WORD_CS_BASE],
				       .cr3 = part[WORD_CR3],
				       .ring = mode & MODE_RING,
				       .bits = flat                 ? 64
					       : mode & MODE_CODE32 ? 32
								    : 16,
				       .smm = mode & MODE_SMM};
	return true;
}

static bool runs_guest(unsigned vcpu)
{
	const uint64_t *part = parts[vcpu % CORE_PROCESSORS];

	return part && part[WORD_MODE] & (MODE_RING | MODE_GUEST);
}

static bool knows_registers(void)
{
	return get_cpu;
}

static bool knows_current(void)
{
	return true;
}

const struct qemu_way qemu_7 = {
    .setup = setup,
    .insn_data = insn_data,
    .translating = translating,
    .registers = registers,
    .registers_flag = QEMU_PLUGIN_CB_NO_REGS,
    .paging = paging,
    .stack = stack,
    .vectors = vectors,
    .mxcsr = mxcsr,
    .all_registers = all_registers,
    .runs_guest = runs_guest,
    .knows_registers = knows_registers,
    .knows_current = knows_current,
    .may_stop_calls = true,
};

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way to QEMU 9.0 to 11.1: versions 2 to 7 of the plugin interface read registers. From version
 * 3 on instructions are copied. Where all processors have one thread, they share translated blocks,
 * and QEMU compiles into a block's callbacks the number of the processor for which it was
 * translated; the one that runs is in the variable `current_cpu`.
 */
#include <dlfcn.h>
#include <string.h>

#include "abi/core_page.h"
#include "emulator/sim/plugin/qemu/qemu.h"
#include "emulator/sim/plugin/qemu/vectors.h"

#define INSN_MAX 16
#define EFER_LMA (1u << 10)
#define CR0_PE   (1u << 0)

#define VECTORS_REACH 0x6000 /* the struct of a processor has the vector registers within it */

struct CPUState;

/* GLib's array of any elements, as far as it is public. */
struct array {
	void *elements;
	unsigned nr;
};

/* qemu_plugin_reg_descriptor; since version 6 of the interface there is more behind it. */
struct register_name {
	void *handle;
	const char *name, *feature;
};

/* Registers by their names in gdb's protocol: the general ones by their numbers, bases, paging. */
enum {
	REGISTER_RAX = 0,
	REGISTER_RDX = 2,
	REGISTER_RSP = 4,
	REGISTER_RBP = 5,
	REGISTER_RSI = 6,
	REGISTER_CR0 = TOUCH_VALUES,
	REGISTER_CR3,
	REGISTER_CR4,
	REGISTER_EFER,
	REGISTER_CS,
	REGISTER_SS,
	REGISTER_MXCSR,
	REGISTER_XMM0,
	NR_REGISTERS = REGISTER_XMM0 + VECTORS
};
static const char *const names[NR_REGISTERS] = {
    "rax",  "rcx",  "rdx",   "rbx",   "rsp",   "rbp",     "rsi",     "rdi",  "r8",   "r9",   "r10",
    "r11",  "r12",  "r13",   "r14",   "r15",   "fs_base", "gs_base", "cr0",  "cr3",  "cr4",  "efer",
    "cs",   "ss",   "mxcsr", "xmm0",  "xmm1",  "xmm2",    "xmm3",    "xmm4", "xmm5", "xmm6", "xmm7",
    "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",   "xmm14",   "xmm15"};

static struct {
	unsigned (*element_size)(const struct array *array);
	size_t (*copy)(const struct qemu_plugin_insn *insn, void *to, size_t room);
	struct array *(*get_registers)(void);
	/* Appends; its result has another type since version 6. */
	void (*read_register)(void *handle, struct byte_array *to);
	struct byte_array *(*new_bytes)(void);
	void (*set_size)(struct byte_array *array, unsigned size);
	struct CPUState *(*get_cpu)(int index);
} qemu;
static void *handles[NR_REGISTERS];

static bool knows_registers(void)
{
	return qemu.get_registers && qemu.read_register && qemu.new_bytes && qemu.set_size &&
	       qemu.element_size;
}

/* The processors' registers have the same handles. Only a processor's thread may look them up. */
static void find_registers(unsigned vcpu)
{
	struct array *all = vcpu || !knows_registers() ? NULL : qemu.get_registers();

	for (unsigned i = 0; all && i < all->nr; i++) {
		const struct register_name *found =
		    (const void *)((const char *)all->elements + i * qemu.element_size(all));

		for (unsigned n = 0; n < NR_REGISTERS; n++)
			if (!handles[n] && !strcmp(found->name, names[n]))
				handles[n] = found->handle;
	}
}

static void setup(void)
{
	*(void **)&qemu.copy = dlsym(RTLD_DEFAULT, "qemu_plugin_insn_data");
	*(void **)&qemu.get_registers = dlsym(RTLD_DEFAULT, "qemu_plugin_get_registers");
	*(void **)&qemu.read_register = dlsym(RTLD_DEFAULT, "qemu_plugin_read_register");
	*(void **)&qemu.new_bytes = dlsym(RTLD_DEFAULT, "g_byte_array_new");
	*(void **)&qemu.set_size = dlsym(RTLD_DEFAULT, "g_byte_array_set_size");
	*(void **)&qemu.get_cpu = dlsym(RTLD_DEFAULT, "qemu_get_cpu");
	*(void **)&qemu.element_size = dlsym(RTLD_DEFAULT, "g_array_get_element_size");
}

static const uint8_t *insn_pointer(const struct qemu_plugin_insn *insn)
{
	return qemu_plugin_insn_data(insn);
}

static const uint8_t *insn_copy(const struct qemu_plugin_insn *insn)
{
	static _Thread_local uint8_t bytes[INSN_MAX];

	qemu.copy(insn, bytes, sizeof(bytes));
	return bytes;
}

/* Reads a register of the running processor, of at most `most` bytes; the rest is 0. */
static bool read_bytes(unsigned n, void *value, unsigned most)
{
	static _Thread_local struct byte_array *bytes;

	if (!bytes)
		bytes = qemu.new_bytes();
	qemu.set_size(bytes, 0);
	if (!handles[n])
		return false;
	qemu.read_register(handles[n], bytes);
	if (!bytes->length || bytes->length > most)
		return false;
	memset(value, 0, most);
	memcpy(value, bytes->bytes, bytes->length);
	return true;
}

/* As read_bytes(); in 32-bit modes a general register has 4 bytes. */
static bool read_one(unsigned n, uint64_t *value)
{
	return read_bytes(n, value, sizeof(*value));
}

/* The struct's layout is the same for each processor. */
static const uint8_t *vectors(unsigned vcpu)
{
	static unsigned offset;
	const void *cpu = qemu.get_cpu && knows_registers() ? qemu.get_cpu((int)vcpu) : NULL;
	uint8_t registers[VECTORS][VECTOR_BYTES];

	if (!cpu)
		return NULL;
	for (unsigned i = 0; !offset && i < VECTORS; i++)
		if (!read_bytes(REGISTER_XMM0 + i, registers[i], VECTOR_BYTES))
			return NULL;
	if (!offset)
		offset = vectors_find(cpu, VECTORS_REACH, registers);
	return offset ? (const uint8_t *)cpu + offset : NULL;
}

static bool mxcsr(unsigned vcpu, uint32_t *value)
{
	(void)vcpu;
	return knows_registers() && read_bytes(REGISTER_MXCSR, value, sizeof(*value));
}

static bool registers(unsigned vcpu, uint64_t start, uint64_t out[TOUCH_VALUES])
{
	(void)vcpu;
	(void)start;
	for (unsigned n = 0; n < TOUCH_VALUES; n++)
		if (!knows_registers() || !read_one(n, &out[n]))
			return false;
	return true;
}

/* The size of code segments is not known: code in long mode counts as 64-bit code, other code as
 * 32-bit code. */
static bool paging(unsigned vcpu, struct qemu_paging *paging)
{
	uint64_t efer;

	(void)vcpu;
	if (!knows_registers() || !read_one(REGISTER_CR0, &paging->cr0) ||
	    !read_one(REGISTER_CR3, &paging->cr3) || !read_one(REGISTER_CR4, &paging->cr4) ||
	    !read_one(REGISTER_EFER, &efer))
		return false;
	paging->long_mode = paging->code64 = efer & EFER_LMA;
	paging->code32 = !paging->long_mode;
	return true;
}

static bool stack(unsigned vcpu, uint64_t *rsp)
{
	(void)vcpu;
	return knows_registers() && read_one(REGISTER_RSP, rsp);
}

static uint8_t bits_of(uint64_t cr0, uint64_t efer)
{
	if (efer & EFER_LMA)
		return 64;
	return cr0 & CR0_PE ? 32 : 16;
}

/* The bases of segments are not known: in protected modes they count as 0, which all that is no DOS
 * program has; nor is SMM. */
static bool all_registers(unsigned vcpu, struct qemu_registers *out)
{
	uint64_t cr0, cs, ss, efer;

	(void)vcpu;
	if (!knows_registers() || !read_one(REGISTER_RAX, &out->rax) ||
	    !read_one(REGISTER_RDX, &out->rdx) || !read_one(REGISTER_RSI, &out->rsi) ||
	    !read_one(REGISTER_RSP, &out->rsp) || !read_one(REGISTER_CR3, &out->cr3) ||
	    !read_one(REGISTER_CR0, &cr0) || !read_one(REGISTER_CS, &cs) ||
	    !read_one(REGISTER_RBP, &out->rbp) || !read_one(REGISTER_EFER, &efer) ||
	    !read_one(REGISTER_SS, &ss))
		return false;
	out->stack_base = cr0 & CR0_PE ? 0 : ss << 4;
	out->code_base = cr0 & CR0_PE ? 0 : cs << 4;
	out->ring = cr0 & CR0_PE ? cs & 3 : 0;
	out->bits = bits_of(cr0, efer);
	out->smm = false;
	return true;
}

/* SVM's guest mode is not known; a guest in ring 0 cannot reach the visor's pages. */
static bool runs_guest(unsigned vcpu)
{
	uint64_t selector;

	(void)vcpu;
	return knows_registers() && read_one(REGISTER_CS, &selector) && selector & 3;
}

static bool knows_current(void)
{
	return dlsym(RTLD_DEFAULT, "current_cpu") && qemu.get_cpu;
}

static unsigned number_of(const struct CPUState *cpu, unsigned otherwise)
{
	for (int i = 0; i < CORE_PROCESSORS; i++)
		if (qemu.get_cpu(i) == cpu)
			return (unsigned)i;
	return otherwise;
}

static unsigned current(unsigned vcpu)
{
	static struct CPUState *const *running, *last; /* of the one thread that calls */
	static unsigned number;

	if (!running)
		running = dlsym(RTLD_DEFAULT, "current_cpu");
	if (!*running)
		return vcpu;
	if (*running != last) {
		last = *running;
		number = number_of(last, vcpu);
	}
	return number;
}

const struct qemu_way qemu_9_pointers = {
    .setup = setup,
    .processor = find_registers,
    .insn_data = insn_pointer,
    .registers = registers,
    .registers_flag = QEMU_PLUGIN_CB_R_REGS,
    .paging = paging,
    .stack = stack,
    .vectors = vectors,
    .mxcsr = mxcsr,
    .all_registers = all_registers,
    .runs_guest = runs_guest,
    .knows_registers = knows_registers,
    .current = current,
    .knows_current = knows_current,
};

const struct qemu_way qemu_9 = {
    .setup = setup,
    .processor = find_registers,
    .insn_data = insn_copy,
    .registers = registers,
    .registers_flag = QEMU_PLUGIN_CB_R_REGS,
    .paging = paging,
    .stack = stack,
    .vectors = vectors,
    .mxcsr = mxcsr,
    .all_registers = all_registers,
    .runs_guest = runs_guest,
    .knows_registers = knows_registers,
    .current = current,
    .knows_current = knows_current,
};

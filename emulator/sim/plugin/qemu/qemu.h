/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ways to QEMU: what its plugin interface offers differs between versions. qemu_7.c serves version
 * 1 of the interface (QEMU 7.2 to 8.2), qemu_9.c versions 2 to 7 (QEMU 9.0 to 11.1).
 */
#ifndef SIM_PLUGIN_QEMU_H
#define SIM_PLUGIN_QEMU_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/sim/decode/touch.h"
#include "emulator/sim/plugin/qemu/qemu_plugin_api.h"

/* Which pages a processor translates by, and the size of its code segment; neither: 16 bits. */
struct qemu_paging {
	bool long_mode, code64, code32;
	uint64_t cr0, cr3, cr4;
};

/* GLib's array of bytes, as far as it is public. */
struct byte_array {
	uint8_t *bytes;
	unsigned length;
};

/* Registers of any mode. */
struct qemu_registers {
	uint64_t rax, rdx, rsi, rsp, rbp;
	uint64_t stack_base, code_base; /* of the segments; 0 in 64-bit mode */
	uint64_t cr3;
	uint8_t ring;
	uint8_t bits; /* of the code: 16, 32, 64 */
	bool smm;     /* in SMM; false where that is not known */
};

struct qemu_way {
	/* Looks up what the others need. At load. */
	void (*setup)(void);
	/* Looks up what only the processor's thread may. Before its first instruction; may be NULL.
	 */
	void (*processor)(unsigned vcpu);
	/* The instruction's bytes, until the thread's next call. Context: a translation's callback.
	 */
	const uint8_t *(*insn_data)(const struct qemu_plugin_insn *insn);
	/* A block at `start` is being translated, and the processor's registers are those before
	 * it. */
	void (*translating)(uint64_t start);
	/* The general registers and the bases of FS and GS at the start of the block at `start`.
	 * False: they are not found. Context: a callback of that block's start, with
	 * `registers_flag`. */
	bool (*registers)(unsigned vcpu, uint64_t start, uint64_t out[TOUCH_VALUES]);
	enum qemu_plugin_cb_flags registers_flag;
	/* False: not known. Context: a callback of the processor's. */
	bool (*paging)(unsigned vcpu, struct qemu_paging *paging);
	/* RSP. False: not known. Context: a callback of a block's start. */
	bool (*stack)(unsigned vcpu, uint64_t *rsp);
	/* As stack(), in each mode. NULL: this QEMU does not show them. */
	bool (*all_registers)(unsigned vcpu, struct qemu_registers *out);
	/* True if the processor is not in ring 0, or is known to run a guest of SVM; false if its
	 * state is not found. Context: as registers(). */
	bool (*runs_guest)(unsigned vcpu);
	/* The vector registers, VECTOR_STRIDE_BYTES each (vectors.h). NULL: not found yet, because
	 * all are 0, or never. Context: as registers(). */
	const uint8_t *(*vectors)(unsigned vcpu);
	/* False: not known. Context: as registers(). */
	bool (*mxcsr)(unsigned vcpu, uint32_t *value);
	/* Whether registers() and paging() may succeed. */
	bool (*knows_registers)(void);
	/* Corrects `vcpu`, the number that QEMU gives a callback, where several processors have one
	 * thread. NULL: the number is right. */
	unsigned (*current)(unsigned vcpu);
	/* Whether current() works. */
	bool (*knows_current)(void);
	/* qemu_register_translation() was tried without a callback. */
	bool may_stop_calls;
};

/* The way to this QEMU, chosen at load. */
extern const struct qemu_way *qemu_way;

/* Chooses qemu_way for a QEMU that offers version `api` of the interface. False: it is too new. At
 * load. */
bool qemu_choose_way(int api);

/* Returns QEMU's function of that name, or of its later name. NULL: there is none. */
void *qemu_function(const char *name, const char *later);

/* Prepares each processor before its first instruction. At load, after qemu_choose_way(). */
void qemu_register_processors(qemu_plugin_id_t id);

/* Register callbacks whose arguments depend on the version of the interface. At load, after
 * qemu_choose_way(); for translations also later, NULL ends the calls. */
void qemu_register_translation(qemu_plugin_id_t id, void (*callback)(struct qemu_plugin_tb *tb));
void qemu_register_flush(qemu_plugin_id_t id, void (*callback)(void));

/* Versions 1, 2 (which gives a pointer to an instruction) and 3 to 7 of the interface. */
extern const struct qemu_way qemu_7, qemu_9_pointers, qemu_9;

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The private stream in which QEMU's plugin reports to the host command what a machine executed
 * from its reset on. Facts, no code. A file of records, each with a header and padded to 8 bytes; a
 * reader must check each size, because the guest chooses most of the contents.
 */
#ifndef ABI_BOOT_PROFILE_H
#define ABI_BOOT_PROFILE_H

#include <stdint.h>

#define PROFILE_MAGIC      0x544f4f42554d5042 /* "BPMUBOOT" */
#define PROFILE_VERSION    2
#define PROFILE_PROCESSORS 16
#define PROFILE_EVENTS     8
#define PROFILE_IMAGES     4096
#define PROFILE_NAME       256
#define PROFILE_TEXT       112
#define PROFILE_HEADER     8192 /* bytes of an image's start, at most */
#define PROFILE_CHAIN      128  /* callers of a sample, at most */
#define PROFILE_CODE       4096 /* bytes of a block, at most */
#define PROFILE_NONE       UINT32_MAX

/* A guest's mark: nop dword [rax + rax + PROFILE_MARKER + n], n below 256; it does nothing on any
 * processor. */
#define PROFILE_MARKER       0x424d5000
#define PROFILE_MARKER_BYTES 8
#define PROFILE_MARKS        256

enum profile_type {
	PROFILE_HEAD = 1,
	PROFILE_IMAGE,
	PROFILE_BLOCK,
	PROFILE_SLICE,
	PROFILE_SAMPLE,
	PROFILE_LINE,
	PROFILE_CALLED, /* ids of blocks that calls enter */
	PROFILE_END,
};

struct profile_record {
	uint32_t type;
	uint32_t bytes; /* that follow, a multiple of 8 */
};

/* Executed instructions, core cycles (0 without a core), the guest's clock (0: unknown). */
struct profile_when {
	uint64_t instructions, cycles, ns;
};

struct profile_head {
	uint64_t magic;
	uint32_t version;
	uint32_t timed; /* a core is simulated */
	uint32_t nr_events, pad;
	uint64_t periods[PROFILE_EVENTS]; /* 0: not sampled */
};

enum profile_image_kind {
	IMAGE_PE32,
	IMAGE_PE64,
	IMAGE_TE32,
	IMAGE_TE64,
	IMAGE_ELF,    /* a program or a library; its name is a path or the library's own */
	IMAGE_MODULE, /* of Linux's kernel */
};

/* An image in memory; `header_bytes` of its start follow. */
struct profile_image {
	struct profile_when when; /* its first block was translated */
	uint64_t base, size;
	uint32_t id, kind; /* enum profile_image_kind */
	uint32_t header_bytes;
	uint32_t stripped;       /* bytes that a TE file has less than its addresses say */
	char name[PROFILE_NAME]; /* of its debug directory, as it is; empty: none */
};

/* The last instruction of a block. */
enum profile_ending {
	ENDING_PLAIN,
	ENDING_CONDITIONAL,
	ENDING_JUMP,
	ENDING_JUMP_INDIRECT,
	ENDING_CALL,
	ENDING_CALL_INDIRECT,
	ENDING_RETURN,
	ENDING_FAR,
};

/* A translated block; its code follows, then the length of each instruction, a byte each. */
struct profile_block {
	uint64_t start; /* linear */
	uint64_t target;
	uint32_t id, image; /* image: PROFILE_NONE without one */
	uint16_t bytes, instructions;
	uint8_t bits; /* of its code: 16, 32, 64; 0: unknown */
	uint8_t ending, pad[2];
};

/* Why a slice of the time ended and the next one began. */
enum profile_reason {
	SLICE_IMAGE,  /* value: a new image */
	SLICE_UPPER,  /* the first code in the upper half of addresses: value */
	SLICE_RING3,  /* the first code of ring 3: value */
	SLICE_POST,   /* port 80H: value */
	SLICE_MARK,   /* value: number of the --mark option */
	SLICE_GUEST,  /* value: the guest's marker */
	SLICE_AGAIN,  /* code that had not run yet, of an older image: its number */
	SLICE_SECTOR, /* the first code at 7C00H: a boot sector */
	SLICE_TIME,   /* long enough */
	SLICE_END,
	SLICE_REASONS,
};

enum profile_count {
	COUNT_BRANCHES,
	COUNT_MISPREDICTED,
	COUNT_L1D_MISSES,
	COUNT_L1I_MISSES,
	COUNT_LAST_MISSES,
	COUNT_DTLB_WALKS,
	COUNT_ITLB_WALKS,
	PROFILE_COUNTS
};

/* A slice's end; nr rows of its blocks follow. */
struct profile_slice {
	struct profile_when when;
	uint32_t reason, nr;
	uint64_t value;
	uint64_t counts[PROFILE_COUNTS]; /* of the slice */
};

/* Runs and cycles of a block in a slice: [1] in loops that wait. */
struct profile_row {
	uint32_t block, pad;
	uint64_t runs[2], cycles[2];
};

enum profile_flag { SAMPLE_WAITS = 1, SAMPLE_RING3 = 2, SAMPLE_SMM = 4 };

/* A sample; addresses within its callers' call instructions follow, the innermost first. */
struct profile_sample {
	struct profile_when when;
	uint64_t ip, cr3, periods;
	uint32_t event, block;
	uint32_t flags, nr;
	uint32_t processor, unused;
};

/* A line of text that the guest wrote to a port: 3F8H or 402H. */
struct profile_line {
	struct profile_when when;
	uint32_t port, bytes;
	char text[PROFILE_TEXT];
};

struct profile_end {
	struct profile_when when;
	uint64_t samples, dropped; /* blocks beyond the limit */
};

_Static_assert(sizeof(struct profile_image) % 8 == 0, "an image");
_Static_assert(sizeof(struct profile_block) % 8 == 0, "a block");
_Static_assert(sizeof(struct profile_sample) % 8 == 0, "a sample");

#endif

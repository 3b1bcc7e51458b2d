/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Branch traces in BT9, the text format of the branch prediction championship of 2016: nodes are
 * branch instructions, edges lead from a branch with its outcome to the next branch, and the trace
 * is the sequence of edges.
 */
#ifndef SIM_EXPERIMENT_BT9_H
#define SIM_EXPERIMENT_BT9_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A branch that has executed. */
struct bt9_branch {
	uint64_t pc, target; /* target: of the branch, taken or not; 0: unknown */
	uint64_t before;     /* instructions since the branch before, without both */
	uint32_t opcode;     /* its first four bytes */
	uint8_t size, kind;  /* kind: enum branch_class */
	bool taken;
};

struct bt9_writer;

/* Returns NULL if there is no memory. */
struct bt9_writer *bt9_writer_new(void);
/* Appends a branch. */
void bt9_write(struct bt9_writer *writer, const struct bt9_branch *branch);
/* Writes all to the file, and frees the writer. Returns false if memory was short or the file is
 * incomplete. */
bool bt9_writer_end(struct bt9_writer *writer, FILE *file);

struct bt9_reader;

/* Reads the tables. Returns NULL and sets *why to one line if the file has none. */
struct bt9_reader *bt9_reader_new(FILE *file, const char **why);
/* Reads the next branch. Returns false at the end, and sets *why if that is no proper one. */
bool bt9_read(struct bt9_reader *reader, struct bt9_branch *branch, const char **why);
void bt9_reader_free(struct bt9_reader *reader);

#endif

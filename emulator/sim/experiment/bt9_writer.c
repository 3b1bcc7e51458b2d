/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes BT9. The tables precede the sequence, which is kept until the end. */
#include "emulator/sim/experiment/bt9.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/sim/branch/predictor.h"
#include "emulator/sim/config/mix.h"

enum { FIRST = 1 << 12 };

struct node {
	struct bt9_branch branch; /* that it was seen as first */
	uint64_t taken, not_taken;
};

struct edge {
	uint32_t from, to; /* nodes */
	uint64_t target, before;
	uint64_t times;
	bool taken;
};

/* A growing array, and a hash table of its numbers plus 1. */
struct table {
	uint32_t *slots, nr, room; /* room: of the array; the hash table has twice as many */
};

struct bt9_writer {
	struct table node_table, edge_table;
	struct node *nodes;
	struct edge *edges;
	uint32_t *sequence;
	size_t nr, room;
	uint32_t last; /* the node of the branch before; its outcome: */
	uint64_t target;
	bool taken, failed;
	uint64_t instructions;
};

static uint64_t node_hash(const struct bt9_writer *w, uint32_t n)
{
	return w->nodes[n].branch.pc * MIX_FIRST;
}

static uint64_t edge_hash(const struct bt9_writer *w, uint32_t n)
{
	const struct edge *e = &w->edges[n];

	return ((uint64_t)e->from << 32 ^ e->to ^ e->target << 7 ^ e->before << 50 ^ e->taken) *
	       MIX_FIRST;
}

static bool same_node(const struct bt9_writer *w, uint32_t a, uint32_t b)
{
	return w->nodes[a].branch.pc == w->nodes[b].branch.pc &&
	       w->nodes[a].branch.kind == w->nodes[b].branch.kind;
}

static bool same_edge(const struct bt9_writer *w, uint32_t a, uint32_t b)
{
	const struct edge *x = &w->edges[a], *y = &w->edges[b];

	return x->from == y->from && x->to == y->to && x->target == y->target &&
	       x->before == y->before && x->taken == y->taken;
}

static const struct way {
	uint64_t (*hash)(const struct bt9_writer *w, uint32_t n);
	bool (*same)(const struct bt9_writer *w, uint32_t a, uint32_t b);
} nodes_way = {node_hash, same_node}, edges_way = {edge_hash, same_edge};

/* Makes room for one more element in *array and in the hash table. */
static bool bt9_grow(struct bt9_writer *w, struct table *t, const struct way *way, void **array,
		     size_t size)
{
	uint32_t room = t->room ? 2 * t->room : FIRST;
	uint32_t *slots;
	void *larger;

	if (t->nr + 1 < t->room)
		return true;
	larger = realloc(*array, room * size);
	slots = calloc(2 * (size_t)room, sizeof(*slots));
	if (larger)
		*array = larger;
	if (!larger || !slots) {
		free(slots);
		return false;
	}
	free(t->slots);
	t->slots = slots;
	t->room = room;
	for (uint32_t n = 0; n < t->nr; n++) {
		uint32_t at = (uint32_t)(way->hash(w, n) >> 32) % (2 * room);

		while (slots[at])
			at = (at + 1) % (2 * room);
		slots[at] = n + 1;
	}
	return true;
}

/* The element behind the array's end is looked for, and becomes one if it is new. Returns its
 * number. */
static uint32_t find_or_add(const struct bt9_writer *w, struct table *t, const struct way *way)
{
	uint32_t at = (uint32_t)(way->hash(w, t->nr) >> 32) % (2 * t->room);

	while (t->slots[at]) {
		if (way->same(w, t->slots[at] - 1, t->nr))
			return t->slots[at] - 1;
		at = (at + 1) % (2 * t->room);
	}
	t->slots[at] = ++t->nr;
	return t->nr - 1;
}

static uint32_t bt9_node(struct bt9_writer *w, const struct bt9_branch *branch)
{
	if (!bt9_grow(w, &w->node_table, &nodes_way, (void **)&w->nodes, sizeof(*w->nodes))) {
		w->failed = true;
		return 0;
	}
	w->nodes[w->node_table.nr] = (struct node){.branch = *branch};
	return find_or_add(w, &w->node_table, &nodes_way);
}

static void append_edge(struct bt9_writer *w, uint32_t to, uint64_t before)
{
	uint32_t number;

	if (w->nr == w->room) {
		size_t room = w->room ? 2 * w->room : FIRST;
		uint32_t *more = realloc(w->sequence, room * sizeof(*more));

		if (!more) {
			w->failed = true;
			return;
		}
		w->sequence = more;
		w->room = room;
	}
	if (!bt9_grow(w, &w->edge_table, &edges_way, (void **)&w->edges, sizeof(*w->edges)))
		w->failed = true;
	if (w->failed)
		return;
	w->edges[w->edge_table.nr] = (struct edge){
	    .from = w->last, .to = to, .target = w->target, .before = before, .taken = w->taken};
	number = find_or_add(w, &w->edge_table, &edges_way);
	w->edges[number].times++;
	w->sequence[w->nr++] = number;
}

/* Node 0 is where the program begins. */
struct bt9_writer *bt9_writer_new(void)
{
	struct bt9_writer *w = calloc(1, sizeof(*w));

	if (w)
		bt9_node(w, &(struct bt9_branch){.kind = BRANCH_JUMP});
	return w;
}

void bt9_write(struct bt9_writer *w, const struct bt9_branch *branch)
{
	uint32_t node = w->failed ? 0 : bt9_node(w, branch);

	if (w->failed)
		return;
	append_edge(w, node, branch->before);
	w->nodes[node].taken += branch->taken;
	w->nodes[node].not_taken += !branch->taken;
	w->last = node;
	w->target = branch->target;
	w->taken = branch->taken;
	w->instructions += branch->before + 1;
}

static void write_nodes(const struct bt9_writer *w, FILE *file)
{
	static const char *const classes[] = {
	    [BRANCH_CONDITIONAL] = "JMP+DIR+CND",    [BRANCH_JUMP] = "JMP+DIR+UCD",
	    [BRANCH_JUMP_INDIRECT] = "JMP+IND+UCD",  [BRANCH_CALL] = "CALL+DIR+UCD",
	    [BRANCH_CALL_INDIRECT] = "CALL+IND+UCD", [BRANCH_RETURN] = "RET+IND+UCD",
	};

	fputs("BT9_NODES\n#NODE id virtual_address physical_address opcode size\n"
	      "NODE 0 0 - 0 0\n",
	      file);
	for (uint32_t n = 1; n < w->node_table.nr; n++) {
		const struct node *node = &w->nodes[n];

		fprintf(
		    file,
		    "NODE %u 0x%llx - 0x%08x %u class: %s taken_cnt: %llu not_taken_cnt: %llu\n", n,
		    (unsigned long long)node->branch.pc, node->branch.opcode, node->branch.size,
		    classes[node->branch.kind], (unsigned long long)node->taken,
		    (unsigned long long)node->not_taken);
	}
}

static void write_edges(const struct bt9_writer *w, FILE *file)
{
	fputs("BT9_EDGES\n#EDGE id src_id dest_id taken br_virt_target br_phy_target inst_cnt\n",
	      file);
	for (uint32_t n = 0; n < w->edge_table.nr; n++) {
		const struct edge *edge = &w->edges[n];

		fprintf(file, "EDGE %u %u %u %c 0x%llx - %llu traverse_cnt: %llu\n", n, edge->from,
			edge->to, edge->taken ? 'T' : 'N', (unsigned long long)edge->target,
			(unsigned long long)edge->before, (unsigned long long)edge->times);
	}
}

bool bt9_writer_end(struct bt9_writer *w, FILE *file)
{
	bool good = !w->failed;

	/* The last branch's outcome is that of an edge back to node 0. */
	append_edge(w, 0, 0);
	fprintf(file,
		"BT9_SPA_TRACE_FORMAT\nbt9_minor_version: 0\nhas_physical_address: 0\n"
		"md5_checksum:\nconversion_date:\noriginal_stf_input_file:\n"
		"total_instruction_count: %llu\nbranch_instruction_count: %zu\n",
		(unsigned long long)w->instructions, w->nr ? w->nr - 1 : 0);
	write_nodes(w, file);
	write_edges(w, file);
	fputs("BT9_EDGE_SEQUENCE\n", file);
	for (size_t i = 0; i < w->nr; i++)
		fprintf(file, "%u\n", w->sequence[i]);
	fputs("EOF\n", file);
	free(w->node_table.slots);
	free(w->edge_table.slots);
	free(w->nodes);
	free(w->edges);
	free(w->sequence);
	free(w);
	return good && !ferror(file);
}

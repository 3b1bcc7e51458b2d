/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads BT9. A comment begins with '#'; fields behind the fixed ones have names. */
#include "emulator/sim/experiment/bt9.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/sim/branch/predictor.h"

enum { LINE = 1024, RECORDS_MAX = 1 << 26 };

struct node {
	uint64_t pc;
	uint32_t opcode;
	uint8_t size, kind;
};

struct edge {
	uint32_t from, to;
	uint64_t target, before;
	bool taken;
};

struct bt9_reader {
	FILE *file;
	struct node *nodes;
	struct edge *edges;
	uint32_t nr_nodes, nr_edges;
	uint64_t before; /* instructions of the edge that led to the present branch */
};

/* Reads the next line that is not empty, without its comment. */
static bool read_line(FILE *file, char line[LINE])
{
	while (fgets(line, LINE, file)) {
		line[strcspn(line, "#\r\n")] = 0;
		if (line[strspn(line, " \t")])
			return true;
	}
	return false;
}

static uint8_t kind_of(const char *line)
{
	static const struct {
		const char *name;
		uint8_t kind;
	} classes[] = {
	    {"RET+", BRANCH_RETURN},      {"CALL+IND", BRANCH_CALL_INDIRECT},
	    {"CALL+", BRANCH_CALL},       {"IND+", BRANCH_JUMP_INDIRECT},
	    {"+CND", BRANCH_CONDITIONAL},
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (strstr(line, classes[i].name))
			return classes[i].kind;
	return BRANCH_JUMP;
}

/* Grows *array to hold element `id`. */
static void *reader_room(void *array, uint32_t *nr, unsigned long id, size_t size)
{
	uint32_t more = *nr ? *nr : 1024;
	char *larger;

	if (id < *nr || id >= RECORDS_MAX)
		return id < *nr ? array : NULL;
	while (more <= id)
		more *= 2;
	larger = realloc(array, more * size);
	if (!larger)
		return NULL;
	memset(larger + *nr * size, 0, (more - *nr) * size);
	*nr = more;
	return larger;
}

static bool take_node(struct bt9_reader *r, const char *line)
{
	unsigned long id;
	unsigned long long pc;
	unsigned opcode, size;
	void *nodes;

	if (sscanf(line, " NODE %lu %llx %*s %x %u", &id, &pc, &opcode, &size) != 4)
		return false;
	nodes = reader_room(r->nodes, &r->nr_nodes, id, sizeof(*r->nodes));
	if (!nodes)
		return false;
	r->nodes = nodes;
	r->nodes[id] = (struct node){pc, opcode, (uint8_t)size, kind_of(line)};
	return true;
}

static bool take_edge(struct bt9_reader *r, const char *line)
{
	unsigned long id, from, to;
	unsigned long long target, before;
	char taken;
	void *edges;

	if (sscanf(line, " EDGE %lu %lu %lu %c %llx %*s %llu", &id, &from, &to, &taken, &target,
		   &before) != 6 ||
	    from >= r->nr_nodes || to >= r->nr_nodes)
		return false;
	edges = reader_room(r->edges, &r->nr_edges, id, sizeof(*r->edges));
	if (!edges)
		return false;
	r->edges = edges;
	r->edges[id] = (struct edge){(uint32_t)from, (uint32_t)to, target, before, taken == 'T'};
	return true;
}

/* Reads up to the line `end`, each line by `take`; without it they are passed. */
static bool read_part(struct bt9_reader *r, const char *end,
		      bool (*take)(struct bt9_reader *r, const char *line))
{
	char line[LINE], name[32];

	while (read_line(r->file, line)) {
		if (sscanf(line, "%31s", name) == 1 && !strcmp(name, end))
			return true;
		if (take && !take(r, line))
			return false;
	}
	return false;
}

struct bt9_reader *bt9_reader_new(FILE *file, const char **why)
{
	struct bt9_reader *r = calloc(1, sizeof(*r));

	*why = "no memory";
	if (!r)
		return NULL;
	r->file = file;
	*why = !read_part(r, "BT9_SPA_TRACE_FORMAT", NULL) ? "it is no BT9 trace"
	       : !read_part(r, "BT9_NODES", NULL)          ? "it has no nodes"
	       : !read_part(r, "BT9_EDGES", take_node) ? "a node is wrong, or the edges are missing"
	       : !read_part(r, "BT9_EDGE_SEQUENCE", take_edge)
		   ? "an edge is wrong, or the sequence is missing"
		   : NULL;
	if (!*why)
		return r;
	bt9_reader_free(r);
	return NULL;
}

void bt9_reader_free(struct bt9_reader *r)
{
	if (!r)
		return;
	free(r->nodes);
	free(r->edges);
	free(r);
}

bool bt9_read(struct bt9_reader *r, struct bt9_branch *branch, const char **why)
{
	char line[LINE], *end;

	*why = NULL;
	while (read_line(r->file, line)) {
		unsigned long id = strtoul(line, &end, 10);
		const struct edge *edge = &r->edges[id];
		const struct node *node;

		if (!strncmp(line, "EOF", 3))
			return false;
		if (end == line || id >= r->nr_edges) {
			*why = "the sequence has no such edge";
			return false;
		}
		node = &r->nodes[edge->from];
		*branch = (struct bt9_branch){.pc = node->pc,
					      .target = edge->target,
					      .before = r->before,
					      .opcode = node->opcode,
					      .size = node->size,
					      .kind = node->kind,
					      .taken = edge->taken};
		r->before = edge->before;
		if (edge->from) /* node 0 is no branch */
			return true;
	}
	*why = "it ends without EOF";
	return false;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects of bpf(2): references and ids, for all kinds. */
#include "bpf/object/btf.h"
#include "bpf/object/object.h"
#include "kernel/base/assert.h"
#include "kernel/base/list.h"
#include "kernel/base/string.h"
#include "kernel/mem/memory.h"
#include "kernel/task/sched.h"

#define CLEAR_AT_ONCE (256ul << 10) /* bytes, without a pause */

static bool before(const struct tree_node *a, const struct tree_node *b)
{
	return container_of(a, const struct bpf_object, node)->id <
	       container_of(b, const struct bpf_object, node)->id;
}

static struct {
	struct tree tree; /* by id */
	uint32_t last_id;
} tables[NR_OBJECT_KINDS] = {
    [OBJECT_MAP].tree.before = before,
    [OBJECT_PROGRAM].tree.before = before,
    [OBJECT_LINK].tree.before = before,
    [OBJECT_BTF] = {.tree.before = before, .last_id = KERNEL_BTF_ID},
};

void *object_span(size_t bytes)
{
	char *span = kalloc_span(bytes);

	for (size_t done = 0, piece; span && done < bytes; done += piece) {
		piece = bytes - done < CLEAR_AT_ONCE ? bytes - done : CLEAR_AT_ONCE;
		memset(span + done, 0, piece);
		if (done + piece < bytes)
			sched_pause();
	}
	return span;
}

void object_init(struct bpf_object *object, enum object_kind kind, const struct object_ops *ops)
{
	*object = (struct bpf_object){.refs = 1, .kind = kind, .ops = ops};
}

/* Returns the first object with this id or a higher one, NULL: none. */
static struct bpf_object *from_id(enum object_kind kind, uint32_t id)
{
	struct tree_node *node = tables[kind].tree.root;
	struct bpf_object *found = NULL;

	while (node) {
		struct bpf_object *object = container_of(node, struct bpf_object, node);

		if (object->id >= id)
			found = object;
		node = object->id >= id ? node->left : node->right;
	}
	return found;
}

static struct bpf_object *find(enum object_kind kind, uint32_t id)
{
	struct bpf_object *object = from_id(kind, id);

	return object && object->id == id ? object : NULL;
}

/* Assigns an id. Ids wrap around; ids in use are skipped. */
void object_publish(struct bpf_object *object)
{
	uint32_t *last = &tables[object->kind].last_id;

	while (!object->id) {
		*last = *last < INT32_MAX ? *last + 1 : 1;
		object->id = find(object->kind, *last) ? 0 : *last;
	}
	tree_insert(&tables[object->kind].tree, &object->node);
}

void object_get(struct bpf_object *object)
{
	__atomic_add_fetch(&object->refs, 1, __ATOMIC_RELAXED);
}

static void object_destroy(struct ending *ending)
{
	struct bpf_object *object = container_of(ending, struct bpf_object, ending);

	object->ops->destroy(object);
}

void object_put(struct bpf_object *object)
{
	KASSERT(object->refs > 0);
	if (__atomic_sub_fetch(&object->refs, 1, __ATOMIC_ACQ_REL))
		return;
	if (object->id)
		tree_remove(&tables[object->kind].tree, &object->node);
	ending_run(&object->ending, object_destroy);
}

uint32_t object_next_id(enum object_kind kind, uint32_t id)
{
	const struct bpf_object *object = from_id(kind, id + 1);

	return object ? object->id : 0;
}

struct bpf_object *object_by_id(enum object_kind kind, uint32_t id)
{
	struct bpf_object *object = find(kind, id);

	if (object)
		object_get(object);
	return object;
}

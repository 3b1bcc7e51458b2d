/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types in BTF. The structure is checked: lengths, strings, and type numbers, so that walks stay
 * inside; walks are bounded, because types may be cyclic.
 */
#include <linux/btf.h>
#include <linux/errno.h>
#include "bpf/object/btf.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/mem/memory.h"
#include "trace/btf.h"

#define STEPS_MAX 32 /* from a name to its definition */

struct check {
	const uint8_t *data;
	const struct btf_header *header;
	const char *strings;
	struct text *log;
	uint32_t nr_types;
};

static int refuse(const struct check *c, uint32_t type, const char *why)
{
	if (c->log)
		text_print(c->log, "[%u] %s\n", type, why);
	return -EINVAL;
}

/* Returns the bytes after a type's header, by its kind; UINT32_MAX: unknown kind. */
static uint32_t tail_bytes(const struct btf_type *type)
{
	uint32_t members = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return 4;
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return members * (uint32_t)sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return members * (uint32_t)sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return members * (uint32_t)sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO:
		return members * (uint32_t)sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return members * (uint32_t)sizeof(struct btf_var_secinfo);
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	default:
		return UINT32_MAX;
	}
}

/* True if its second word is a type's number, not a size. */
static bool names_type(const struct btf_type *type)
{
	const uint32_t kinds = 1u << BTF_KIND_PTR | 1u << BTF_KIND_TYPEDEF |
			       1u << BTF_KIND_VOLATILE | 1u << BTF_KIND_CONST |
			       1u << BTF_KIND_RESTRICT | 1u << BTF_KIND_FUNC |
			       1u << BTF_KIND_FUNC_PROTO | 1u << BTF_KIND_VAR |
			       1u << BTF_KIND_DECL_TAG | 1u << BTF_KIND_TYPE_TAG;

	return kinds >> BTF_INFO_KIND(type->info) & 1;
}

static int check_header(const struct check *c, uint32_t bytes)
{
	const struct btf_header *h = c->header;
	uint64_t room;

	if (bytes < sizeof(*h) || h->magic != BTF_MAGIC || h->hdr_len < sizeof(*h) ||
	    h->hdr_len > bytes)
		return refuse(c, 0, "unknown header");
	if (h->version != BTF_VERSION || h->flags)
		return -ENOTSUPP;
	for (uint32_t i = sizeof(*h); i < h->hdr_len; i++)
		if (c->data[i])
			return -E2BIG;
	room = bytes - h->hdr_len;
	if (h->type_off || h->type_len & 3 || h->type_len > room || h->str_off != h->type_len ||
	    h->str_len != room - h->type_len || !h->str_len)
		return refuse(c, 0, "unknown sections");
	if (h->hdr_len & 3)
		return refuse(c, 0, "types lie between words");
	return 0;
}

static int check_strings(const struct check *c)
{
	if (c->strings[0] || c->strings[c->header->str_len - 1])
		return refuse(c, 0, "invalid string section");
	return 0;
}

/* Checks the numbers and names that follow a type's header. */
static int check_members(const struct check *c, uint32_t number, const struct btf_type *type)
{
	const uint32_t *words = (const uint32_t *)(type + 1);
	uint32_t kind = BTF_INFO_KIND(type->info), members = BTF_INFO_VLEN(type->info);
	const struct btf_array *array = (const struct btf_array *)words;

	if (kind == BTF_KIND_ARRAY)
		return array->type > c->nr_types || array->index_type > c->nr_types
			   ? refuse(c, number, "array of an unknown type")
			   : 0;
	for (uint32_t i = 0; i < members; i++) {
		bool aggregate = kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION;
		uint32_t name = 0, of = 0;

		if (aggregate || kind == BTF_KIND_ENUM64) {
			name = words[3 * i];
			of = aggregate ? words[3 * i + 1] : 0;
		} else if (kind == BTF_KIND_ENUM || kind == BTF_KIND_FUNC_PROTO) {
			name = words[2 * i];
			of = kind == BTF_KIND_ENUM ? 0 : words[2 * i + 1];
		} else if (kind == BTF_KIND_DATASEC) {
			of = words[3 * i];
		}
		if (name >= c->header->str_len || of > c->nr_types)
			return refuse(c, number, "unknown name or type of a member");
	}
	return 0;
}

static int check_type(const struct check *c, uint32_t number, const struct btf_type *type)
{
	uint32_t kind = BTF_INFO_KIND(type->info);

	if (type->name_off >= c->header->str_len)
		return refuse(c, number, "unknown name");
	if (names_type(type) && type->type > c->nr_types)
		return refuse(c, number, "unknown type");
	if (kind == BTF_KIND_INT) {
		uint32_t word = *(const uint32_t *)(type + 1);

		if (BTF_INT_BITS(word) > 128 || BTF_INT_OFFSET(word) > 128 ||
		    BTF_INT_OFFSET(word) + BTF_INT_BITS(word) > type->size * 8ull)
			return refuse(c, number, "too many bits");
	}
	return check_members(c, number, type);
}

/* Counts the types, then records each type's offset and checks it. */
static int check_types(struct check *c, uint32_t **places)
{
	const uint8_t *types = c->data + c->header->hdr_len;
	uint32_t length = c->header->type_len, at, nr = 0;
	int err = 0;

	for (at = 0; at < length; nr++) {
		const struct btf_type *type = (const struct btf_type *)(types + at);
		uint32_t tail, left = length - at;

		if (left < sizeof(*type))
			return refuse(c, nr + 1, "half a type");
		tail = tail_bytes(type);
		if (tail > left - sizeof(*type))
			return refuse(c, nr + 1, "unknown kind, or too long");
		at += (uint32_t)sizeof(*type) + tail;
	}
	c->nr_types = nr;
	*places = kalloc((nr + 1ul) * sizeof(**places));
	if (!*places)
		return -ENOMEM;
	at = 0;
	for (uint32_t i = 1; i <= nr && !err; i++) {
		const struct btf_type *type = (const struct btf_type *)(types + at);

		(*places)[i] = c->header->hdr_len + at;
		err = check_type(c, i, type);
		at += (uint32_t)sizeof(*type) + tail_bytes(type);
	}
	return err;
}

static void destroy(struct bpf_object *object)
{
	struct btf *btf = (struct btf *)object;

	kfree((void *)btf->data);
	kfree((void *)btf->at);
	kfree(btf);
}

static const struct object_ops btf_ops = {.destroy = destroy};

static struct btf *make(uint8_t *data, uint32_t bytes, struct text *log, int *error)
{
	struct check c = {.data = data, .header = (const struct btf_header *)data, .log = log};
	struct btf *btf = NULL;
	uint32_t *places = NULL;

	*error = check_header(&c, bytes);
	if (!*error) {
		c.strings = (const char *)data + c.header->hdr_len + c.header->str_off;
		*error = check_strings(&c);
	}
	if (!*error)
		*error = check_types(&c, &places);
	if (!*error) {
		btf = kalloc(sizeof(*btf));
		*error = btf ? 0 : -ENOMEM;
	}
	if (!btf) {
		kfree(places);
		return NULL;
	}
	*btf = (struct btf){.data = data, .bytes = bytes, .at = places, .nr_types = c.nr_types};
	object_init(&btf->object, OBJECT_BTF, &btf_ops);
	return btf;
}

struct btf *btf_new(uint8_t *data, uint32_t bytes, struct text *log, int *error)
{
	struct btf *btf = make(data, bytes, log, error);

	if (!btf) {
		kfree(data);
		return NULL;
	}
	object_publish(&btf->object);
	return btf;
}

void btf_prepare(void)
{
	static struct btf *types;
	uint32_t bytes;
	const void *data;
	int error;

	if (types)
		return;
	data = kernel_btf(&bytes);
	types = data ? make((uint8_t *)data, bytes, NULL, &error) : NULL;
	if (types) {
		types->kernel = true;
		types->object.id = KERNEL_BTF_ID;
		object_publish(&types->object);
	}
}

static const struct btf_type *type_at(const struct btf *btf, uint32_t type)
{
	return type && type <= btf->nr_types ? (const struct btf_type *)(btf->data + btf->at[type])
					     : NULL;
}

/* Resolves names and qualifiers to the underlying type; NULL: void, or a cycle. */
static const struct btf_type *resolve(const struct btf *btf, uint32_t number)
{
	const uint32_t through = 1u << BTF_KIND_TYPEDEF | 1u << BTF_KIND_VOLATILE |
				 1u << BTF_KIND_CONST | 1u << BTF_KIND_RESTRICT |
				 1u << BTF_KIND_TYPE_TAG | 1u << BTF_KIND_VAR;
	const struct btf_type *type = type_at(btf, number);

	for (unsigned i = 0; type && through >> BTF_INFO_KIND(type->info) & 1; i++)
		type = i < STEPS_MAX ? type_at(btf, type->type) : NULL;
	return type;
}

uint32_t btf_kind(const struct btf *btf, uint32_t number)
{
	const struct btf_type *type = resolve(btf, number);

	return type ? BTF_INFO_KIND(type->info) : BTF_KIND_UNKN;
}

bool btf_size(const struct btf *btf, uint32_t number, uint32_t *bytes)
{
	uint64_t count = 1;

	for (unsigned i = 0; i < STEPS_MAX; i++) {
		const struct btf_type *type = resolve(btf, number);
		const struct btf_array *array;

		if (!type)
			return false;
		array = (const struct btf_array *)(type + 1);
		switch (BTF_INFO_KIND(type->info)) {
		case BTF_KIND_ARRAY:
			count *= array->nelems;
			number = array->type;
			break;
		case BTF_KIND_PTR:
			count *= sizeof(uint64_t);
			*bytes = (uint32_t)count;
			return count <= UINT32_MAX;
		case BTF_KIND_INT:
		case BTF_KIND_STRUCT:
		case BTF_KIND_UNION:
		case BTF_KIND_ENUM:
		case BTF_KIND_ENUM64:
		case BTF_KIND_FLOAT:
		case BTF_KIND_DATASEC:
			count *= type->size;
			*bytes = (uint32_t)count;
			return count <= UINT32_MAX;
		default:
			return false;
		}
		if (count > UINT32_MAX)
			return false;
	}
	return false;
}

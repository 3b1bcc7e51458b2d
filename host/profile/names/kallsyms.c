/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Linux's compressed symbol tables (scripts/kallsyms.c, kernel/kallsyms.c). Nothing points at them:
 * they are found by the tokens of the ten digits, which stand for themselves, and then by their
 * agreement with each other. Up to 6.3 addresses come before the names, later after the tokens.
 */
#include "host/profile/names/kallsyms.h"

#include <string.h>

#define TOKENS      256
#define TOKEN_MAX   64
#define GROUP       256 /* symbols of a marker */
#define NAME_MAX    512
#define SYMBOLS_MAX 2000000
#define ALIGN       8
#define MARKERS_MIN 8
#define ORDER       3 /* bytes of a symbol */
#define ORDER_MAX   (SYMBOLS_MAX * (size_t)ORDER)
#define LENGTH_MAX  1024 /* bytes of a compressed name, at most */

struct tables {
	const unsigned char *bytes;
	size_t size;
	size_t tokens[TOKENS]; /* offsets */
	size_t tokens_start, index_end;
	size_t markers, nr_markers;
	size_t names, offsets, base; /* base: of the relative base */
	uint32_t nr;
	bool relative; /* negative offsets are below the base, others absolute */
};

static uint64_t number(const struct tables *t, size_t at, unsigned bytes)
{
	uint64_t value = 0;

	if (at > t->size || t->size - at < bytes)
		return 0;
	memcpy(&value, t->bytes + at, bytes);
	return value;
}

static size_t aligned(size_t at)
{
	return (at + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

/* ---- tokens ---- */

/* Returns the start of the token that ends before `at`, which is its NUL; 0: there is none. */
static size_t token_before(const struct tables *t, size_t at)
{
	size_t start = at;

	while (start && at - start < TOKEN_MAX && t->bytes[start - 1] > ' ' &&
	       t->bytes[start - 1] < 0x7f)
		start--;
	return at - start < TOKEN_MAX && start < at ? start : 0;
}

/* Collects the tokens around that of '0', and checks the index after them. */
static bool take_tokens(struct tables *t, size_t zero)
{
	size_t at = zero;

	for (unsigned i = '0'; i-- > 0;) {
		at = at ? token_before(t, at - 1) : 0;
		if (!at)
			return false;
		t->tokens[i] = at;
	}
	at = zero;
	for (unsigned i = '0'; i < TOKENS; i++) {
		t->tokens[i] = at;
		at += strnlen((const char *)t->bytes + at, t->size - at) + 1;
		if (at >= t->size)
			return false;
	}
	t->tokens_start = t->tokens[0];
	t->index_end = aligned(at) + TOKENS * sizeof(uint16_t);
	for (unsigned i = 0; i < TOKENS; i++)
		if (number(t, aligned(at) + i * sizeof(uint16_t), sizeof(uint16_t)) !=
		    t->tokens[i] - t->tokens_start)
			return false;
	return true;
}

static bool find_tokens(struct tables *t)
{
	static const char digits[] = "0\0001\0002\0003\0004\0005\0006\0007\0008\0009";
	const unsigned char *at = t->bytes;

	while ((at = memmem(at, t->size - (size_t)(at - t->bytes), digits, sizeof(digits)))) {
		if (take_tokens(t, (size_t)(at - t->bytes)))
			return true;
		at++;
	}
	return false;
}

/* ---- names ---- */

/* Returns the bytes of the name at `at`, and how many its length takes. */
static size_t name_length(const struct tables *t, size_t at, size_t *prefix)
{
	size_t length = number(t, at, 1);

	*prefix = 1;
	if (length & 0x80) {
		length = (length & 0x7f) | number(t, at + 1, 1) << 7;
		*prefix = 2;
	}
	return length;
}

/* Markers are the offsets of each 256th name: a 0, then larger and larger ones, up to `end`. */
static bool markers_end(struct tables *t, size_t end)
{
	size_t at = end, nr = 0;
	uint64_t above = 0;

	while (at >= 4) {
		uint64_t value = number(t, at - 4, 4);

		if (nr && (value >= above || above - value > GROUP * LENGTH_MAX))
			return false;
		at -= 4;
		nr++;
		above = value;
		if (!value)
			break;
	}
	t->markers = at;
	t->nr_markers = nr;
	return nr >= MARKERS_MIN;
}

/* Between markers and tokens there may be an order of the names: 3 bytes each. */
static bool find_markers(struct tables *t)
{
	size_t end = t->tokens_start & ~(size_t)3, low = end > ORDER_MAX ? end - ORDER_MAX : 0;

	for (; end > low; end -= 4) {
		size_t order = t->tokens_start - end;

		if (!markers_end(t, end))
			continue;
		if (order < ALIGN || (order > (t->nr_markers - 1) * GROUP * ORDER &&
				      order < t->nr_markers * GROUP * ORDER + 2 * ALIGN))
			return true;
	}
	return false;
}

/* True if names from `at` on agree with the first markers. */
static bool names_start(const struct tables *t, size_t at)
{
	size_t offset = 0, prefix;

	for (size_t marker = 1; marker < 4; marker++) {
		for (unsigned i = 0; i < GROUP; i++) {
			size_t length = name_length(t, at + offset, &prefix);

			if (!length || length > LENGTH_MAX || at + offset >= t->markers)
				return false;
			offset += prefix + length;
		}
		if (number(t, t->markers + marker * 4, 4) != offset)
			return false;
	}
	return true;
}

/* The number of symbols is before the names, in 4 bytes and padding. */
static bool find_names(struct tables *t)
{
	size_t last = number(t, t->markers + (t->nr_markers - 1) * 4, 4),
	       high = t->markers > last ? (t->markers - last) & ~(size_t)(ALIGN - 1) : 0,
	       low = high > GROUP * LENGTH_MAX ? high - GROUP * LENGTH_MAX : ALIGN;

	for (size_t at = high; at >= low; at -= ALIGN) {
		uint64_t nr = number(t, at - ALIGN, 4);

		if (nr && nr < SYMBOLS_MAX && (nr + GROUP - 1) / GROUP == t->nr_markers &&
		    names_start(t, at)) {
			t->nr = (uint32_t)nr;
			t->names = at;
			return true;
		}
	}
	return false;
}

/* ---- addresses ---- */

static bool try_offsets(struct tables *t, size_t offsets, size_t base)
{
	if (number(t, base, 8) < 0xffffffff80000000 || number(t, base, 8) > 0xffffffffc0000000)
		return false;
	t->offsets = offsets;
	t->base = base;
	for (uint32_t i = 0; i < t->nr; i++)
		t->relative |= number(t, offsets + i * 4ul, 4) >> 31;
	return true;
}

static bool find_offsets(struct tables *t)
{
	size_t bytes = aligned(t->nr * 4ul), number_at = t->names - ALIGN;

	if (number_at > bytes + 8 && try_offsets(t, number_at - 8 - bytes, number_at - 8))
		return true;
	return try_offsets(t, aligned(t->index_end), aligned(t->index_end) + bytes);
}

static uint64_t address_of(const struct tables *t, uint32_t symbol)
{
	int32_t offset = (int32_t)number(t, t->offsets + symbol * 4ul, 4);
	uint64_t base = number(t, t->base, 8);

	if (!t->relative)
		return base + (uint32_t)offset;
	return offset < 0 ? base - 1 - (uint64_t)(int64_t)offset : (uint64_t)offset;
}

/* ---- symbols ---- */

/* Writes a name with its type before it. */
static void expand(const struct tables *t, size_t at, size_t length, char name[NAME_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < length; i++) {
		const char *token = (const char *)t->bytes + t->tokens[number(t, at + i, 1)];

		while (*token && n < NAME_MAX - 1)
			name[n++] = *token++;
	}
	name[n] = '\0';
}

bool kallsyms_read(const unsigned char *bytes, size_t size,
		   void (*take)(void *context, uint64_t address, char type, const char *name),
		   void *context)
{
	struct tables t = {.bytes = bytes, .size = size};
	char name[NAME_MAX];
	size_t at, prefix;

	if (!find_tokens(&t) || !find_markers(&t) || !find_names(&t) || !find_offsets(&t))
		return false;
	at = t.names;
	for (uint32_t i = 0; i < t.nr && at < t.markers; i++) {
		size_t length = name_length(&t, at, &prefix);

		expand(&t, at + prefix, length, name);
		if (name[0] && name[1])
			take(context, address_of(&t, i), name[0], name + 1);
		at += prefix + length;
	}
	return true;
}

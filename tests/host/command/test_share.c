/* SPDX-License-Identifier: BSD-2-Clause */
/* A machine that is hostile reads and writes nothing outside of the directories that it shares. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "host/machine/link/bring.c"
#include "host/machine/link/share.c"

/* The tests of die() end without freeing memory. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static jmp_buf dead;

void die(int status, const char *format, ...)
{
	(void)format;
	longjmp(dead, status);
}

void *allocate(size_t size)
{
	return calloc(1, size);
}

char *format_text(const char *format, ...)
{
	char *text = NULL;
	va_list list;

	va_start(list, format);
	if (vasprintf(&text, format, list) < 0)
		abort();
	va_end(list);
	return text;
}

void add_word(struct words *words, const char *word)
{
	words->word[words->nr++] = (char *)word;
}

void buffer_append(struct buffer *buffer, const void *bytes, size_t size)
{
	buffer->bytes = realloc(buffer->bytes, buffer->size + size + 1);
	memcpy(buffer->bytes + buffer->size, bytes, size);
	buffer->size += size;
}

static char base[] = "/tmp/test_share.XXXXXX";
static unsigned char bytes[65536];

static char *in_base(const char *path)
{
	return format_text("%s%s", base, path);
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(in_base(path), "w");

	fputs(text, file);
	fclose(file);
}

/* base/both may be written, base/both/inner is shared beside it, named first. */
static int begin(void **state)
{
	static struct options options;

	(void)state;
	if (!mkdtemp(base))
		return -1;
	mkdir(in_base("/both"), 0700);
	mkdir(in_base("/both/inner"), 0700);
	mkdir(in_base("/outside"), 0700);
	put("/outside/secret", "secret");
	put("/both/file", "file");
	if (symlink("../outside", in_base("/both/link")))
		return -1;
	add_word(&options.share_both, in_base("/both/inner"));
	add_word(&options.share_both, in_base("/both"));
	options.share = options.share_both;
	share_choose(&options);
	return 0;
}

static int end(void **state)
{
	char *command = format_text("rm -rf %s", base);

	(void)state;
	return system(command);
}

/* Returns the answer to a request for base`path`. */
static int64_t ask(bool directory, const char *path)
{
	struct iovec parts[] = {{bytes, 3}, {bytes + 4096, sizeof(bytes) - 4096}};

	return directory ? share_list(in_base(path), bytes, sizeof(bytes))
			 : share_read(in_base(path), 0, parts, 2);
}

static void test_reads(void **state)
{
	(void)state;
	assert_int_equal(ask(false, "/both/file"), 4);
	assert_true(ask(true, "/both") > 0);
	assert_true(ask(true, "/both/..") < 0);
	assert_true(ask(true, "/both/inner/..") < 0);
	assert_true(ask(true, "/both/../outside") < 0);
	assert_true(ask(true, "/outside") < 0);
	assert_true(ask(true, "/both/link") < 0);
	assert_true(ask(false, "/both/link/secret") < 0);
	assert_true(ask(false, "/both//file") < 0);
}

/* Whether base`path` is written. */
static bool writes(const char *path)
{
	FILE *file;

	if (setjmp(dead))
		return false;
	file = bring_file(in_base(path));
	fputs("new", file);
	fclose(file);
	return true;
}

static void links(const char *path, const char *to)
{
	if (!setjmp(dead))
		bring_symlink(in_base(path), (const unsigned char *)to, strlen(to));
}

static void test_writes(void **state)
{
	(void)state;
	assert_true(writes("/both/new/file"));
	assert_false(writes("/outside/secret"));
	assert_false(writes("/both/../outside/secret"));
	assert_false(writes("/both/.."));
	assert_false(writes("/both"));
	assert_false(writes("/both//new"));
	/* A link is replaced, not followed. */
	links("/both/trap", "../outside/secret");
	assert_true(writes("/both/trap"));
	links("/both/trap", "../outside");
	assert_true(ask(false, "/both/trap/secret") < 0);
	assert_true(writes("/both/trap/secret"));
	/* Nor does one take a shared directory's place. */
	ask(true, "/both/inner");
	links("/both//inner", "../outside");
	links("/both/inner", "../outside");
	writes("/both/inner/secret");
	assert_int_equal(ask(false, "/both/file"), 4);
}

/* The permission bits that base`path` has after the machine has asked for `rights`. */
static unsigned allows(const char *path, const char *whose, uint32_t rights)
{
	struct stat info;

	if (!setjmp(dead))
		bring_rights(in_base(path), (const unsigned char *)&rights, sizeof(rights));
	assert_int_equal(stat(in_base(whose), &info), 0);
	return info.st_mode & 07777;
}

/* Nine bits and no more, and of nothing elsewhere. */
static void test_rights(void **state)
{
	unsigned secret = allows("/both/nothing", "/outside/secret", 0777);

	(void)state;
	assert_true(writes("/both/rights"));
	assert_int_equal(allows("/both/rights", "/both/rights", 06751), 0751);
	links("/both/other", "../outside/secret");
	assert_int_equal(allows("/both/other", "/outside/secret", 0712), secret);
	assert_int_equal(allows("/outside/secret", "/outside/secret", 0712), secret);
	assert_int_equal(allows("/both/../outside/secret", "/outside/secret", 0712), secret);
}

static void test_secret(void **state)
{
	char text[16] = "";
	FILE *file = fopen(in_base("/outside/secret"), "r");

	(void)state;
	assert_non_null(fgets(text, sizeof(text), file));
	assert_string_equal(text, "secret");
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_reads),
	    cmocka_unit_test(test_writes),
	    cmocka_unit_test(test_rights),
	    cmocka_unit_test(test_secret),
	};

	return cmocka_run_group_tests(tests, begin, end);
}

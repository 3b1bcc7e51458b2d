/* SPDX-License-Identifier: BSD-2-Clause */
/* The file tree: unpacking of archives, sound and damaged, walks along paths, the data of files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>
#include "kernel/base/text.c"
#include "kernel/fs/inode.c"
#include "kernel/fs/ramfile.c"
#include "kernel/fs/path.c"
#include "kernel/fs/ramfile.h"
#include "kernel/process/cpio.c"
#include "tests/host/kernel/tree_memory.h"

#define ARCHIVE_MAX 65536

static struct cwd cwd;
static struct task task = {.cwd = &cwd};
static struct cpu cpu = {.current = &task};

struct cpu *this_cpu(void)
{
	return &cpu;
}

/* There are no mounts. */
bool mount_is_at(const struct dirent *name)
{
	(void)name;
	return false;
}

bool mount_is_same(const struct inode *one, const struct inode *other)
{
	return one && other;
}

/* No file is watched. */
void inotify_gone(struct inode *inode)
{
	assert_null(inode->watches);
}

static void tree_reset(void)
{
	while (blocks.next != &blocks)
		block_drop(blocks.next + 1);
	memset(names, 0, sizeof(names));
	list_init(&chains);
	memset(links, 0, sizeof(links));
	pages_in_use = 0;
	inodes_init();
	cwd.directory = root_inode;
}

/* Writing of archives. */

static uint8_t archive[ARCHIVE_MAX];
static size_t archive_bytes;

static void add_bytes(const void *bytes, size_t size)
{
	memcpy(archive + archive_bytes, bytes, size);
	archive_bytes = (archive_bytes + size + 3) & ~(size_t)3;
}

static void add_entry(const char *name, uint32_t mode, uint32_t ino, uint32_t nlink,
		      const char *data, size_t size)
{
	char header[HEADER_BYTES + 300];
	int length =
	    snprintf(header, sizeof(header),
		     "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%s", ino, mode, 0,
		     0, nlink, 77, (unsigned)size, 0, 0, 0, 0, (unsigned)strlen(name) + 1, 0, name);

	add_bytes(header, (size_t)length + 1);
	add_bytes(data, size);
}

static void archive_end(void)
{
	add_entry("TRAILER!!!", 0, 0, 1, "", 0);
}

/* An archive with something of everything. */
static void make_archive(void)
{
	archive_bytes = 0;
	memset(archive, 0, sizeof(archive));
	add_entry(".", S_IFDIR | 0755, 1, 3, "", 0);
	add_entry("bin", S_IFDIR | 0711, 2, 2, "", 0);
	add_entry("bin/program", S_IFREG | 0755, 3, 1, "text of the program", 19);
	add_entry("./deep/er/file", S_IFREG | 0600, 4, 1, "x", 1);
	add_entry("/absolute", S_IFREG | 0644, 5, 1, "", 0);
	add_entry("link", S_IFLNK | 0777, 6, 1, "bin/program", 11);
	add_entry("loop", S_IFLNK | 0777, 7, 1, "loop", 4);
	add_entry("up", S_IFLNK | 0777, 8, 1, "/deep/../bin", 12);
	add_entry("one", S_IFREG | 0644, 9, 2, "", 0);
	add_entry("two", S_IFREG | 0644, 9, 2, "shared", 6);
	archive_end();
}

static struct inode *find(const char *path)
{
	struct inode *inode = NULL;

	if (path_lookup(NULL, path, LOOKUP_NOFOLLOW, &inode))
		return NULL;
	inode_put(inode);
	return inode;
}

static int lookup_error(const char *path)
{
	struct inode *inode;
	int err = path_lookup(NULL, path, 0, &inode);

	if (!err)
		inode_put(inode);
	return err;
}

static void unpack(void)
{
	tree_reset();
	make_archive();
	assert_null(cpio_unpack(archive, archive_bytes));
}

static void tree_holds_the_members(void **state)
{
	char bytes[32] = "";
	struct inode *inode;

	(void)state;
	unpack();
	inode = find("/bin/program");
	assert_non_null(inode);
	assert_int_equal(inode->mode, S_IFREG | 0755);
	assert_int_equal(inode->mtime_ns, 77 * NS_PER_SEC);
	assert_int_equal(inode_read(inode, 0, bytes, sizeof(bytes)), 19);
	assert_string_equal(bytes, "text of the program");
	assert_int_equal(find("/bin")->mode, S_IFDIR | 0711);
	assert_int_equal(find("/deep/er")->mode, S_IFDIR | 0755);
	assert_int_equal(find("/deep/er/file")->size, 1);
	assert_int_equal(find("/absolute")->size, 0);
}

static void hard_links_share_the_last_data(void **state)
{
	(void)state;
	unpack();
	assert_ptr_equal(find("/one"), find("/two"));
	assert_int_equal(find("/one")->nlink, 2);
	assert_int_equal(find("/one")->size, 6);
}

/* The target of a hard link stays even when another file takes its first name. */
static void hard_links_survive_their_names(void **state)
{
	(void)state;
	tree_reset();
	archive_bytes = 0;
	add_entry("one", S_IFREG | 0644, 9, 2, "", 0);
	add_entry("one", S_IFREG | 0600, 10, 1, "other", 5);
	add_entry("two", S_IFREG | 0644, 9, 2, "shared", 6);
	archive_end();
	assert_null(cpio_unpack(archive, archive_bytes));
	assert_int_equal(find("/one")->size, 5);
	assert_int_equal(find("/two")->size, 6);
	assert_int_equal(find("/two")->nlink, 1);
}

static void files_are_no_directories(void **state)
{
	static const char *const names[] = {".", "/", "bin/", "bin/.", "bin"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		tree_reset();
		archive_bytes = 0;
		add_entry("bin", S_IFDIR | 0755, 1, 2, "", 0);
		add_entry(names[i], S_IFREG | 0644, 2, 1, "", 0);
		archive_end();
		assert_string_equal(cpio_unpack(archive, archive_bytes),
				    "a file has the name of a directory");
	}
}

static void walks_follow_links_and_dots(void **state)
{
	struct inode *program, *found;

	(void)state;
	unpack();
	program = find("/bin/program");
	assert_int_equal(path_lookup(NULL, "/link", 0, &found), 0);
	assert_ptr_equal(found, program);
	assert_int_equal(path_lookup(NULL, "//up/./program", 0, &found), 0);
	assert_ptr_equal(found, program);
	assert_int_equal(path_lookup(find("/deep/er"), "../../../../bin/program", 0, &found), 0);
	assert_ptr_equal(found, program);
	assert_int_equal(lookup_error("/loop"), -ELOOP);
	assert_int_equal(lookup_error("/loop/x"), -ELOOP);
	assert_int_equal(lookup_error("/nothing"), -ENOENT);
	assert_int_equal(lookup_error("/bin/program/x"), -ENOTDIR);
	assert_int_equal(lookup_error("/bin/program/"), -ENOTDIR);
	assert_int_equal(lookup_error("/link/"), -ENOTDIR);
	assert_int_equal(lookup_error("/bin/"), 0);
	assert_int_equal(lookup_error(""), -ENOENT);
}

static void parents_need_not_have_the_last_name(void **state)
{
	struct path_end end;

	(void)state;
	unpack();
	assert_int_equal(path_parent(NULL, "/up/new/", 0, &end), 0);
	assert_ptr_equal(end.dir, find("/bin"));
	assert_string_equal(end.name, "new");
	assert_true(end.must_be_dir);
	path_end_put(&end);
	assert_int_equal(path_parent(NULL, "/nothing/new", 0, &end), -ENOENT);
	assert_int_equal(path_parent(NULL, "/absolute/new", 0, &end), -ENOTDIR);
}

static void paths_are_told_back(void **state)
{
	char buffer[64];
	struct inode *file;

	(void)state;
	unpack();
	file = find("/deep/er/file");
	assert_string_equal(inode_path(file, NULL, buffer, sizeof(buffer)), "/deep/er/file");
	assert_string_equal(inode_path(root_inode, NULL, buffer, sizeof(buffer)), "/");
	inode_get(file);
	dir_unlink(file->name);
	assert_string_equal(inode_path(file, NULL, buffer, sizeof(buffer)),
			    "/deep/er/file (deleted)");
	inode_put(file);
}

/* A file is known by the name that it was found by, whatever other names it has; that moves. */
static void paths_are_of_the_name_that_was_taken(void **state)
{
	char buffer[64];
	struct inode *file;
	struct dirent *one, *two;

	(void)state;
	unpack();
	assert_int_equal(path_lookup_name(NULL, "/one", 0, &file, &one), 0);
	inode_put(file);
	assert_int_equal(path_lookup_name(NULL, "/bin/../two", 0, &file, &two), 0);
	assert_string_equal(inode_path(file, one, buffer, sizeof(buffer)), "/one");
	assert_string_equal(inode_path(file, two, buffer, sizeof(buffer)), "/two");
	assert_int_equal(dir_rename(one, NULL, find("/deep/er"), "three", 5), 0);
	assert_string_equal(inode_path(file, one, buffer, sizeof(buffer)), "/deep/er/three");
	dir_unlink(one);
	assert_string_equal(inode_path(file, one, buffer, sizeof(buffer)),
			    "/deep/er/three (deleted)");
	assert_string_equal(inode_path(file, two, buffer, sizeof(buffer)), "/two");
	name_put(one);
	name_put(two);
	inode_put(file);
}

static unsigned count_blocks(void)
{
	unsigned count = 0;

	for (const struct block *block = blocks.next; block != &blocks; block = block->next)
		count++;
	return count;
}

/* Nothing but a name at its end holds a chain of removed directories, however long; it goes in
 * pieces, each with another inode. */
static void removed_directories_go_one_after_another(void **state)
{
	struct inode *at, *dir;
	struct dirent *name;
	unsigned before;

	(void)state;
	unpack();
	at = find("/deep");
	inode_get(at);
	for (unsigned i = 0; i < 100000; i++) {
		dir = inode_new(S_IFDIR | 0755);
		assert_int_equal(dir_link(at, "a", 1, dir), 0);
		inode_put(at);
		at = dir;
	}
	for (dir = at; dir != find("/deep"); dir = dir_parent(dir)) {
		name = dir->name;
		dir_unlink(name);
	}
	before = count_blocks();
	inode_put(at);
	assert_in_range(before - count_blocks(), 1, 1000);
	for (unsigned i = 0; i < 100000 / FREED_MAX + 1; i++)
		inode_put(inode_new(S_IFDIR | 0755));
	assert_in_range(before - count_blocks(), 300000, 300009);
	assert_null(find("/deep/a"));
}

static unsigned depth_of(const struct tree_node *node)
{
	unsigned left = node ? depth_of(node->left) : 0, right = node ? depth_of(node->right) : 0;

	return node ? 1 + (left > right ? left : right) : 0;
}

/* Names that a user chooses so that they hash alike are as soon found as others. */
static void names_may_hash_alike(void **state)
{
	struct inode *dir, *file;
	char name[16];
	unsigned made = 0, length;

	(void)state;
	unpack();
	dir = find("/deep");
	file = find("/bin/program");
	for (unsigned i = 0; made < 4000; i++) {
		length = (unsigned)snprintf(name, sizeof(name), "%u", i);
		if (names_like(name_hash(dir, name, length)) != names)
			continue;
		assert_int_equal(dir_link(dir, name, length, file), 0);
		made++;
	}
	assert_ptr_equal(dir_find(dir, name, length)->inode, file);
	assert_in_range(depth_of(names->root), 12, 60); /* by chance */
	dir_unlink(dir_find(dir, name, length));
	assert_null(dir_find(dir, name, length));
}

static void sizes_cut_and_lengthen(void **state)
{
	char bytes[32] = "";
	struct inode *inode;
	char *page;

	(void)state;
	unpack();
	inode = find("/bin/program");
	assert_int_equal(inode_resize(inode, 4), 0);
	assert_int_equal(inode_resize(inode, 3 * PAGE_SIZE), 0);
	assert_int_equal(inode_read(inode, 0, bytes, 8), 8);
	assert_memory_equal(bytes, "text\0\0\0\0", 8);
	page = inode_page(inode, 2);
	page[5] = 'p';
	page_put(page);
	assert_int_equal(inode_read(inode, 2 * PAGE_SIZE + 4, bytes, 3), 3);
	assert_memory_equal(bytes, "\0p", 3);
	assert_int_equal(inode_resize(inode, 2 * PAGE_SIZE + 5), 0);
	assert_int_equal(inode_resize(inode, 3 * PAGE_SIZE), 0);
	assert_int_equal(inode_read(inode, 2 * PAGE_SIZE + 5, bytes, 1), 1);
	assert_int_equal(bytes[0], 0);
	assert_int_equal(inode_resize(inode, FILE_LARGEST + 1), -EFBIG);
}

/* New data takes half of the 64 pages, the archive's pages come on top. */
static void new_data_is_limited(void **state)
{
	struct inode *inode = NULL;
	unsigned pages = 0;
	void *page;

	(void)state;
	unpack();
	inode = inode_new(S_IFREG | 0600);
	while (pages < 100 && (page = inode_page(inode, pages))) {
		page_put(page);
		pages++;
	}
	assert_int_equal(pages, 32);
	page = inode_page(find("/bin/program"), 0);
	assert_non_null(page);
	page_put(page);
	inode_put(inode);
	assert_int_equal(pages_in_use, 1);
}

static const char *unpack_copy(size_t bytes)
{
	uint8_t *copy = malloc(
	    bytes); /* exactly as long: reading after it is an error that the sanitizer finds */
	const char *fault;

	memcpy(copy, archive, bytes);
	tree_reset();
	fault = cpio_unpack(copy, bytes);
	free(copy);
	return fault;
}

static void every_cut_is_found(void **state)
{
	(void)state;
	make_archive();
	for (size_t bytes = 1; bytes < archive_bytes - HEADER_BYTES - 12; bytes++)
		assert_non_null(unpack_copy(bytes));
}

static void bad_names_are_refused(void **state)
{
	char name[NAME_LONGEST + 2];

	(void)state;
	archive_bytes = 0;
	add_entry("../outside", S_IFREG | 0644, 1, 1, "", 0);
	archive_end();
	assert_non_null(unpack_copy(archive_bytes));
	archive_bytes = 0;
	add_entry("file", S_IFREG | 0644, 1, 1, "", 0);
	add_entry("file/below", S_IFREG | 0644, 2, 1, "", 0);
	archive_end();
	assert_non_null(unpack_copy(archive_bytes));
	archive_bytes = 0;
	memset(name, 'n', NAME_LONGEST + 1);
	name[NAME_LONGEST + 1] = 0;
	add_entry(name, S_IFREG | 0644, 1, 1, "", 0);
	archive_end();
	assert_non_null(unpack_copy(archive_bytes));
	archive_bytes = 0;
	add_entry(name + 1, S_IFREG | 0644, 1, 1, "", 0);
	archive_end();
	assert_null(unpack_copy(archive_bytes));
}

/* Whatever the bytes are, unpacking ends and stays within them. */
static void damage_is_survived(void **state)
{
	uint32_t random = 12345;

	(void)state;
	for (unsigned round = 0; round < 5000; round++) {
		make_archive();
		for (unsigned i = 0; i < 1 + round % 4; i++) {
			random = random * 1664525 + 1013904223;
			archive[random % archive_bytes] =
			    "0123456789abcdefF/.\0\377"[random >> 24 & 15];
		}
		unpack_copy(archive_bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(tree_holds_the_members),
	    cmocka_unit_test(hard_links_share_the_last_data),
	    cmocka_unit_test(hard_links_survive_their_names),
	    cmocka_unit_test(files_are_no_directories),
	    cmocka_unit_test(walks_follow_links_and_dots),
	    cmocka_unit_test(parents_need_not_have_the_last_name),
	    cmocka_unit_test(paths_are_told_back),
	    cmocka_unit_test(paths_are_of_the_name_that_was_taken),
	    cmocka_unit_test(removed_directories_go_one_after_another),
	    cmocka_unit_test(names_may_hash_alike),
	    cmocka_unit_test(sizes_cut_and_lengthen),
	    cmocka_unit_test(new_data_is_limited),
	    cmocka_unit_test(every_cut_is_found),
	    cmocka_unit_test(bad_names_are_refused),
	    cmocka_unit_test(damage_is_survived),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	while (blocks.next != &blocks)
		block_drop(blocks.next + 1);
	return failed;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Linux's answers about paths: read-only mounts, openat2. */
#define _GNU_SOURCE
#include <sys/mount.h>
#include <sys/statfs.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include "tests/guest/answers/place.h"

struct how { /* of openat2(2) */
	uint64_t flags, mode, resolve;
};

enum { NO_XDEV = 1, NO_MAGICLINKS = 2, NO_SYMLINKS = 4, BENEATH = 8, IN_ROOT = 16, CACHED = 32 };

/* Read-only tmpfs. */

static void mount_reader(void)
{
	mkdir("/tmp/reader", 0755);
	if (mount("none", "/tmp/reader", "tmpfs", 0, NULL))
		_exit(8);
	mkdir("/tmp/reader/sub", 0755);
	close(open("/tmp/reader/file", O_CREAT | O_RDWR, 0644));
	if (mount("none", "/tmp/reader", NULL, MS_REMOUNT | MS_RDONLY, NULL))
		_exit(7);
}

static long reader(long (*run)(void))
{
	long result;

	mount_reader();
	result = run();
	umount2("/tmp/reader", MNT_DETACH);
	return result;
}

#define READER(name, call)                 \
	static long name##_now(void)       \
	{                                  \
		return raw(call);          \
	}                                  \
	static long name(void)             \
	{                                  \
		return reader(name##_now); \
	}

READER(reader_create, open("/tmp/reader/new", O_CREAT | O_RDWR, 0644))
READER(reader_write, open("/tmp/reader/file", O_WRONLY))
READER(reader_truncate, open("/tmp/reader/file", O_RDONLY | O_TRUNC))
READER(reader_cut, truncate("/tmp/reader/file", 0))
READER(reader_mkdir, mkdir("/tmp/reader/new", 0755))
READER(reader_rmdir, rmdir("/tmp/reader/sub"))
READER(reader_unlink, unlink("/tmp/reader/file"))
READER(reader_rename, rename("/tmp/reader/file", "/tmp/reader/other"))
READER(reader_link, link("/tmp/reader/file", "/tmp/reader/other"))
READER(reader_symlink, symlink("a", "/tmp/reader/other"))
READER(reader_mknod, mknod("/tmp/reader/other", S_IFIFO | 0644, 0))
READER(reader_chmod, chmod("/tmp/reader/file", 0600))
READER(reader_chown, chown("/tmp/reader/file", 1, 1))
READER(reader_times, utimes("/tmp/reader/file", NULL))
READER(reader_setxattr, setxattr("/tmp/reader/file", "trusted.a", "b", 1, 0))
READER(reader_access, access("/tmp/reader/file", W_OK))
READER(reader_mkdir_there, mkdir("/tmp/reader/sub", 0755))
READER(reader_unlink_none, unlink("/tmp/reader/none"))

static long reader_open_now(void)
{
	int fd = open("/tmp/reader/file", O_RDONLY);

	return fd < 0 ? -errno : 0;
}

static long reader_open(void)
{
	return reader(reader_open_now);
}

static long reader_statfs_now(void)
{
	struct statfs state;

	return raw(statfs("/tmp/reader", &state)) ?: (long)state.f_flags & 1;
}

static long reader_statfs(void)
{
	return reader(reader_statfs_now);
}

static long reader_mounts_now(void)
{
	FILE *file = fopen("/proc/self/mounts", "r");
	char line[512];
	long found = 0;

	while (fgets(line, sizeof(line), file))
		found |= strstr(line, " /tmp/reader tmpfs ro") != NULL;
	fclose(file);
	return found;
}

static long reader_mounts(void)
{
	return reader(reader_mounts_now);
}

static long reader_again_now(void)
{
	if (mount("none", "/tmp/reader", NULL, MS_REMOUNT, NULL))
		return -errno;
	return raw(mkdir("/tmp/reader/new", 0755));
}

static long reader_again(void)
{
	return reader(reader_again_now);
}

static long reader_busy(void)
{
	long result;
	int fd;

	mkdir("/tmp/reader", 0755);
	if (mount("none", "/tmp/reader", "tmpfs", 0, NULL))
		return -errno;
	fd = open("/tmp/reader/file", O_CREAT | O_RDWR, 0644);
	result = raw(mount("none", "/tmp/reader", NULL, MS_REMOUNT | MS_RDONLY, NULL));
	close(fd);
	umount2("/tmp/reader", MNT_DETACH);
	return result;
}

static long reader_new(void)
{
	long result;

	mkdir("/tmp/reader", 0755);
	if (mount("none", "/tmp/reader", "tmpfs", MS_RDONLY, NULL))
		return -errno;
	result = raw(mkdir("/tmp/reader/new", 0755));
	umount("/tmp/reader");
	return result;
}

/* openat2. */

static long open2(const char *path, uint64_t flags, uint64_t mode, uint64_t resolve)
{
	struct how how = {flags, mode, resolve};
	long fd = RAW(SYS_openat2, place(), path, &how, sizeof(how));

	if (fd >= 0)
		close((int)fd);
	return fd < 0 ? fd : 0;
}

#define OPEN2(name, ...)                   \
	static long name(void)             \
	{                                  \
		return open2(__VA_ARGS__); \
	}

OPEN2(open2_plain, "file", O_RDONLY, 0, 0)
OPEN2(open2_create, "new2", O_CREAT | O_RDWR, 0644, 0)
OPEN2(open2_mode, "file", O_RDONLY, 0644, 0)
OPEN2(open2_mode_bits, "new3", O_CREAT | O_RDWR, 010000, 0)
OPEN2(open2_flags, "file", 1ul << 40, 0, 0)
OPEN2(open2_resolve, "file", O_RDONLY, 0, 1ul << 20)
OPEN2(open2_both, "file", O_RDONLY, 0, BENEATH | IN_ROOT)
OPEN2(open2_path_more, "file", O_PATH | O_RDWR, 0, 0)
OPEN2(open2_beneath, "sub/../file", O_RDONLY, 0, BENEATH)
OPEN2(open2_beneath_up, "../answers.d/file", O_RDONLY, 0, BENEATH)
OPEN2(open2_beneath_absolute, "/etc", O_RDONLY, 0, BENEATH)
OPEN2(open2_beneath_link, "link", O_RDONLY, 0, BENEATH)
OPEN2(open2_beneath_out, "out", O_RDONLY, 0, BENEATH)
OPEN2(open2_root, "../../file", O_RDONLY, 0, IN_ROOT)
OPEN2(open2_root_absolute, "/file", O_RDONLY, 0, IN_ROOT)
OPEN2(open2_root_out, "out", O_RDONLY, 0, IN_ROOT)
OPEN2(open2_no_links, "link", O_RDONLY, 0, NO_SYMLINKS)
OPEN2(open2_no_links_last, "link", O_PATH | O_NOFOLLOW, 0, NO_SYMLINKS)
OPEN2(open2_no_links_plain, "file", O_RDONLY, 0, NO_SYMLINKS)
OPEN2(open2_magic, "/proc/self/fd/0", O_PATH, 0, NO_MAGICLINKS)
OPEN2(open2_no_magic, "/proc/self/stat", O_RDONLY, 0, NO_MAGICLINKS)
OPEN2(open2_device, "/proc/version", O_RDONLY, 0, NO_XDEV)
OPEN2(open2_same_device, "sub/../file", O_RDONLY, 0, NO_XDEV)
OPEN2(open2_cached_create, "new4", O_RDWR | O_CREAT, 0644, CACHED)

static long open2_small(void)
{
	struct how how = {O_RDONLY, 0, 0};

	return RAW(SYS_openat2, place(), "file", &how, 16);
}

static long open2_large(void)
{
	uint64_t how[5] = {O_RDONLY, 0, 0, 0, 1};

	return RAW(SYS_openat2, place(), "file", how, sizeof(how));
}

static long open2_large_zero(void)
{
	uint64_t how[5] = {O_RDONLY};
	long fd = RAW(SYS_openat2, place(), "file", how, sizeof(how));

	return fd < 0 ? fd : 0;
}

static const struct answer cases[] = {
    CASE("read-only tmpfs: O_CREAT", reader_create, -EROFS),
    CASE("read-only tmpfs: O_WRONLY", reader_write, -EROFS),
    CASE("read-only tmpfs: O_TRUNC", reader_truncate, -EROFS),
    CASE("read-only tmpfs: truncate", reader_cut, -EROFS),
    CASE("read-only tmpfs: mkdir", reader_mkdir, -EROFS),
    CASE("read-only tmpfs: mkdir of what is there", reader_mkdir_there, -EEXIST),
    CASE("read-only tmpfs: rmdir", reader_rmdir, -EROFS),
    CASE("read-only tmpfs: unlink", reader_unlink, -EROFS),
    CASE("read-only tmpfs: unlink of no file", reader_unlink_none, -EROFS),
    CASE("read-only tmpfs: rename", reader_rename, -EROFS),
    CASE("read-only tmpfs: link", reader_link, -EROFS),
    CASE("read-only tmpfs: symlink", reader_symlink, -EROFS),
    CASE("read-only tmpfs: mknod", reader_mknod, -EROFS),
    CASE("read-only tmpfs: chmod", reader_chmod, -EROFS),
    CASE("read-only tmpfs: chown", reader_chown, -EROFS),
    CASE("read-only tmpfs: utimes", reader_times, -EROFS),
    CASE("read-only tmpfs: setxattr", reader_setxattr, -EROFS),
    CASE("read-only tmpfs: access(W_OK)", reader_access, -EROFS),
    CASE("read-only tmpfs: open to read", reader_open, 0),
    CASE("read-only tmpfs: statfs has ST_RDONLY", reader_statfs, 1),
    CASE("read-only tmpfs: /proc/self/mounts", reader_mounts, 1),
    CASE("read-only tmpfs, mounted to be written again", reader_again, 0),
    CASE("a tmpfs with a writer cannot become read-only", reader_busy, -EBUSY),
    CASE("tmpfs mounted with MS_RDONLY: mkdir", reader_new, -EROFS),
    CASE("openat2", open2_plain, 0),
    CASE("openat2: O_CREAT", open2_create, 0),
    CASE("openat2: mode without O_CREAT", open2_mode, -EINVAL),
    CASE("openat2: mode beyond 07777", open2_mode_bits, -EINVAL),
    CASE("openat2: unknown flag", open2_flags, -EINVAL),
    CASE("openat2: unknown resolve", open2_resolve, -EINVAL),
    CASE("openat2: BENEATH and IN_ROOT", open2_both, -EINVAL),
    CASE("openat2: O_PATH with O_RDWR", open2_path_more, -EINVAL),
    CASE("openat2: small struct", open2_small, -EINVAL),
    CASE("openat2: large struct", open2_large, -E2BIG),
    CASE("openat2: large struct of zeros", open2_large_zero, 0),
    CASE("openat2 BENEATH: .. inside", open2_beneath, 0),
    CASE("openat2 BENEATH: .. out of it", open2_beneath_up, -EXDEV),
    CASE("openat2 BENEATH: absolute", open2_beneath_absolute, -EXDEV),
    CASE("openat2 BENEATH: link inside", open2_beneath_link, 0),
    CASE("openat2 BENEATH: absolute link", open2_beneath_out, -EXDEV),
    CASE("openat2 IN_ROOT: .. at the root", open2_root, 0),
    CASE("openat2 IN_ROOT: absolute", open2_root_absolute, 0),
    CASE("openat2 IN_ROOT: absolute link", open2_root_out, -ENOENT),
    CASE("openat2 NO_SYMLINKS: link", open2_no_links, -ELOOP),
    CASE("openat2 NO_SYMLINKS: the link itself", open2_no_links_last, 0),
    CASE("openat2 NO_SYMLINKS: file", open2_no_links_plain, 0),
    CASE("openat2 NO_MAGICLINKS: descriptor's link", open2_magic, -ELOOP),
    CASE("openat2 NO_MAGICLINKS: /proc/self", open2_no_magic, 0),
    CASE("openat2 NO_XDEV: another mount", open2_device, -EXDEV),
    CASE("openat2 NO_XDEV: same mount", open2_same_device, 0),
    CASE("openat2 CACHED: O_CREAT", open2_cached_create, -EAGAIN),
};

int main(void)
{
	return answers_run(cases, COUNT(cases));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Linux's answers about mappings: of files, of System V segments, with protection keys. */
#define _GNU_SOURCE
#include <cpuid.h>
#include <stdbool.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include "tests/guest/answers/answers.h"

#define PAGE 4096ul

#ifndef MAP_SHARED_VALIDATE
#define MAP_SHARED_VALIDATE 3
#endif
#ifndef MAP_SYNC
#define MAP_SYNC 0x80000
#endif

static char *pages(unsigned count)
{
	return mmap(NULL, count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static int file_of(int flags)
{
	int fd = open("/tmp/answers", O_CREAT | O_TRUNC | O_RDWR, 0644);

	if (fd < 0 || ftruncate(fd, 4 * PAGE))
		_exit(8);
	close(fd);
	return open("/tmp/answers", flags);
}

static long shared_from(int flags, int prot)
{
	void *at = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, file_of(flags), 0);

	return at == MAP_FAILED ? -errno : raw(mprotect(at, PAGE, prot));
}

static long protect_shared_reader(void)
{
	return shared_from(O_RDONLY, PROT_READ | PROT_WRITE);
}

static long protect_shared_writer(void)
{
	return shared_from(O_RDWR, PROT_READ | PROT_WRITE);
}

static long protect_private_reader(void)
{
	void *at = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, file_of(O_RDONLY), 0);

	return raw(mprotect(at, PAGE, PROT_READ | PROT_WRITE));
}

static long map_fails(int prot, int flags, int open_flags)
{
	void *at = mmap(NULL, PAGE, prot, flags, file_of(open_flags), 0);

	return at == MAP_FAILED ? -errno : 0;
}

static long map_shared_writes_reader(void)
{
	return map_fails(PROT_WRITE, MAP_SHARED, O_RDONLY);
}

static long map_writer_alone(void)
{
	return map_fails(PROT_WRITE, MAP_SHARED, O_WRONLY);
}

static long map_path(void)
{
	return map_fails(PROT_READ, MAP_SHARED, O_PATH);
}

static long validate_known(void)
{
	return map_fails(PROT_READ, MAP_SHARED_VALIDATE, O_RDWR);
}

static long validate_unknown(void)
{
	return map_fails(PROT_READ, MAP_SHARED_VALIDATE | 0x800000, O_RDWR);
}

static long validate_sync(void)
{
	return map_fails(PROT_READ, MAP_SHARED_VALIDATE | MAP_SYNC, O_RDWR);
}

static long validate_anonymous(void)
{
	return raw((long)mmap(NULL, PAGE, PROT_READ, MAP_SHARED_VALIDATE | MAP_ANONYMOUS, -1, 0)) <
		       0
		   ? -errno
		   : 0;
}

static long map_no_kind(void)
{
	return map_fails(PROT_READ, 0, O_RDWR);
}

/* Maps a System V segment of four pages, with a mark in each. */
static char *segment(int *id)
{
	char *at;

	*id = shmget(IPC_PRIVATE, 4 * PAGE, 0600 | IPC_CREAT);
	at = shmat(*id, NULL, 0);
	for (unsigned i = 0; i < 4; i++)
		at[i * PAGE] = (char)(i + 1);
	shmctl(*id, IPC_RMID, NULL);
	return at;
}

static long attached(int id)
{
	struct shmid_ds state;

	return shmctl(id, IPC_STAT, &state) ? -errno : (long)state.shm_nattch;
}

static long segment_moves(void)
{
	int id;
	char *at = segment(&id), *to = pages(4);

	at = mremap(at, 4 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	return at == MAP_FAILED ? -errno : at[3 * PAGE] * 10 + attached(id);
}

static long segment_again(void)
{
	int id;
	char *at = segment(&id), *other = mremap(at, 0, 2 * PAGE, MREMAP_MAYMOVE);

	return other == MAP_FAILED ? -errno : other[PAGE] * 10 + attached(id);
}

static long segment_shrinks(void)
{
	int id;
	char *at = segment(&id);

	at = mremap(at, 4 * PAGE, 2 * PAGE, 0);
	return at == MAP_FAILED ? -errno : at[PAGE] * 10 + attached(id);
}

static long segment_detaches(void)
{
	int id;
	char *at = segment(&id), *to = pages(4);

	at = mremap(at, 4 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	return raw(shmdt(at)) ?: attached(id);
}

#define OSPKE (1u << 4)

/* True if the processor has protection keys, and the kernel uses them. */
static bool has_keys(void)
{
	unsigned a, b, c = 0, d;

	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && c & OSPKE;
}

static long key_alloc(void)
{
	long key = RAW(SYS_pkey_alloc, 0, 0);

	return has_keys() ? key > 0 : key == -ENOSPC;
}

static long key_alloc_flags(void)
{
	return RAW(SYS_pkey_alloc, 1, 0);
}

static long key_alloc_rights(void)
{
	return RAW(SYS_pkey_alloc, 0, 4);
}

static long key_free(void)
{
	return RAW(SYS_pkey_free, 1);
}

static long key_none(void)
{
	return RAW(SYS_pkey_mprotect, pages(1), PAGE, PROT_READ, -1);
}

static long key_one(void)
{
	return RAW(SYS_pkey_mprotect, pages(1), PAGE, PROT_READ, 1);
}

static const struct answer cases[] = {
    CASE("mprotect(PROT_WRITE) of a shared mapping of a reader", protect_shared_reader, -EACCES),
    CASE("mprotect(PROT_WRITE) of a shared mapping of a writer", protect_shared_writer, 0),
    CASE("mprotect(PROT_WRITE) of a private mapping of a reader", protect_private_reader, 0),
    CASE("mmap: shared, to write, of a reader", map_shared_writes_reader, -EACCES),
    CASE("mmap of a descriptor without read", map_writer_alone, -EACCES),
    CASE("mmap of O_PATH", map_path, -EBADF),
    CASE("MAP_SHARED_VALIDATE", validate_known, 0),
    CASE("MAP_SHARED_VALIDATE: unknown flag", validate_unknown, -EOPNOTSUPP),
    CASE("MAP_SHARED_VALIDATE: MAP_SYNC", validate_sync, -EOPNOTSUPP),
    CASE("MAP_SHARED_VALIDATE: anonymous", validate_anonymous, -EINVAL),
    CASE("mmap, neither shared nor private", map_no_kind, -EINVAL),
    CASE("mremap moves a System V segment", segment_moves, 41),
    CASE("mremap of size 0 maps a segment again", segment_again, 22),
    CASE("mremap shrinks a segment", segment_shrinks, 21),
    CASE("shmdt of a moved segment", segment_detaches, -EINVAL),
    CASE("pkey_alloc, by what the processor has", key_alloc, 1),
    CASE("pkey_alloc: unknown flag", key_alloc_flags, -EINVAL),
    CASE("pkey_alloc: unknown right", key_alloc_rights, -EINVAL),
    CASE("pkey_free of a key never allocated", key_free, -EINVAL),
    CASE("pkey_mprotect without a key", key_none, 0),
    CASE("pkey_mprotect with a key never allocated", key_one, -EINVAL),
};

int main(void)
{
	return answers_run(cases, COUNT(cases));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The possible mappings of an event, operations on a mapping, and the contents of its user page. */
#include "kinds.h"
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/wait.h>

static long map_result(int fd, size_t bytes, int prot, int flags, long offset)
{
	void *at = mmap(NULL, bytes, prot, flags, fd, offset);

	if (at == MAP_FAILED)
		return -errno;
	munmap(at, bytes);
	return 0;
}

static void mappings(const struct kind *kind)
{
	static const size_t lengths[] = {0,         1,         PAGE - 1,   PAGE,       PAGE + 1,
					 2 * PAGE,  3 * PAGE,  4 * PAGE,   5 * PAGE,   9 * PAGE,
					 10 * PAGE, 17 * PAGE, 129 * PAGE, 130 * PAGE, 1ul << 40,
					 1ul << 47, 1ul << 63};
	static const int prots[] = {PROT_NONE,
				    PROT_READ,
				    PROT_WRITE,
				    PROT_READ | PROT_WRITE,
				    PROT_READ | PROT_EXEC,
				    PROT_READ | PROT_WRITE | PROT_EXEC},
			 flags[] = {MAP_SHARED,
				    MAP_PRIVATE,
				    MAP_SHARED_VALIDATE,
				    0,
				    MAP_SHARED | MAP_POPULATE,
				    MAP_SHARED | MAP_LOCKED,
				    MAP_SHARED | MAP_HUGETLB,
				    MAP_SHARED_VALIDATE | MAP_SYNC,
				    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE};
	static const long offsets[] = {0, 1, 4096, 9 * 4096, 1l << 40, -4096};
	int fd = open_kind(kind);

	if (fd < 0)
		return;
	for (unsigned o = 0; o < COUNT(offsets); o++) {
		row("%s: mmap of every length at %lx", kind->name, offsets[o]);
		for (unsigned i = 0; i < COUNT(lengths); i++)
			cell(map_result(fd, lengths[i], PROT_READ | PROT_WRITE, MAP_SHARED,
					offsets[o]));
		row_end();
	}
	for (unsigned p = 0; p < COUNT(prots); p++) {
		row("%s: mmap with protection %x and flags", kind->name, prots[p]);
		for (unsigned f = 0; f < COUNT(flags); f++)
			cell(map_result(fd, 2 * PAGE, prots[p], flags[f], 0));
		row_end();
	}
	close(fd);
}

/* Each in the first 20 pages of a free range of 60, to whose page 20 they may be moved. */
static void place_ring(char *at, int fd)
{
	mmap(at, 9 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
}

static void place_two(char *at, int fd)
{
	(void)fd;
	mmap(at, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	mmap(at + 4 * PAGE, 4 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void place_shared(char *at, int fd)
{
	(void)fd;
	mmap(at, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void place_segment(char *at, int fd)
{
	int id = shmget(IPC_PRIVATE, 8 * PAGE, 0600);

	(void)fd;
	shmat(id, at, 0);
	shmctl(id, IPC_RMID, NULL);
}

/* Pages: where from, how many, how many afterwards. */
struct remap {
	size_t from, old, new;
};

static const char *remapped(void (*place)(char *at, int fd), int fd, const struct remap *r,
			    int flags)
{
	char *at = mmap(NULL, 60 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *result;
	const char *name = "elsewhere";

	munmap(at, 60 * PAGE);
	place(at, fd);
	result = mremap(at + r->from * PAGE, r->old * PAGE, r->new *PAGE, flags, at + 20 * PAGE);
	if (result == MAP_FAILED)
		name = strerror(errno);
	else if (result == at + r->from * PAGE)
		name = "there";
	else if (result == at + 20 * PAGE)
		name = "as asked";
	munmap(at, 60 * PAGE);
	if (result != MAP_FAILED)
		munmap(result, r->new *PAGE);
	return name;
}

/* Shorter, longer, over two areas, past the end, and without an old length. */
static void remaps(void)
{
	static const struct remap cases[] = {
	    {0, 9, 9},         {0, 8, 8},         {0, 9, 8},   {0, 9, 1},  {0, 9, 10},
	    {0, 8, 9},         {0, 4, 4},         {0, 17, 17}, {0, 17, 9}, {0, 17, 4},
	    {1, 3, 3},         {1, 3, 2},         {2, 6, 6},   {2, 6, 3},  {0, 0, 1},
	    {0, 0, 8},         {2, 0, 3},         {0, 0, 0},   {12, 1, 1}, {0, 1ul << 40, 1},
	    {0, 1, 1ul << 40}, {0, 1ul << 36, 1},
	};
	static const struct {
		const char *name;
		void (*place)(char *at, int fd);
	} kinds_of_areas[] = {{"ring", place_ring},
			      {"two areas", place_two},
			      {"shared", place_shared},
			      {"segment", place_segment}};
	static const int flags[] = {0, MREMAP_MAYMOVE, MREMAP_MAYMOVE | MREMAP_FIXED, MREMAP_FIXED,
				    8};
	int fd = open_kind(&kinds[1]);

	for (unsigned k = 0; k < COUNT(kinds_of_areas); k++)
		for (unsigned i = 0; i < COUNT(cases); i++) {
			printf("mremap of %s, %zx+%zx to %zx:", kinds_of_areas[k].name,
			       cases[i].from, cases[i].old, cases[i].new);
			for (unsigned f = 0; f < COUNT(flags); f++)
				printf(" %s,",
				       remapped(kinds_of_areas[k].place, fd, &cases[i], flags[f]));
			printf("\n");
		}
	close(fd);
}

/* Operations on an existing mapping. */
static void mapped(void)
{
	int fd = open_kind(&kinds[1]);
	char *ring = map(fd, 9), *other;
	static const size_t pages[] = {1, 2, 8, 9, 10, 17};

	for (unsigned i = 0; i < COUNT(pages); i++)
		report(map_result(fd, pages[i] * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, 0),
		       "second mapping of %zu", pages[i]);
	report(map_result(fd, 9 * PAGE, PROT_READ, MAP_SHARED, 0), "second mapping, to read");
	report(map_result(fd, 9 * PAGE, PROT_READ, MAP_PRIVATE, 0), "second mapping, private");
	report(failed(mprotect(ring, PAGE, PROT_READ)), "mprotect to read");
	report(failed(mprotect(ring, PAGE, PROT_READ | PROT_WRITE)), "mprotect to write");
	report(failed(mprotect(ring + PAGE, PAGE, PROT_NONE)), "mprotect to none");
	report(failed(mprotect(ring + PAGE, PAGE, PROT_READ | PROT_WRITE)), "mprotect back");
	report(failed(madvise(ring, 9 * PAGE, MADV_DONTNEED)), "MADV_DONTNEED");
	report(failed(madvise(ring, 9 * PAGE, MADV_DOFORK)), "MADV_DOFORK");
	report(failed(mlock(ring, 9 * PAGE)), "mlock");
	other = mremap(ring, 9 * PAGE, 17 * PAGE, MREMAP_MAYMOVE);
	report(other == MAP_FAILED ? -errno : 0, "mremap to more");
	report(failed(munmap(ring + 8 * PAGE, PAGE)), "munmap of the last page");
	printf("poll after a part is unmapped: %x\n", polled(fd));
	report(map_result(fd, 9 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, 0),
	       "mapping after a part is unmapped");
	report(failed(munmap(ring, 9 * PAGE)), "munmap of all");
	printf("poll after all is unmapped: %x\n", polled(fd));
	ring = map(fd, 2);
	close(fd);
	printf("the ring outlives its descriptor: size %llu\n",
	       (unsigned long long)((struct perf_event_mmap_page *)ring)->data_size);
	munmap(ring, 2 * PAGE);
}

/* A child has no mapping of its own. */
static void forked(void)
{
	int fd = open_kind(&kinds[1]), status = 0;
	char *ring = map(fd, 2);
	pid_t child = fork();

	if (child == 0) {
		unsigned char resident;

		_exit(mincore(ring, PAGE, &resident) ? errno : 0);
	}
	waitpid(child, &status, 0);
	report(-WEXITSTATUS(status), "mapping in a child");
	munmap(ring, 2 * PAGE);
	close(fd);
}

static void store(volatile char *at)
{
	*at = 1;
}

/* Writing where only the kernel writes kills. */
static void writes(void)
{
	static const struct {
		int prot;
		unsigned page;
	} cases[] = {{PROT_READ | PROT_WRITE, 0},
		     {PROT_READ | PROT_WRITE, 1},
		     {PROT_READ, 0},
		     {PROT_READ, 1},
		     {PROT_READ | PROT_WRITE, 8}};

	for (unsigned i = 0; i < COUNT(cases); i++) {
		int status = 0;
		pid_t child = fork();

		if (child == 0) {
			int fd = open_kind(&kinds[1]);
			char *ring = mmap(NULL, 9 * PAGE, cases[i].prot, MAP_SHARED, fd, 0);

			store(ring + cases[i].page * PAGE + 100);
			_exit(0);
		}
		waitpid(child, &status, 0);
		printf("store to page %u with protection %d: %x\n", cases[i].page, cases[i].prot,
		       (unsigned)status & 0xff7f);
	}
}

/* The user page of an event, off and on: all that is no time and no count. */
static void user_page(const struct kind *kind)
{
	for (unsigned enabled = 0; enabled < 2; enabled++) {
		int fd = open_kind(kind);
		struct perf_event_mmap_page *page = fd < 0 ? NULL : map(fd, 5);

		if (!page)
			continue;
		if (enabled)
			ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		printf("page of %s, %s: version %u compat %u lock %u index %d capabilities %llx "
		       "width %u\n",
		       kind->name, enabled ? "on" : "off", page->version, page->compat_version,
		       page->lock & 1, page->index != 0, (unsigned long long)page->capabilities,
		       page->pmc_width);
		printf("page of %s: shift %d mult %d offset %d zero %d cycles %llx mask %llx size "
		       "%u\n",
		       kind->name, page->time_shift != 0, page->time_mult != 0,
		       page->time_offset != 0, page->time_zero != 0,
		       (unsigned long long)page->time_cycles, (unsigned long long)page->time_mask,
		       page->size);
		printf("page of %s: head %llu tail %llu data %llu %llu aux %llu %llu %llu %llu\n",
		       kind->name, (unsigned long long)page->data_head,
		       (unsigned long long)page->data_tail, (unsigned long long)page->data_offset,
		       (unsigned long long)page->data_size, (unsigned long long)page->aux_head,
		       (unsigned long long)page->aux_tail, (unsigned long long)page->aux_offset,
		       (unsigned long long)page->aux_size);
		unsigned set = 0;

		for (unsigned i = 0; i < sizeof(page->__reserved); i++)
			set += page->__reserved[i] != 0;
		printf("page of %s: reserved bytes set %u\n", kind->name, set);
		munmap(page, 5 * PAGE);
		close(fd);
	}
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (unsigned i = 0; i < COUNT(kinds); i++) {
		mappings(&kinds[i]);
		user_page(&kinds[i]);
	}
	mapped();
	remaps();
	forked();
	writes();
	return 0;
}

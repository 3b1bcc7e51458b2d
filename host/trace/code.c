/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes of traced code: files as they are mapped, and our kernel's vDSO, which is in the
 * kernel's file. */
#include <elf.h>
#include <fcntl.h>
#include <search.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/page.h"
#include "host/image/kernel.h"
#include "host/lib/text.h"
#include "host/trace/source.h"

#define NR_PAGES  1024 /* in the cache, a power of two */
#define VDSO_NAME "[vdso]"

struct code_file {
	char *path;
	const uint8_t *bytes; /* NULL: it cannot be read */
	size_t size;
};

static void *files; /* of tsearch(3), by path */

/* Pages that were looked up since the last change of mappings. */
static struct page {
	uint64_t address, sequence;
	uint32_t pid;
	bool valid;
	const uint8_t *bytes;
	size_t size;
} pages[NR_PAGES];

static void map_file(struct code_file *file)
{
	int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat info;
	void *bytes;

	if (fd < 0)
		return;
	if (!fstat(fd, &info) && S_ISREG(info.st_mode) && info.st_size) {
		bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		file->bytes = bytes == MAP_FAILED ? NULL : bytes;
		file->size = file->bytes ? (size_t)info.st_size : 0;
	}
	close(fd);
}

/* The vDSO is the only ELF file inside the kernel's. */
static void find_vdso(struct code_file *file)
{
	struct buffer kernel = kernel_to_load();

	for (size_t at = 16; at + sizeof(Elf64_Ehdr) < kernel.size; at += 16) {
		const Elf64_Ehdr *header = (const Elf64_Ehdr *)(kernel.bytes + at);

		if (memcmp(header, ELFMAG, SELFMAG) || header->e_type != ET_DYN)
			continue;
		file->bytes = kernel.bytes + at;
		file->size = kernel.size - at;
		return;
	}
}

static int by_path(const void *left, const void *right)
{
	const struct code_file *a = left, *b = right;

	return strcmp(a->path, b->path);
}

static const struct code_file *find_file(const char *path)
{
	struct code_file wanted = {.path = (char *)path}, *file,
			 **found = tfind(&wanted, &files, by_path);

	if (found)
		return *found;
	file = allocate(sizeof(*file));
	file->path = format_text("%s", path);
	tsearch(file, &files, by_path);
	if (!strcmp(path, VDSO_NAME))
		find_vdso(file);
	else if (*path == '/')
		map_file(file);
	return file;
}

static void find_page(struct trace_source *source, struct page *page)
{
	uint32_t pid = page->address >> 63 ? UINT32_MAX : page->pid;
	const struct code_file *file;
	struct place_map map;
	uint64_t offset;

	page->valid = true;
	page->bytes = NULL;
	page->size = 0;
	if (!places_map(source->places, pid, page->address, &map))
		return;
	file = find_file(map.path);
	offset = page->address - map.start + map.offset;
	if (!file->bytes || offset >= file->size)
		return;
	page->bytes = file->bytes + offset;
	page->size = file->size - offset < PAGE ? file->size - offset : PAGE;
}

static const struct page *page_of(struct trace_source *source, uint32_t pid, uint64_t ip)
{
	struct page *page = &pages[ip / PAGE % NR_PAGES];
	uint64_t address = ip & ~(uint64_t)(PAGE - 1);

	if (page->valid && page->address == address && page->pid == pid &&
	    page->sequence == source->sequence)
		return page;
	*page = (struct page){.address = address, .sequence = source->sequence, .pid = pid};
	find_page(source, page);
	return page;
}

size_t trace_code(struct trace_source *source, uint32_t pid, uint64_t ip, uint8_t *bytes,
		  size_t size)
{
	size_t done = 0;

	while (done < size) {
		const struct page *page = page_of(source, pid, ip + done);
		size_t offset = (ip + done) % PAGE, n;

		if (!page->bytes || offset >= page->size)
			break;
		n = page->size - offset < size - done ? page->size - offset : size - done;
		memcpy(bytes + done, page->bytes + offset, n);
		done += n;
	}
	return done;
}

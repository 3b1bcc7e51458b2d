/* SPDX-License-Identifier: BSD-2-Clause */
/* Life of an AUX area, and copies of its contents. */
#include "ringbuf/aux.h"

#include "kernel/mem/memory.h"
#include "ringbuf/ring.h"

void aux_free(struct aux_area *aux)
{
	if (aux->free_hardware)
		aux->free_hardware(aux->hardware);
	for (uint32_t i = 0; i < aux->nr_pages; i++)
		if (aux->pages[i])
			page_put(aux->pages[i]);
	kfree(aux);
}

static bool alloc_pages(struct aux_area *aux)
{
	for (uint32_t i = 0; i < aux->nr_pages; i++) {
		aux->pages[i] = page_alloc();
		if (!aux->pages[i])
			return false;
	}
	return true;
}

struct aux_area *aux_new(uint32_t nr_pages, uint64_t index, uint64_t watermark, bool overwrite)
{
	struct aux_area *aux = NULL;

	if (nr_pages <= memory_free_pages())
		aux = kalloc(sizeof(*aux) + nr_pages * sizeof(aux->pages[0]));
	if (!aux)
		return NULL;
	aux->nr_pages = nr_pages;
	aux->page_index = index;
	aux->overwrite = overwrite;
	aux->watermark = watermark ? watermark : aux_bytes(aux) / 2;
	if (alloc_pages(aux))
		return aux;
	aux_free(aux);
	return NULL;
}

static const uint8_t *byte_at(const struct aux_area *aux, uint64_t offset)
{
	offset &= aux_bytes(aux) - 1;
	return (const uint8_t *)aux->pages[offset / PAGE_SIZE] + offset % PAGE_SIZE;
}

void aux_copy(const struct aux_area *aux, uint64_t from, struct ring_writer *writer, uint32_t bytes)
{
	uint64_t word = 0;

	for (uint32_t done = 0; done < bytes; done += sizeof(word)) {
		if ((from + done) % PAGE_SIZE <= PAGE_SIZE - sizeof(word))
			__builtin_memcpy(&word, byte_at(aux, from + done), sizeof(word));
		else
			for (unsigned i = 0; i < sizeof(word); i++)
				((uint8_t *)&word)[i] = *byte_at(aux, from + done + i);
		ring_write_u64(writer, word);
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Life of an AUX area: its pages. */
#include "ringbuf/aux.h"

#include "kernel/mem/memory.h"

void aux_free(struct aux_area *aux)
{
	if (aux->hardware)
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

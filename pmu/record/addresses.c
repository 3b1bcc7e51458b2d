/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address filters: their text, and their ranges in a task. As Linux's kernel/events/core.c,
 * "Address range filtering". ACTION OFFSET[/SIZE][@FILE]     ACTION: filter, start, stop; more of
 * them after blanks or commas
 */
#include <linux/errno.h>
#include <linux/mman.h>
#include <linux/stat.h>
#include "kernel/base/number.h"
#include "kernel/base/string.h"
#include "kernel/file/file.h"
#include "kernel/fs/path.h"
#include "kernel/mem/memory.h"
#include "kernel/vm/vma.h"
#include "pmu/base/context.h"
#include "pmu/base/cpu.h"
#include "pmu/record/addresses.h"

uint32_t nr_address_filters;

/* ---- text ---- */

static const char *const actions[] = {
    [ADDRESS_FILTER] = "filter", [ADDRESS_START] = "start", [ADDRESS_STOP] = "stop"};

static bool is_separator(char c)
{
	return c == ' ' || c == ',' || c == '\n';
}

/* Returns the next word and ends it with NUL; NULL: there is none. */
static char *next_word(char **text)
{
	char *word;

	while (is_separator(**text))
		++*text;
	if (!**text)
		return NULL;
	word = *text;
	while (**text && !is_separator(**text))
		++*text;
	if (**text)
		*(*text)++ = '\0';
	return word;
}

static int parse_action(struct address_filter *filter, const char *word)
{
	for (unsigned i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (strcmp(word, actions[i]))
			continue;
		filter->action = i;
		return 0;
	}
	return -EINVAL;
}

static int find_file(struct address_filter *filter, const char *path)
{
	int err = path_lookup(NULL, path, 0, &filter->inode);

	if (err)
		return err;
	return S_ISREG(filter->inode->mode) ? 0 : -EINVAL;
}

/* OFFSET[/SIZE][@FILE] */
static int parse_source(struct address_filter *filter, const char *word, bool of_task)
{
	int err = number_digits(&word, 0, &filter->offset);

	if (!err && *word == '/') {
		word++;
		err = number_digits(&word, 0, &filter->size);
	}
	if (err || (*word && (*word != '@' || !word[1])))
		return -EINVAL;
	if (filter->action == ADDRESS_FILTER && !filter->size)
		return -EINVAL;
	if (!*word)
		return 0;
	return of_task ? find_file(filter, word + 1) : -EOPNOTSUPP;
}

static int parse(struct address_filters *set, char *text, bool of_task)
{
	char *word;
	int err = 0;

	while (!err && (word = next_word(&text))) {
		if (set->nr == ADDRESS_FILTERS_MAX)
			return -EOPNOTSUPP;
		err = parse_action(&set->filters[set->nr], word);
		word = err ? NULL : next_word(&text);
		if (!err && !word)
			return -EINVAL;
		if (!err)
			err = parse_source(&set->filters[set->nr++], word, of_task);
	}
	return err;
}

/* Hardware traces have neither triggers nor start filters. */
static int check(const struct address_filters *set, uint32_t most)
{
	for (uint32_t i = 0; i < set->nr; i++) {
		const struct address_filter *filter = &set->filters[i];

		if (!filter->size || filter->action == ADDRESS_START)
			return -EOPNOTSUPP;
		if (i >= most)
			return -EOPNOTSUPP;
	}
	return 0;
}

/* ---- ranges ---- */

/* Finds the part of the area that the filter covers. False: none. */
static bool place_in(struct address_filter *filter, const struct vma *vma)
{
	uint64_t offset = vma->pgoff * PAGE_SIZE, bytes = vma->end - vma->start, skipped;

	if (!filter->inode || !vma->file || vma->file->inode != filter->inode ||
	    !(vma->prot & PROT_EXEC) || filter->offset >= offset + bytes ||
	    filter->offset + filter->size <= offset)
		return false;
	skipped = filter->offset < offset ? offset - filter->offset : 0;
	filter->start = vma->start + (skipped ? 0 : filter->offset - offset);
	filter->bytes = filter->size - skipped;
	if (filter->bytes > vma->end - filter->start)
		filter->bytes = vma->end - filter->start;
	return true;
}

static void place_all(struct address_filters *set, const struct mm *mm)
{
	for (uint32_t i = 0; i < set->nr; i++) {
		struct address_filter *filter = &set->filters[i];
		const struct vma *vma;

		filter->start = filter->inode ? 0 : filter->offset;
		filter->bytes = filter->inode ? 0 : filter->size;
		if (mm)
			list_for_each(vma, &mm->vmas, link)
				place_in(filter, vma);
	}
}

static void addresses_stop(struct perf_event *event)
{
	if (event->state == EVENT_ACTIVE)
		event->pmu->stop(event);
}

static void start(struct perf_event *event)
{
	if (event->state == EVENT_ACTIVE)
		event->pmu->start(event);
}

/* ---- sets ---- */

static void free_set(struct address_filters *set)
{
	if (!set)
		return;
	for (uint32_t i = 0; i < set->nr; i++)
		if (set->filters[i].inode)
			inode_put(set->filters[i].inode);
	kfree(set);
	nr_address_filters--;
}

static struct address_filters *new_set(void)
{
	struct address_filters *set = kalloc(sizeof(*set));

	nr_address_filters += set != NULL;
	return set;
}

static struct address_filters *copy_set(const struct address_filters *old)
{
	struct address_filters *set = new_set();

	if (!set)
		return NULL;
	*set = *old;
	for (uint32_t i = 0; i < set->nr; i++)
		if (set->filters[i].inode)
			inode_get(set->filters[i].inode);
	return set;
}

struct replacement {
	struct perf_event *event;
	struct address_filters *set;
};

static void replace_here(void *argument)
{
	struct replacement *r = argument;
	struct address_filters *old = r->event->addresses;

	addresses_stop(r->event);
	r->event->addresses = r->set;
	start(r->event);
	r->set = old;
}

/* Gives the event the set, with its ranges in the event's task, and frees its old one. */
static void install(struct perf_event *event, struct address_filters *set)
{
	struct replacement r = {event, set};

	place_all(set, event->ctx->task ? event->ctx->task->mm : NULL);
	context_run(event->ctx, replace_here, &r);
	free_set(r.set);
}

/* Returns the filters of the text, or NULL and *err. */
static struct address_filters *set_of(const char *text, bool of_task, uint32_t most, int *err)
{
	struct address_filters *set = new_set();
	char *words = kalloc(strlen(text) + 1);

	*err = -ENOMEM;
	if (set && words) {
		memcpy(words, text, strlen(text) + 1);
		*err = parse(set, words, of_task);
		if (!*err)
			*err = check(set, most);
	}
	kfree(words);
	if (!*err)
		return set;
	free_set(set);
	return NULL;
}

/* Takes the first set off the chain. */
static struct address_filters *chain_pop(struct address_filters **chain)
{
	struct address_filters *first = *chain;

	*chain = first->next;
	return first;
}

/* Returns a chain of `set` and a copy for each child, or NULL, with `set` freed. */
static struct address_filters *copies_of(struct address_filters *set,
					 const struct perf_event *opened)
{
	struct address_filters *chain = set, *copy;
	const struct perf_event *child;

	set->next = NULL;
	list_for_each(child, &opened->children, child_link) {
		copy = copy_set(set);
		if (!copy) {
			while (chain)
				free_set(chain_pop(&chain));
			return NULL;
		}
		copy->next = chain;
		chain = copy;
	}
	return chain;
}

int addresses_set(struct perf_event *opened, const char *text, uint32_t most)
{
	struct address_filters *chain;
	struct perf_event *child;
	int err;

	chain = set_of(text, !opened->ctx->of_cpu, most, &err);
	if (err)
		return err;
	chain = copies_of(chain, opened);
	if (!chain)
		return -ENOMEM;
	list_for_each(child, &opened->children, child_link)
		install(child, chain_pop(&chain));
	install(opened, chain);
	return 0;
}

int addresses_inherit(struct perf_event *event)
{
	if (!event->parent || !event->parent->addresses)
		return 0;
	event->addresses = copy_set(event->parent->addresses);
	return event->addresses ? 0 : -ENOMEM;
}

void addresses_free(struct perf_event *event)
{
	free_set(event->addresses);
	event->addresses = NULL;
}

/* A new program has none of the old one's files. */
static void forget_files(struct address_filters *set)
{
	for (uint32_t i = 0; i < set->nr; i++)
		if (set->filters[i].inode)
			set->filters[i].start = set->filters[i].bytes = 0;
}

static bool concerns(struct address_filters *set, const struct vma *vma)
{
	for (uint32_t i = 0; i < set->nr; i++) {
		struct address_filter copy = set->filters[i];

		if (place_in(&copy, vma))
			return true;
	}
	return false;
}

static void update(struct perf_event *event, const struct vma *vma)
{
	struct address_filters *set = event->addresses;

	if (!set || (vma && !concerns(set, vma)))
		return;
	addresses_stop(event);
	if (!vma)
		forget_files(set);
	for (uint32_t i = 0; vma && i < set->nr; i++)
		place_in(&set->filters[i], vma);
	start(event);
}

void addresses_update(const struct vma *vma)
{
	struct context *ctx = this_pmu_cpu()->task_ctx;
	struct perf_event *event;
	uint64_t flags;

	if (!ctx)
		return;
	flags = irq_save();
	list_for_each(event, &ctx->events, event_link)
		update(event, vma);
	irq_restore(flags);
}

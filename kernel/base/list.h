/* SPDX-License-Identifier: BSD-2-Clause */
/* Doubly linked circular lists with the link inside the object. */
#ifndef KERNEL_LIST_H
#define KERNEL_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
	struct list *next, *prev;
};

#define container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

/* Walks the objects of a list; the current one must not be removed inside the loop. */
#define list_for_each(item, head, member)                                  \
	for (item = container_of((head)->next, __typeof__(*item), member); \
	     &item->member != (head);                                      \
	     item = container_of(item->member.next, __typeof__(*item), member))

/* As list_for_each(), but the loop body may remove `item`. */
#define list_for_each_safe(item, tmp, head, member)                           \
	for (item = container_of((head)->next, __typeof__(*item), member),    \
	    tmp = container_of(item->member.next, __typeof__(*item), member); \
	     &item->member != (head);                                         \
	     item = tmp, tmp = container_of(item->member.next, __typeof__(*item), member))

/* The first object of a non-empty list. */
#define list_first(head, type, member) container_of((head)->next, type, member)

/* The debug kernel checks the neighbours first (kernel/debug/checks/lists.c). Context: any. */
#ifdef BAREPMU_DEBUG
void check_list_insert(const struct list *item, const struct list *prev, const struct list *next);
void check_list_remove(const struct list *item);
#else
#define check_list_insert(item, prev, next) ((void)0)
#define check_list_remove(item)             ((void)0)
#endif

static inline void list_init(struct list *head)
{
	head->next = head->prev = head;
}

static inline bool list_empty(const struct list *head)
{
	return head->next == head;
}

static inline void list_insert_between(struct list *item, struct list *prev, struct list *next)
{
	check_list_insert(item, prev, next);
	item->prev = prev;
	item->next = next;
	prev->next = item;
	next->prev = item;
}

static inline void list_add_tail(struct list *head, struct list *item)
{
	list_insert_between(item, head->prev, head);
}

static inline void list_add_head(struct list *head, struct list *item)
{
	list_insert_between(item, head, head->next);
}

/* Removes the item and leaves it an empty list, so that a second removal is harmless. */
static inline void list_remove(struct list *item)
{
	check_list_remove(item);
	item->prev->next = item->next;
	item->next->prev = item->prev;
	list_init(item);
}

#endif

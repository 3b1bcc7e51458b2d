/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps in maps: the operations common to both kinds. */
#ifndef BPF_MAP_INNER_H
#define BPF_MAP_INNER_H

#include "bpf/map/map.h"

/* Sets the shape of the elements from the map of map->inner_fd: 0, or -EBADF, -EINVAL (no map, or
 * one of maps), -ENOTSUPP. Context: task. */
int inner_init(struct bpf_map *map);
/* Returns the map at the key, NULL: none. It is valid while interrupts are masked. Context: any. */
struct bpf_map *inner_at(struct bpf_map *map, const void *key);
int inner_get(struct bpf_map *map, const void *key, void *value);
int inner_put(struct bpf_map *map, struct file *through, const void *key, const void *value,
	      uint64_t flags);
/* Drops the map at the key; the element stays. Context: task. */
int inner_remove(struct bpf_map *map, const void *key);
/* Drops all maps. Context: task. */
void inner_destroy(struct bpf_map *map);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps in maps: what both kinds have of struct map_kind. */
#ifndef BPF_MAP_INNER_H
#define BPF_MAP_INNER_H

#include "bpf/map/map.h"

/* Learns the form of the elements from the map of map->inner_fd: 0, or -EBADF, -EINVAL (no map, or
 * one of maps), -ENOTSUPP. Context: task. */
int inner_init(struct bpf_map *map);
/* The map behind the key, NULL: none. It stays while interrupts are masked. Context: any. */
struct bpf_map *inner_at(struct bpf_map *map, const void *key);
int inner_get(struct bpf_map *map, const void *key, void *value);
int inner_put(struct bpf_map *map, struct file *through, const void *key, const void *value,
	      uint64_t flags);
/* Gives back the map behind the key; the element stays. Context: task. */
int inner_remove(struct bpf_map *map, const void *key);
/* Gives back all. Context: task. */
void inner_destroy(struct bpf_map *map);

#endif

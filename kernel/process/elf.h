/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that are ELF files. Context of all: task. */
#ifndef KERNEL_ELF_H
#define KERNEL_ELF_H

struct dirent;
struct inode;
struct program;

/* Maps an ELF file, found by `name`, into program->mm (fresh). Returns 0 or a negative errno with
 * `why` set. */
int elf_load(struct inode *inode, struct dirent *name, struct program *program);

#endif

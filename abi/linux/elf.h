/* SPDX-License-Identifier: BSD-2-Clause */
/* ELF files. */
#ifndef ABI_LINUX_ELF_H
#define ABI_LINUX_ELF_H

#include <linux/types.h>

#define EM_X86_64 62

#define EI_CLASS   4
#define EI_DATA    5
#define EI_VERSION 6

#define ELFDATA2LSB 1
#define ELFCLASS64  2
#define SELFMAG     4

#define ET_EXEC 2
#define ET_DYN  3
#define ET_CORE 4

#define EV_CURRENT 1

#define NT_PRSTATUS   1
#define NT_PRFPREG    2
#define NT_PRPSINFO   3
#define NT_AUXV       6
#define NT_X86_XSTATE 0x202
#define NT_FILE       0x46494c45
#define NT_SIGINFO    0x53494749

#define PF_X 0x1
#define PF_W 0x2
#define PF_R 0x4

#define PT_LOAD      1
#define PT_INTERP    3
#define PT_NOTE      4
#define PT_GNU_STACK 0x6474e551

typedef __u16 Elf64_Half;
typedef __u32 Elf64_Word;
typedef __u64 Elf64_Addr, Elf64_Off, Elf64_Xword;

#define EI_NIDENT 16
#define ELFMAG    "\177ELF"

typedef struct elf64_hdr {
	unsigned char e_ident[EI_NIDENT];
	Elf64_Half e_type, e_machine;
	Elf64_Word e_version;
	Elf64_Addr e_entry;
	Elf64_Off e_phoff, e_shoff;
	Elf64_Word e_flags;
	Elf64_Half e_ehsize, e_phentsize, e_phnum, e_shentsize, e_shnum, e_shstrndx;
} Elf64_Ehdr;

typedef struct elf64_phdr {
	Elf64_Word p_type, p_flags;
	Elf64_Off p_offset;
	Elf64_Addr p_vaddr, p_paddr;
	Elf64_Xword p_filesz, p_memsz, p_align;
} Elf64_Phdr;

typedef struct elf64_note {
	Elf64_Word n_namesz, n_descsz, n_type;
} Elf64_Nhdr;

#endif

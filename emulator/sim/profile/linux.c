/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Images of an operating system like Linux: ELF files of programs, whose first page is mapped below
 * their code (System V ABI, chapters 4 and 5, and the AMD64 supplement, 3.4.1), and modules, which
 * the kernel has in a list (Linux: include/linux/module.h). The guest may have written anything
 * there.
 */
#include <elf.h>
#include <string.h>

#include "emulator/sim/profile/image.h"
#include "emulator/sim/profile/profile.h"
#include "emulator/sim/profile/profile_state.h"

#define PAGE        4096u
#define REACH       (32u << 20) /* of a program's code from its first page */
#define USER_END    (1ull << 47)
#define MODULES     0xffffffffa0000000
#define MODULES_END 0xffffffffff000000
#define HEADERS_MAX 16
#define TAGS_MAX    64
#define STACK_PAGES 2048
#define LIST_MAX    512
#define AUXV_MAX    4096  /* words of arguments and environment before it */
#define EMPTY       4096  /* pages without an image, by number and address space */
#define RETRY       10000 /* instructions until one is looked at again: it may be mapped by then */

/* struct module: its state, the list's links, its name, and further on where it is. */
enum { MODULE_LINKS = 8, MODULE_NAME = 24, MODULE_NAME_SIZE = 56, MODULE_SIZE = 1024 };

struct program {
	uint64_t base, size, space; /* space: CR3 */
	uint64_t entry;
	uint32_t id;
};

static struct program programs[PROFILE_IMAGES];
static uint32_t nr_programs;
static struct {
	uint64_t key, until;
} empty[EMPTY];

static bool read_at(uint64_t address, void *to, size_t bytes)
{
	return profile.machine.read(address, to, bytes);
}

static bool read_text(uint64_t address, char *text, size_t size)
{
	size_t n = 0;

	for (; n < size - 1; n++)
		if (!read_at(address + n, &text[n], 1) || text[n] <= ' ' || text[n] > '~')
			break;
	text[n] = '\0';
	return n;
}

static uint64_t page_key(uint64_t address, uint64_t space)
{
	return (address / PAGE) ^ space << 16;
}

/* True if the page had no image a short while ago. */
static bool was_empty(uint64_t key)
{
	unsigned slot = (key ^ key >> 24) % EMPTY;

	return empty[slot].key == key && profile.instructions < empty[slot].until;
}

static void note_empty(uint64_t key)
{
	unsigned slot = (key ^ key >> 24) % EMPTY;

	empty[slot].key = key;
	empty[slot].until = profile.instructions + RETRY;
}

/* ---- programs ---- */

struct headers {
	Elf64_Ehdr elf;
	Elf64_Phdr rows[HEADERS_MAX];
	uint64_t base, bias, size;
	const Elf64_Phdr *dynamic;
	bool interpreted;
};

static bool is_elf(const Elf64_Ehdr *elf)
{
	return !memcmp(elf->e_ident, ELFMAG, SELFMAG) && elf->e_ident[EI_CLASS] == ELFCLASS64 &&
	       elf->e_machine == EM_X86_64 && (elf->e_type == ET_EXEC || elf->e_type == ET_DYN) &&
	       elf->e_phentsize == sizeof(Elf64_Phdr) && elf->e_phnum <= HEADERS_MAX &&
	       elf->e_phoff <= PAGE - HEADERS_MAX * sizeof(Elf64_Phdr);
}

static void take_row(struct headers *h, const Elf64_Phdr *row, bool *loaded)
{
	if (row->p_type == PT_INTERP)
		h->interpreted = true;
	if (row->p_type == PT_DYNAMIC)
		h->dynamic = row;
	if (row->p_type != PT_LOAD)
		return;
	if (!*loaded)
		h->bias = h->base - (row->p_vaddr & ~(uint64_t)(PAGE - 1));
	*loaded = true;
	h->size = row->p_vaddr + row->p_memsz + h->bias - h->base;
}

/* Reads the headers of the ELF file whose first page is at `base`. */
static bool read_headers(struct headers *h, uint64_t base)
{
	bool loaded = false;

	*h = (struct headers){.base = base};
	if (!read_at(base, &h->elf, sizeof(h->elf)) || !is_elf(&h->elf) ||
	    !read_at(base + h->elf.e_phoff, h->rows, h->elf.e_phnum * sizeof(h->rows[0])))
		return false;
	for (unsigned i = 0; i < h->elf.e_phnum; i++)
		take_row(h, &h->rows[i], &loaded);
	return loaded && h->size && h->size <= 2 * (uint64_t)REACH;
}

/* The library's own name. Its loader may have changed the string table's address to a final one. */
static bool read_soname(const struct headers *h, char *name, size_t size)
{
	uint64_t strings = 0, offset = 0, at = h->bias + (h->dynamic ? h->dynamic->p_vaddr : 0);
	Elf64_Dyn tag = {.d_tag = DT_NULL};

	for (unsigned i = 0; h->dynamic && i < TAGS_MAX; i++) {
		if (!read_at(at + i * sizeof(tag), &tag, sizeof(tag)) || tag.d_tag == DT_NULL)
			break;
		if (tag.d_tag == DT_STRTAB)
			strings = tag.d_un.d_ptr;
		if (tag.d_tag == DT_SONAME)
			offset = tag.d_un.d_val;
	}
	if (!strings || !offset)
		return false;
	return read_text(strings + offset + (strings < h->base ? h->bias : 0), name, size);
}

/* Returns the value of an entry of the auxiliary vector, which a process begins with; 0: none. */
static uint64_t auxiliary(uint64_t stack, uint64_t type)
{
	uint64_t word[2] = {0}, at = stack + 8;
	unsigned zeros = 0;

	for (unsigned i = 0; i < AUXV_MAX && zeros < 2; i++, at += 8) {
		if (!read_at(at, word, 8))
			return 0;
		zeros += !word[0];
	}
	for (; read_at(at, word, sizeof(word)) && word[0]; at += sizeof(word))
		if (word[0] == type)
			return word[1];
	return 0;
}

/* The last string of a stack is the path of the program, before a word of zeros (Linux: fs/exec.c).
 */
static bool read_path(uint64_t stack, char *name, size_t size)
{
	uint64_t at = stack & ~(uint64_t)(PAGE - 1), word = 1;
	uint8_t byte = 1;

	for (unsigned i = 0; i < STACK_PAGES && read_at(at, &byte, 1); i++)
		at += PAGE;
	if (!read_at(at - 8, &word, sizeof(word)) || word || !read_at(at - 10, &byte, 1) || !byte)
		return false;
	for (at -= 10; read_at(at, &byte, 1) && byte; at--)
		;
	return read_text(at + 1, name, size);
}

static void name_program(const struct headers *h, char *name, size_t size)
{
	struct profile_registers registers;
	bool known = profile.machine.registers(&registers);

	if (read_soname(h, name, size))
		return;
	if (known && h->elf.e_type == ET_DYN && !h->interpreted &&
	    auxiliary(registers.stack, AT_BASE) == h->base)
		strcpy(name, "ld.so");
	else if (!known || !read_path(registers.stack, name, size))
		*name = '\0';
}

static uint32_t add_program(const struct headers *h, uint64_t space)
{
	struct image_header image = {.kind = IMAGE_ELF, .size = h->size};
	uint8_t header[PAGE];

	name_program(h, image.name, sizeof(image.name));
	if (nr_programs == PROFILE_IMAGES || !read_at(h->base, header, sizeof(header)))
		return PROFILE_NONE;
	programs[nr_programs] = (struct program){
	    .base = h->base, .size = h->size, .space = space, .entry = h->elf.e_entry};
	programs[nr_programs].id = image_add(&image, h->base, header, sizeof(header));
	return programs[nr_programs++].id;
}

/* Another program may have got the page tables of one that has ended. */
static bool is_program(const struct program *program, uint64_t space, uint64_t address)
{
	Elf64_Ehdr elf;

	return program->space == space && address - program->base < program->size &&
	       read_at(program->base, &elf, sizeof(elf)) && is_elf(&elf) &&
	       elf.e_entry == program->entry;
}

static uint32_t find_program(uint64_t address, uint64_t space)
{
	uint64_t page = address & ~(uint64_t)(PAGE - 1), low = page > REACH ? page - REACH : 0;
	struct headers headers;

	for (; page > low; page -= PAGE)
		if (read_headers(&headers, page))
			return address - page < headers.size ? add_program(&headers, space)
							     : PROFILE_NONE;
	return PROFILE_NONE;
}

static uint32_t program_at(uint64_t address)
{
	struct profile_registers registers;
	uint64_t key;
	uint32_t id;

	if (!profile.machine.registers(&registers) || registers.ring != 3)
		return PROFILE_NONE;
	for (uint32_t i = nr_programs; i-- > 0;)
		if (is_program(&programs[i], registers.cr3, address))
			return programs[i].id;
	key = page_key(address, registers.cr3);
	if (was_empty(key))
		return PROFILE_NONE;
	id = find_program(address, registers.cr3);
	if (id == PROFILE_NONE)
		note_empty(key);
	return id;
}

/* ---- modules ---- */

/* Finds the part of a module with the address: a pointer to it, and a size behind that. */
static bool find_part(const uint8_t *module, uint64_t address, uint64_t *base, uint64_t *size)
{
	for (unsigned at = MODULE_NAME + MODULE_NAME_SIZE; at + 12 <= MODULE_SIZE; at += 8) {
		uint32_t bytes;

		memcpy(base, module + at, sizeof(*base));
		memcpy(&bytes, module + at + 8, sizeof(bytes));
		*size = (bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1);
		if (*base % PAGE == 0 && *base >= MODULES && *base < MODULES_END &&
		    address - *base < *size && *size <= REACH)
			return true;
	}
	return false;
}

/* Linked in its list since before its first code runs; one that was unloaded is no longer in it. */
static uint32_t add_module(uint64_t address)
{
	uint64_t head = profile_options.modules + profile.slide, at, base, size;
	uint8_t module[MODULE_SIZE], header[PAGE];
	struct image_header image = {.kind = IMAGE_MODULE};

	if (!read_at(head, &at, sizeof(at)))
		return PROFILE_NONE;
	for (unsigned i = 0; i < LIST_MAX && at != head; i++) {
		if (!read_at(at - MODULE_LINKS, module, sizeof(module)))
			break;
		memcpy(&at, module + MODULE_LINKS, sizeof(at));
		if (!find_part(module, address, &base, &size) ||
		    !read_at(base, header, sizeof(header)))
			continue;
		memcpy(image.name, module + MODULE_NAME, MODULE_NAME_SIZE - 1);
		image.size = size;
		programs[nr_programs] = (struct program){.base = base, .size = size};
		programs[nr_programs].id = image_add(&image, base, header, sizeof(header));
		return programs[nr_programs++].id;
	}
	return PROFILE_NONE;
}

static uint32_t module_at(uint64_t address)
{
	uint32_t id;

	for (uint32_t i = nr_programs; i-- > 0;)
		if (!programs[i].space && address - programs[i].base < programs[i].size)
			return programs[i].id;
	if (nr_programs == PROFILE_IMAGES || was_empty(page_key(address, 0)))
		return PROFILE_NONE;
	id = add_module(address);
	if (id == PROFILE_NONE)
		note_empty(page_key(address, 0));
	return id;
}

uint32_t profile_linux_image(uint64_t address)
{
	if (profile.upper && address < USER_END)
		return program_at(address);
	if (profile_options.modules && address >= MODULES && address < MODULES_END)
		return module_at(address);
	return PROFILE_NONE;
}

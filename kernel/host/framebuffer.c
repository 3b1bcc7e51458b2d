/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text on the framebuffer: a grid of cells kept in memory, because reading a framebuffer back is
 * slow. The font is Spleen 8x16 in the PSF1 format: a header, glyphs of 16 bytes, then for each
 * glyph its UTF-16 code points up to FFFFH.
 */
#include <stdint.h>
#include "arch/x86/paging/paging.h"
#include "abi/boot_info.h"
#include "kernel/base/cmdline.h"
#include "kernel/base/console.h"
#include "kernel/host/framebuffer.h"
#include "kernel/mem/memory.h"

enum {
	GLYPH_WIDTH = 8,
	GLYPH_HEIGHT = 16,
	TAB = 8,
	FIRST = ' ',
	LAST = '~',
	PSF1_HEADER = 4,
	PSF1_512 = 1
};

extern const uint8_t font_start[], font_end[]; /* font.asm */

static struct {
	volatile uint32_t *pixels;
	struct boot_framebuffer info;
	uint32_t columns, rows, column, row;
	uint32_t ink;
	char *cells; /* rows * columns */
	const uint8_t *glyphs[LAST - FIRST + 1];
} screen;

/* Finds the glyph of every printable ASCII character. */
static void read_font(void)
{
	uint32_t count = font_start[2] & PSF1_512 ? 512 : 256, glyph = 0;
	uint64_t at = PSF1_HEADER + count * GLYPH_HEIGHT,
		 bytes = (uint64_t)font_end - (uint64_t)font_start;

	for (; at + 1 < bytes && glyph < count; at += 2) {
		uint32_t point = font_start[at] | (uint32_t)font_start[at + 1] << 8;

		if (point == 0xffff)
			glyph++;
		else if (point >= FIRST && point <= LAST)
			screen.glyphs[point - FIRST] =
			    font_start + PSF1_HEADER + glyph * GLYPH_HEIGHT;
	}
}

static void draw(uint32_t row, uint32_t column)
{
	uint8_t c = (uint8_t)screen.cells[row * screen.columns + column];
	const uint8_t *glyph = c >= FIRST && c <= LAST ? screen.glyphs[c - FIRST] : NULL;
	volatile uint32_t *line = screen.pixels +
				  (uint64_t)row * GLYPH_HEIGHT * screen.info.stride +
				  column * GLYPH_WIDTH;

	for (int y = 0; y < GLYPH_HEIGHT; y++, line += screen.info.stride)
		for (int x = 0; x < GLYPH_WIDTH; x++)
			line[x] = glyph && glyph[y] & 0x80 >> x ? screen.ink : 0;
}

/* Moves all lines up by one; only cells that change are drawn again. */
static void scroll(void)
{
	uint32_t last = screen.rows - 1;

	for (uint32_t i = 0; i < screen.rows * screen.columns; i++) {
		char next = i < last * screen.columns ? screen.cells[i + screen.columns] : ' ';

		if (screen.cells[i] == next)
			continue;
		screen.cells[i] = next;
		draw(i / screen.columns, i % screen.columns);
	}
	screen.row = last;
}

static void new_line(void)
{
	screen.column = 0;
	if (++screen.row == screen.rows)
		scroll();
}

static void put(char c)
{
	if (c == '\n') {
		new_line();
	} else if (c == '\r') {
		screen.column = 0;
	} else if (c == '\t') {
		screen.column = (screen.column / TAB + 1) * TAB;
	} else {
		if (screen.column >= screen.columns)
			new_line();
		screen.cells[screen.row * screen.columns + screen.column] = c;
		draw(screen.row, screen.column++);
	}
}

static void framebuffer_write(const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		put(text[i]);
}

/* Clears the screen and writes on it from now on. `pixels` is the framebuffer mapped for writing.
 */
static void start(const struct boot_framebuffer *info, void *pixels)
{
	uint32_t columns = info->width / GLYPH_WIDTH, rows = info->height / GLYPH_HEIGHT;
	char *cells = columns && rows ? kalloc((size_t)columns * rows) : NULL;

	if (!cells)
		return;
	screen.info = *info;
	screen.columns = columns;
	screen.rows = rows;
	screen.ink =
	    0xd0u << info->red_shift | 0xd0u << info->green_shift | 0xd0u << info->blue_shift;
	screen.cells = cells;
	read_font();
	for (uint64_t i = 0; i < (uint64_t)info->stride * info->height; i++)
		((volatile uint32_t *)pixels)[i] = 0;
	for (uint32_t i = 0; i < columns * rows; i++)
		cells[i] = ' ';
	screen.pixels = pixels;
	console_add(framebuffer_write);
}

void framebuffer_init(void)
{
	const struct boot_framebuffer *framebuffer = &boot_info.framebuffer;
	uint64_t bytes = 4ul * framebuffer->stride * framebuffer->height;
	void *pixels;

	if (!framebuffer->base || cmdline_is("console", "com1"))
		return;
	pixels = paging_map_device(framebuffer->base, bytes, PAGING_COMBINING);
	if (pixels)
		start(framebuffer, pixels);
}

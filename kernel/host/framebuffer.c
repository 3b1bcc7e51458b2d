/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text on the framebuffer: a grid of cells kept in memory, because reading a framebuffer back is
 * slow. The font is Spleen 8x16 in the PSF1 format: a header, glyphs of 16 bytes, then for each
 * glyph its UTF-16 code points up to FFFFH.
 */
#include <stdint.h>
#include "abi/boot_info.h"
#include "arch/x86/paging/paging.h"
#include "kernel/base/cmdline.h"
#include "kernel/base/console.h"
#include "kernel/host/escape.h"
#include "kernel/host/framebuffer.h"
#include "kernel/mem/memory.h"

enum {
	GLYPH_WIDTH = 8,
	GLYPH_HEIGHT = 16,
	TAB = 8,
	PSF1_HEADER = 4,
	PSF1_512 = 1,
	ASCII = 128,
	COLOURS = 16
};

/* The screen's lines, and as many scrolled-out ones as there is room for. */
#define CELLS_BYTES 0x80000ul
#define BLANK       ((struct cell){.point = ' ', .colours = ESCAPE_INK | ESCAPE_PAPER << 4})

extern const uint8_t font_start[], font_end[]; /* font.asm */

struct cell {
	uint16_t point; /* its character */
	uint8_t colours;
	uint8_t unused;
};

static struct {
	volatile uint32_t *pixels;
	struct boot_framebuffer info;
	uint32_t columns, rows, column, row;
	uint32_t lines;     /* in the ring `cells`: the screen's lines and the scrolled-out ones */
	uint32_t top;       /* the ring's line that is the screen's first */
	uint32_t gone;      /* lines before it that hold text */
	uint32_t back;      /* how many of them are shown */
	struct cell *cells; /* lines * columns */
	struct escape escape;
	uint32_t palette[COLOURS];
	const uint8_t *ascii[ASCII];
} screen;

/* The glyph of a character that the font has, or NULL. */
static const uint8_t *find_glyph(uint32_t wanted)
{
	uint32_t count = font_start[2] & PSF1_512 ? 512 : 256, glyph = 0;
	uint64_t at = PSF1_HEADER + count * GLYPH_HEIGHT,
		 bytes = (uint64_t)font_end - (uint64_t)font_start;

	for (; at + 1 < bytes && glyph < count; at += 2) {
		uint32_t point = font_start[at] | (uint32_t)font_start[at + 1] << 8;

		if (point == 0xffff)
			glyph++;
		else if (point == wanted)
			return font_start + PSF1_HEADER + glyph * GLYPH_HEIGHT;
	}
	return NULL;
}

static const uint8_t *glyph_of(uint32_t point)
{
	const uint8_t *glyph = point < ASCII ? screen.ascii[point] : find_glyph(point);

	return glyph ? glyph : find_glyph(REPLACEMENT);
}

/* Returns the ring's line for row `row` of the screen, without paging back. */
static struct cell *line_of(uint32_t row)
{
	return screen.cells + (screen.top + row) % screen.lines * screen.columns;
}

static void draw(uint32_t row, uint32_t column, struct cell cell)
{
	const uint8_t *glyph = glyph_of(cell.point);
	uint32_t ink = screen.palette[cell.colours & 15], paper = screen.palette[cell.colours >> 4];
	volatile uint32_t *line = screen.pixels +
				  (uint64_t)row * GLYPH_HEIGHT * screen.info.stride +
				  column * GLYPH_WIDTH;

	for (int y = 0; y < GLYPH_HEIGHT; y++, line += screen.info.stride)
		for (int x = 0; x < GLYPH_WIDTH; x++)
			line[x] = glyph && glyph[y] & 0x80 >> x ? ink : paper;
}

/* Redraws the visible lines; `from`: how far they were paged back before. */
static void show_from(uint32_t from, uint32_t to)
{
	for (uint32_t row = 0; row < screen.rows; row++) {
		const struct cell *old = line_of(row + screen.lines - from);
		const struct cell *new = line_of(row + screen.lines - to);

		for (uint32_t column = 0; column < screen.columns; column++)
			if (__builtin_memcmp(&old[column], &new[column], sizeof(*new)))
				draw(row, column, new[column]);
	}
}

void framebuffer_page(int pages)
{
	uint32_t step = screen.rows - 1, old = screen.back;

	if (!screen.pixels)
		return;
	if (pages < 0)
		screen.back = screen.gone - old < step ? screen.gone : old + step;
	else
		screen.back = old < step ? 0 : old - step;
	show_from(old, screen.back);
}

static void clear(uint32_t row, uint32_t from)
{
	for (uint32_t column = from; column < screen.columns; column++) {
		line_of(row)[column] = BLANK;
		draw(row, column, BLANK);
	}
}

/* Scrolls all lines up by one; redraws only cells that change. */
static void scroll(void)
{
	uint32_t last = screen.rows - 1;

	for (uint32_t column = 0; column < screen.columns; column++)
		line_of(screen.rows)[column] = BLANK;
	screen.top = (screen.top + 1) % screen.lines;
	screen.gone += screen.gone + screen.rows + 1 < screen.lines;
	show_from(1, 0);
	screen.row = last;
}

static void new_line(void)
{
	screen.column = 0;
	if (++screen.row == screen.rows)
		scroll();
}

/* True for combining marks and joiners, which take no column. */
static bool has_no_width(uint32_t point)
{
	return (point >= 0x300 && point < 0x370) || (point >= 0x200b && point < 0x2010) ||
	       (point >= 0xfe00 && point < 0xfe10) || point == 0xfeff;
}

static void framebuffer_put(uint32_t point)
{
	if (point == '\n') {
		new_line();
	} else if (point == '\r') {
		screen.column = 0;
	} else if (point == '\b') {
		screen.column -= screen.column > 0;
	} else if (point == '\t') {
		screen.column = (screen.column / TAB + 1) * TAB;
	} else if (point >= ' ' && !has_no_width(point)) {
		struct cell cell = {.point = point > UINT16_MAX ? REPLACEMENT : (uint16_t)point,
				    .colours = escape_colours(&screen.escape)};

		if (screen.column >= screen.columns)
			new_line();
		line_of(screen.row)[screen.column] = cell;
		draw(screen.row, screen.column++, cell);
	}
}

static void act(enum escape_action action)
{
	const struct escape *escape = &screen.escape;

	if (action == ESCAPE_PUT) {
		framebuffer_put(escape->point);
	} else if (action == ESCAPE_CLEAR_LINE) {
		clear(screen.row, screen.column);
	} else if (action == ESCAPE_CLEAR) {
		for (uint32_t row = 0; row < screen.rows; row++)
			clear(row, 0);
	} else if (action == ESCAPE_MOVE) {
		screen.row = escape->row < screen.rows ? escape->row : screen.rows - 1;
		screen.column =
		    escape->column < screen.columns ? escape->column : screen.columns - 1;
	}
}

static void framebuffer_write(const char *text, size_t bytes)
{
	if (screen.back) { /* new output ends paging back */
		show_from(screen.back, 0);
		screen.back = 0;
	}
	for (size_t i = 0; i < bytes; i++) {
		act(escape_feed(&screen.escape, (uint8_t)text[i]));
		if (screen.escape.again)
			act(escape_feed(&screen.escape, (uint8_t)text[i]));
	}
}

/* Black, red, green, yellow, blue, magenta, cyan, white, and their bright variants. */
static void mix_colours(const struct boot_framebuffer *info)
{
	static const uint32_t rgb[COLOURS] = {
	    0x000000, 0xc04040, 0x40b040, 0xb0a030, 0x5070d0, 0xb050b0, 0x30a0a0, 0xd0d0d0,
	    0x808080, 0xff6060, 0x60f060, 0xf0e060, 0x80a0ff, 0xf080f0, 0x60e0e0, 0xffffff};

	for (uint32_t i = 0; i < COLOURS; i++)
		screen.palette[i] = (rgb[i] >> 16 & 255) << info->red_shift |
				    (rgb[i] >> 8 & 255) << info->green_shift |
				    (rgb[i] & 255) << info->blue_shift;
}

static struct cell *take_cells(void)
{
	struct cell *cells = pages_alloc(CELLS_BYTES);

	for (uint32_t i = 0; cells && i < CELLS_BYTES / sizeof(*cells); i++)
		cells[i] = BLANK;
	return cells;
}

/* Clears the screen and writes on it from now on. `pixels`: the framebuffer mapped for writing. */
static void start(const struct boot_framebuffer *info, void *pixels)
{
	uint32_t columns = info->width / GLYPH_WIDTH, rows = info->height / GLYPH_HEIGHT;

	if (!columns || !rows)
		return;
	screen.lines = CELLS_BYTES / sizeof(struct cell) / columns;
	screen.cells = screen.lines > rows ? take_cells() : NULL;
	if (!screen.cells)
		return;
	screen.info = *info;
	screen.columns = columns;
	screen.rows = rows;
	escape_reset(&screen.escape);
	mix_colours(info);
	for (uint32_t point = ' '; point < ASCII - 1; point++)
		screen.ascii[point] = find_glyph(point);
	for (uint64_t i = 0; i < (uint64_t)info->stride * info->height; i++)
		((volatile uint32_t *)pixels)[i] = 0;
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

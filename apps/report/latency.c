/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws memory accesses by address and latency. Distant addresses, as of stack and heap, are
 * separate pieces side by side. */
#include "apps/report/latency.h"

#include <stdlib.h>

#define WIDTH     1180
#define HEIGHT    300
#define EDGE      4
#define LOG_MAX   12        /* 4096 cycles */
#define FAR       (1 << 20) /* bytes without any access between two pieces */
#define NARROWEST 110       /* minimum width of a piece, if there is room: its label's width */

struct piece {
	uint64_t low, high;
	double x, width;
};

static int by_address(const void *left, const void *right)
{
	const struct spot *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* Returns the height of a latency: its logarithm, linear between powers of two. */
static double height(uint64_t cycles)
{
	uint64_t power = 1;
	double bits = 0;

	for (; power * 2 <= cycles && bits < LOG_MAX; power *= 2)
		bits++;
	if (bits < LOG_MAX)
		bits += (double)cycles / (double)power - 1;
	return HEIGHT * bits / LOG_MAX;
}

/* Copies the spots with an address and a latency, and returns their number. */
static size_t choose(struct spot *chosen, const struct spot *spots, size_t nr)
{
	size_t count = 0;

	for (size_t i = 0; i < nr; i++)
		if (spots[i].weight && spots[i].address)
			chosen[count++] = spots[i];
	qsort(chosen, count, sizeof(*chosen), by_address);
	return count;
}

static size_t find_pieces(struct piece *pieces, const struct spot *spots, size_t nr)
{
	size_t count = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!i || spots[i].address - spots[i - 1].address > FAR)
			pieces[count++].low = spots[i].address;
		pieces[count - 1].high = spots[i].address;
	}
	return count;
}

/* Makes the widths proportional to the bytes, but none narrower than its label. */
static void place_pieces(struct piece *pieces, size_t nr)
{
	double least = nr * NARROWEST < WIDTH ? NARROWEST : WIDTH / 2.0 / (double)nr;
	double bytes = 0, x = 0;

	for (size_t i = 0; i < nr; i++)
		bytes += (double)(pieces[i].high - pieces[i].low + 1);
	for (size_t i = 0; i < nr; i++) {
		pieces[i].x = x;
		pieces[i].width = least + (WIDTH - least * (double)nr) *
					      (double)(pieces[i].high - pieces[i].low + 1) / bytes;
		x += pieces[i].width;
	}
}

static void draw_scale(FILE *out)
{
	for (uint64_t cycles = 1; cycles <= 1u << LOG_MAX; cycles *= 4) {
		double y = EDGE + HEIGHT - height(cycles);

		fprintf(out,
			"<line x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>"
			"<text y=\"%.1f\" fill=\"#666\">%llu</text>\n",
			WIDTH, y, y, y + 12, (unsigned long long)cycles);
	}
}

static void draw_piece(FILE *out, const struct piece *piece)
{
	fprintf(out,
		"<line x1=\"%.1f\" x2=\"%.1f\" y2=\"%d\" stroke=\"#999\"/>"
		"<text x=\"%.1f\" y=\"%d\" fill=\"#666\">%llx</text>\n",
		piece->x, piece->x, EDGE + HEIGHT + 16, piece->x + 3, EDGE + HEIGHT + 16,
		(unsigned long long)piece->low);
}

static void draw_spot(FILE *out, const struct piece *piece, const struct spot *spot)
{
	fprintf(out,
		"<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2\" fill=\"#1f77b4\" "
		"fill-opacity=\"0.4\"><title>%llx: %llu cycles</title></circle>\n",
		piece->x + EDGE +
		    (piece->width - 2 * EDGE) * (double)(spot->address - piece->low) /
			(double)(piece->high - piece->low + 1),
		EDGE + HEIGHT - height(spot->weight), (unsigned long long)spot->address,
		(unsigned long long)spot->weight);
}

static void draw(FILE *out, struct piece *pieces, const struct spot *spots, size_t nr)
{
	size_t count = find_pieces(pieces, spots, nr);

	place_pieces(pieces, count);
	fprintf(out,
		"<h2>Accesses by address and latency</h2>\n<p>%zu accesses, cycles by address; "
		"where a line divides, more than a MiB is left out.</p>\n"
		"<svg id=\"latency\" viewBox=\"0 0 %d %d\" width=\"%d\">\n",
		nr, WIDTH, HEIGHT + 24, WIDTH);
	draw_scale(out);
	for (size_t i = 0; i < count; i++)
		draw_piece(out, &pieces[i]);
	for (size_t i = 0; i < nr; i++) {
		while (spots[i].address > pieces->high)
			pieces++;
		draw_spot(out, pieces, &spots[i]);
	}
	fprintf(out, "</svg>\n");
}

void latency_write(FILE *out, const struct spot *spots, size_t nr)
{
	struct spot *chosen = calloc(nr + 1, sizeof(*chosen));
	struct piece *pieces = calloc(nr + 1, sizeof(*pieces));
	size_t count = chosen && pieces ? choose(chosen, spots, nr) : 0;

	if (count)
		draw(out, pieces, chosen, count);
	free(chosen);
	free(pieces);
}

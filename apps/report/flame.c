/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws a flame graph: callers below, widths by events; a click zooms, the field searches by a
 * regular expression. */
#include "apps/report/flame.h"

#include <string.h>

#include "apps/lib/xml.h"
#include "apps/report/names.h"

#define WIDTH     1200
#define MARGIN    10
#define NARROWEST 0.1 /* pixels: less is left out */
#define LETTER    7.3 /* pixels */

/* Frames are <g> elements with their share of the whole in data-x and data-w; the root is the
 * lowest row. */
static const char script[] =
    "var all=[].slice.call(document.querySelectorAll('#flame g')),W=1180;\n"
    "function show(x,w){all.forEach(function(g){var a=(+g.dataset.x-x)/w*W,b=+g.dataset.w/w*W,"
    "c=Math.max(a,0),e=Math.min(a+b,W),v=e-c;g.style.display=v>0.1?'':'none';"
    "g.querySelector('rect').setAttribute('x',10+c);"
    "g.querySelector('rect').setAttribute('width',Math.max(v,0));"
    "var t=g.querySelector('text');t.setAttribute('x',13+c);"
    "var n=Math.floor((v-6)/7.3),s=g.dataset.l||g.dataset.n,h=(n-2)>>1;"
    "t.textContent=n<3?'':s.length<=n?s:n<5?s.slice(0,n):s.slice(0,h)+'..'+"
    "s.slice(s.length-(n-2-h));});}\n"
    "all.forEach(function(g){g.addEventListener('click',function(){"
    "show(+g.dataset.x,+g.dataset.w);});});\n"
    "function find(){var s=prompt('Search (regular expression)','');if(s===null)return;"
    "var r=s?new RegExp(s):null,sum=0,end=-1;all.forEach(function(g){var m=r&&r.test(g.dataset.n);"
    "g.querySelector('rect').style.fill=m?'#d0f':'';"
    "if(m&&+g.dataset.x>=end-1e-12){sum+=+g.dataset.w;end=+g.dataset.x+ +g.dataset.w;}});"
    "document.getElementById('found').textContent=r?(100*sum).toFixed(2)+' % match':'';}\n"
    "document.getElementById('reset').onclick=function(){show(0,1);};\n"
    "document.getElementById('search').onclick=find;\n";

void flame_text(FILE *out, const char *text)
{
	xml_text(out, text);
}

void flame_colour(char text[FLAME_COLOUR_BYTES], const char *name, bool kernel)
{
	unsigned hash = 5381;

	for (const char *c = name; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	if (kernel)
		snprintf(text, FLAME_COLOUR_BYTES, "rgb(%u,%u,220)", 90 + hash % 60,
			 150 + hash / 7 % 50);
	else
		snprintf(text, FLAME_COLOUR_BYTES, "rgb(%u,%u,50)", 220 + hash % 35,
			 100 + hash / 7 % 110);
}

/* Chooses a colour by the change of the share: white is none, full colour a tenth. */
static void changed_colour(char text[FLAME_COLOUR_BYTES], const struct node *node,
			   const struct node *root)
{
	double now = root->total ? (double)node->total / (double)root->total : 0;
	double before = root->before ? (double)node->before / (double)root->before : 0;
	double change = (now - before) * 10;
	int rest;

	if (change > 1 || change < -1)
		change = change > 0 ? 1 : -1;
	rest = 255 - (int)(200 * (change > 0 ? change : -change));
	if (change >= 0)
		snprintf(text, FLAME_COLOUR_BYTES, "rgb(255,%d,%d)", rest, rest);
	else
		snprintf(text, FLAME_COLOUR_BYTES, "rgb(%d,%d,255)", rest, rest);
}

struct picture {
	const struct node *root;
	uint64_t whole;
	unsigned depth;
	bool compare;
};

/* Returns the node's share of its profile in percent, now or before. */
static double share_of(const struct picture *p, const struct node *node, bool before)
{
	uint64_t whole = before ? p->root->before : p->whole;

	return whole ? 100 * (double)(before ? node->before : node->total) / (double)whole : 0;
}

/* Writes the label: the name, in a comparison with the change of its share in percentage points. */
static void label_of(char *label, size_t size, const struct picture *p, const struct node *node)
{
	if (p->compare)
		snprintf(label, size, "%s %+.1f %%", node->name,
			 share_of(p, node, false) - share_of(p, node, true));
	else
		snprintf(label, size, "%s", node->name);
}

static void draw_label(FILE *out, const char *label, double x, double width, double y)
{
	int letters = (int)((width - 6) / LETTER);
	char text[256];

	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">", x + 3, y + 13);
	if (letters >= 3)
		flame_text(out, name_cut(text, (unsigned)letters, label));
	fprintf(out, "</text></g>\n");
}

void flame_bar(FILE *out, const struct flame_bar *bar)
{
	double width = bar->share * (WIDTH - 2 * MARGIN);
	double x = MARGIN + bar->begin * (WIDTH - 2 * MARGIN), y = bar->y;

	if (width < NARROWEST)
		return;
	fprintf(out, "<g data-x=\"%.9g\" data-w=\"%.9g\" data-n=\"", bar->begin, bar->share);
	flame_text(out, bar->name);
	if (strcmp(bar->name, bar->label)) {
		fprintf(out, "\" data-l=\"");
		flame_text(out, bar->label);
	}
	fprintf(out, "\"><title>");
	flame_text(out, bar->tip);
	fprintf(out,
		"</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\" "
		"stroke=\"#bbb\" stroke-width=\"0.4\"/>",
		x, y, width, FLAME_ROW - 1, bar->colour);
	draw_label(out, bar->label, x, width, y);
}

/* Writes the tooltip. */
static void describe(char *tip, size_t size, const struct picture *p, const struct node *node)
{
	double now = share_of(p, node, false), before = share_of(p, node, true);

	if (p->compare)
		snprintf(tip, size, "%s (%llu events, %.2f %%, before %.2f %%, change %+.2f)",
			 node->name, (unsigned long long)node->total, now, before, now - before);
	else
		snprintf(tip, size, "%s (%llu events, %.2f %%)", node->name,
			 (unsigned long long)node->total, now);
}

static void draw_node(FILE *out, const struct picture *p, const struct node *node, uint64_t from)
{
	double share = (double)node->total / (double)p->whole;
	char label[256], tip[512], colour[FLAME_COLOUR_BYTES];

	if (share * (WIDTH - 2 * MARGIN) < NARROWEST)
		return;
	label_of(label, sizeof(label), p, node);
	describe(tip, sizeof(tip), p, node);
	if (p->compare)
		changed_colour(colour, node, p->root);
	else
		flame_colour(colour, node->name, node->ring == 'k');
	flame_bar(out, &(struct flame_bar){.name = node->name,
					   .label = label,
					   .tip = tip,
					   .colour = colour,
					   .begin = (double)from / (double)p->whole,
					   .share = share,
					   .y = FLAME_TOP + FLAME_ROW * (p->depth - node->depth)});
	for (const struct node *child = node->children; child; child = child->next) {
		draw_node(out, p, child, from);
		from += child->total;
	}
}

/* Writes one line of the head. */
static void draw_line(FILE *out, int y, const char *how, const char *text)
{
	fprintf(out, "<text x=\"%d\" y=\"%d\" %s>", MARGIN, y, how);
	flame_text(out, text);
	fprintf(out, "</text>\n");
}

void flame_begin(FILE *out, unsigned height, const char *title, const char *note)
{
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %u\" width=\"%d\" "
		"height=\"%u\" font-family=\"sans-serif\" font-size=\"12\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
		WIDTH, height, WIDTH, height);
	draw_line(out, 24, "font-size=\"16\" font-weight=\"bold\"", title);
	draw_line(out, 42, "fill=\"#666\"", note);
	fprintf(out,
		"<text x=\"%d\" y=\"64\" id=\"reset\" fill=\"#06c\" cursor=\"pointer\">reset "
		"zoom</text><text x=\"90\" y=\"64\" id=\"search\" fill=\"#06c\" "
		"cursor=\"pointer\">search</text><text x=\"150\" y=\"64\" id=\"found\"></text>\n"
		"<g id=\"flame\" cursor=\"pointer\" font-family=\"monospace\">\n",
		MARGIN);
}

void flame_end(FILE *out)
{
	fprintf(out, "</g>\n<script><![CDATA[\n%s]]></script>\n</svg>\n", script);
}

void flame_write(FILE *out, const struct node *root, const char *title, const char *note,
		 bool compare)
{
	struct picture picture = {root, root->total ? root->total : 1, tree_depth(root), compare};

	flame_begin(out, FLAME_TOP + FLAME_ROW * (picture.depth + 1) + MARGIN, title, note);
	draw_node(out, &picture, root, 0);
	flame_end(out);
}

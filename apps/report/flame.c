/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws a flame graph: callers below, widths by events; a click zooms, the field searches by a
 * regular expression. */
#include "apps/report/flame.h"

#include <string.h>

#include "apps/lib/xml.h"
#include "apps/report/names.h"

#define WIDTH     1200
#define ROW       18
#define MARGIN    10
#define TOP       80
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

/* Chooses a colour by name: warm for ring 3, cold for ring 0. */
static void plain_colour(FILE *out, const struct node *node)
{
	unsigned hash = 5381;

	for (const char *c = node->name; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	if (node->ring == 'k')
		fprintf(out, "rgb(%u,%u,220)", 90 + hash % 60, 150 + hash / 7 % 50);
	else
		fprintf(out, "rgb(%u,%u,50)", 220 + hash % 35, 100 + hash / 7 % 110);
}

/* Chooses a colour by the change of the share: white is none, full colour a tenth. */
static void changed_colour(FILE *out, const struct node *node, const struct node *root)
{
	double now = root->total ? (double)node->total / (double)root->total : 0;
	double before = root->before ? (double)node->before / (double)root->before : 0;
	double change = (now - before) * 10;
	int rest;

	if (change > 1 || change < -1)
		change = change > 0 ? 1 : -1;
	rest = 255 - (int)(200 * (change > 0 ? change : -change));
	if (change >= 0)
		fprintf(out, "rgb(255,%d,%d)", rest, rest);
	else
		fprintf(out, "rgb(%d,%d,255)", rest, rest);
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

/* Writes the frame's attributes and its tooltip. */
static void describe(FILE *out, const struct picture *p, const struct node *node, const char *label)
{
	flame_text(out, node->name);
	if (p->compare) {
		fprintf(out, "\" data-l=\"");
		flame_text(out, label);
	}
	fprintf(out, "\"><title>");
	flame_text(out, node->name);
	fprintf(out, " (%llu events, %.2f %%", (unsigned long long)node->total,
		share_of(p, node, false));
	if (p->compare)
		fprintf(out, ", before %.2f %%, change %+.2f", share_of(p, node, true),
			share_of(p, node, false) - share_of(p, node, true));
	fprintf(out, ")</title>");
}

static void draw_node(FILE *out, const struct picture *p, const struct node *node, uint64_t from)
{
	double share = (double)node->total / (double)p->whole;
	double begin = (double)from / (double)p->whole, width = share * (WIDTH - 2 * MARGIN);
	double x = MARGIN + begin * (WIDTH - 2 * MARGIN), y = TOP + ROW * (p->depth - node->depth);
	char label[256];

	if (width < NARROWEST)
		return;
	label_of(label, sizeof(label), p, node);
	fprintf(out, "<g data-x=\"%.9g\" data-w=\"%.9g\" data-n=\"", begin, share);
	describe(out, p, node, label);
	fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"", x, y,
		width, ROW - 1);
	p->compare ? changed_colour(out, node, p->root) : plain_colour(out, node);
	fprintf(out, "\" stroke=\"#bbb\" stroke-width=\"0.4\"/>");
	draw_label(out, label, x, width, y);
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

void flame_write(FILE *out, const struct node *root, const char *title, const char *note,
		 bool compare)
{
	struct picture picture = {root, root->total ? root->total : 1, tree_depth(root), compare};
	unsigned height = TOP + ROW * (picture.depth + 1) + MARGIN;

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
	draw_node(out, &picture, root, 0);
	fprintf(out, "</g>\n<script><![CDATA[\n%s]]></script>\n</svg>\n", script);
}

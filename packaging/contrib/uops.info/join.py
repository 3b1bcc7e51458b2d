# SPDX-License-Identifier: BSD-2-Clause
"""Compares the CSV of `barepmu bench instructions` with uops.info's instructions.xml, by the attribute `string`.

    python3 join.py [--svg FILE.svg] instructions.xml SKL here.csv

Prints name, latency and throughput here, then theirs ("?": not published), and by how many per cent each differs. Of
their latencies per pair of operands it takes the longest. --svg draws the differences as a heat map.
"""
import argparse
import csv
import html
import xml.etree.ElementTree as tree

CELL, ROW, LEFT, TOP = 76, 18, 260, 60  # pixels
FULL = 50  # per cent: from here on a cell has its full colour


def published(path, architecture):
    """Returns {string: (latency, throughput)}, texts or None."""
    found = {}
    for i in tree.parse(path).iter("instruction"):
        for m in i.findall("architecture[@name='%s']/measurement" % architecture):
            cycles = [
                float(value)
                for latency in m.iter("latency")
                for name, value in latency.items()
                if name.startswith(("cycles", "max_cycles")) and "bound" not in name
            ]
            throughput = m.get("TP_unrolled") or m.get("TP_loop")
            found[i.get("string")] = max(cycles, default=None), throughput and float(throughput)
    return found


def percent(here, there):
    """Returns the difference in per cent, or None where one of them is unknown."""
    if not here or there is None or not float(there):
        return None
    return 100 * (float(here) - there) / there


def colour(difference):
    """Returns white for 0, red for more cycles here, blue for fewer, grey for unknown."""
    if difference is None:
        return "rgb(230,230,230)"
    fade = 255 - round(155 * min(abs(difference), FULL) / FULL)
    return "rgb(255,%d,%d)" % (fade, fade) if difference > 0 else "rgb(%d,%d,255)" % (fade, fade)


def text(x, y, words, how=""):
    return '<text x="%d" y="%d" %s>%s</text>\n' % (x, y, how, html.escape(words))


def draw(path, rows, architecture):
    with open(path, "w") as out:
        out.write(
            '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">\n'
            '<rect width="100%%" height="100%%" fill="white"/>\n' % (LEFT + 2 * CELL + 20, TOP + ROW * len(rows) + 20)
        )
        out.write(text(10, 22, "Beside uops.info, %s" % architecture, 'font-size="16" font-weight="bold"'))
        out.write(text(10, 40, "red: more cycles here; blue: fewer; grey: not published", 'fill="#666"'))
        for column, name in enumerate(("latency", "throughput")):
            out.write(text(LEFT + CELL * column + CELL // 2, TOP - 6, name, 'text-anchor="middle"'))
        for row, (name, differences) in enumerate(rows):
            y = TOP + ROW * row
            out.write(text(LEFT - 8, y + 13, name, 'text-anchor="end"'))
            for column, difference in enumerate(differences):
                x, words = LEFT + CELL * column, "?" if difference is None else "%+.0f%%" % difference
                out.write(
                    '<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>\n' % (x, y, CELL, ROW, colour(difference))
                )
                out.write(text(x + CELL // 2, y + 13, words, 'text-anchor="middle"'))
        out.write("</svg>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--svg")
    parser.add_argument("xml")
    parser.add_argument("architecture")
    parser.add_argument("csv")
    options = parser.parse_args()
    theirs, rows = published(options.xml, options.architecture), []
    with open(options.csv) as file:
        for row in csv.DictReader(line for line in file if line[0] != "#"):
            there = theirs.get(row["instruction"], (None, None))
            differences = [percent(row[key], value) for key, value in zip(("latency", "throughput"), there)]
            rows.append((row["instruction"], differences))
            words = ["?" if value is None else str(value) for value in there]
            words += ["?" if value is None else "%+.1f%%" % value for value in differences]
            print(row["instruction"], row["latency"], row["throughput"], *words, sep="\t")
    if options.svg:
        draw(options.svg, rows, options.architecture)


main()

# SPDX-License-Identifier: BSD-2-Clause
"""Compares the CSV of `barepmu bench instructions` with uops.info's instructions.xml, by the attribute `string`.

    python3 join.py [--svg FILE.svg] instructions.xml SKL here.csv

Prints name, latency and throughput here, then theirs ("?": not published), and by how many per cent each differs. A row
of --list has a pair of operands, "1>2", whose latency it takes; for others the longest. Of forms that differ in their
opcode alone it takes the lowest, nasm's choice. --svg draws the differences as a heat map.
"""
import argparse
import csv
import html
import re
import xml.etree.ElementTree as tree

CELL, ROW, LEFT, TOP = 76, 18, 260, 60  # pixels
FULL = 50  # per cent: from here on a cell has its full colour


def published(path, architecture):
    """Returns {string: (latencies by (start, target) operand, throughput or None)}."""
    found = {}
    for i in tree.parse(path).iter("instruction"):
        for m in i.findall("architecture[@name='%s']/measurement" % architecture):
            cycles = {}
            for latency in m.iter("latency"):
                pair = latency.get("start_op"), latency.get("target_op")
                for name, value in latency.items():
                    if name.startswith(("cycles", "max_cycles")) and "bound" not in name:
                        cycles[pair] = max(float(value), cycles.get(pair, 0))
            throughput = m.get("TP_unrolled") or m.get("TP_loop")
            found[i.get("string")] = cycles, throughput and float(throughput)
    return found


def by_name(theirs):
    """Returns {string without opcode: string}, of the lowest opcode."""
    names = {}
    for string in sorted(theirs, reverse=True):
        names[re.sub("_[0-9A-F]{2,4} ", " ", string).replace("R8l", "R8")] = string
    return names


def look_up(theirs, names, row):
    """Returns latency and throughput of the row, None where they are not published."""
    name, pair = re.fullmatch(r"(.*?)(?: (\d>\d))?", row).groups()
    cycles, throughput = theirs.get(name) or theirs.get(names.get(name), ({}, None))
    if pair:
        return cycles.get(tuple(pair.split(">"))), throughput
    return max(cycles.values(), default=None), throughput


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
    names = by_name(theirs)
    with open(options.csv) as file:
        for row in csv.DictReader(line for line in file if line[0] != "#"):
            there = look_up(theirs, names, row["instruction"])
            differences = [percent(row[key], value) for key, value in zip(("latency", "throughput"), there)]
            rows.append((row["instruction"], differences))
            words = ["?" if value is None else str(value) for value in there]
            words += ["?" if value is None else "%+.1f%%" % value for value in differences]
            print(row["instruction"], row["latency"], row["throughput"], *words, sep="\t")
    if options.svg:
        draw(options.svg, rows, options.architecture)


main()

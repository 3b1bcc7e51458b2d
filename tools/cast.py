#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Draws a terminal session as SVG: cast.py OUT.svg TITLE < COMMANDS: runs each line in sh, in a pty, and lets its
output appear as it came (pauses above a second are cut to one). Who shows the file without animations sees all of
it."""
import html
import os
import pty
import re
import subprocess
import sys
import time

COLUMNS, LINE, CHAR, SIZE = 100, 18, 7.8, 13
COLOURS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "36": "#79c0ff", "1": "#ffffff"}
TYPING = 0.03  # seconds a character
ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")


def run(command):
    """Yields (seconds since the start, line)."""
    main, side = pty.openpty()
    begin = time.time()
    with subprocess.Popen(["sh", "-c", command], stdin=subprocess.DEVNULL, stdout=side, stderr=side) as program:
        os.close(side)
        text = b""
        while True:
            try:
                piece = os.read(main, 65536)
            except OSError:
                break
            if not piece:
                break
            text += piece
            *lines, text = text.split(b"\n")
            for line in lines:
                yield time.time() - begin, line.decode(errors="replace").rstrip("\r").split("\r")[-1]
    os.close(main)
    if program.returncode:
        sys.exit(f"cast: '{command}' ended with {program.returncode}")


def spans(line):
    """One line of text with its colours."""
    out, colour = "", ""
    parts = ESCAPE.split(line.expandtabs())
    for i, part in enumerate(parts):
        if i % 2:
            colour = next((COLOURS[c] for c in part.split(";") if c in COLOURS), "")
        elif part:
            text = html.escape(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", part)[:COLUMNS])
            out += f'<tspan fill="{colour}">{text}</tspan>' if colour else text
    return out


def record(commands):
    """[(when, line)]."""
    lines, now = [], 0.5
    for command in commands:
        lines.append((now, "\x1b[1m$ " + command + "\x1b[0m"))
        now += TYPING * len(command)
        last = 0.0
        for at, line in run(command):
            now += min(at - last, 1.0)
            last = at
            if line or not lines[-1][1].startswith("\x1b[1m$"):  # no empty line where a progress line was
                lines.append((now, line.rstrip()))
        now += 1.5
    return lines, now


def main():
    out, title = sys.argv[1:3]
    lines, end = record([line.strip() for line in sys.stdin if line.strip()])
    width, height = int(COLUMNS * CHAR) + 30, LINE * len(lines) + 50
    with open(out, "w", encoding="utf-8") as svg:
        svg.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}">\n'
            f"<title>{html.escape(title)}</title>\n<style>text{{font:{SIZE}px monospace;fill:#c9d1d9;white-space:pre}}"
            f"@keyframes show{{from{{opacity:.35}}to{{opacity:1}}}}"
            f"@media(prefers-reduced-motion:no-preference){{.l{{animation:show .01s both}}}}</style>\n"
            f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>\n'
        )
        for i, colour in enumerate(("#ff5f56", "#ffbd2e", "#27c93f")):
            svg.write(f'<circle cx="{20 + 18 * i}" cy="18" r="5" fill="{colour}"/>\n')
        for i, (when, line) in enumerate(lines):
            svg.write(
                f'<text class="l" style="animation-delay:{when:.2f}s" x="15" y="{50 + LINE * i}" '
                f'xml:space="preserve">{spans(line)}</text>\n'
            )
        svg.write("</svg>\n")
    print(f"{out}: {len(lines)} lines, {end:.1f} s")


main()

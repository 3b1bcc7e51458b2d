#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Reads a picture of the stick's screen: screen.py PICTURE.ppm FONT.psfu[.gz]: each line of text, then after a tab its
colours but black, as they come. With a third argument that becomes the picture as PNG."""
import gzip
import struct
import sys
import zlib


def read_font(path):
    """Glyph to its first printable point."""
    data = open(path, "rb").read()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    count = 512 if data[2] & 1 else 256
    words = struct.unpack_from(f"<{(len(data) - 4 - count * 16) // 2}H", data, 4 + count * 16)
    glyphs, glyph = {}, 0
    for word in words:
        if word == 0xFFFF:
            glyph += 1
        elif glyph < count:
            glyphs.setdefault(data[4 + glyph * 16 : 20 + glyph * 16], chr(word))
    return glyphs


def read_picture(path):
    magic, size, _, pixels = open(path, "rb").read().split(b"\n", 3)
    width, height = map(int, size.split())
    assert magic == b"P6" and len(pixels) >= 3 * width * height
    return width, height, pixels


def read_cell(picture, column, row, glyphs):
    """The character and its ink: whatever is not black."""
    width, _, pixels = picture
    lines, ink = bytearray(), None
    for y in range(16):
        at = 3 * ((row * 16 + y) * width + column * 8)
        bits = 0
        for x in range(8):
            pixel = pixels[at + 3 * x : at + 3 * x + 3]
            if pixel != b"\0\0\0":
                bits |= 0x80 >> x
                ink = pixel.hex()
        lines.append(bits)
    return glyphs.get(bytes(lines), "?"), ink


def write_png(path, picture):
    width, height, pixels = picture

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + pixels[3 * width * y : 3 * width * (y + 1)] for y in range(height))
    with open(path, "wb") as out:
        out.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)))
        out.write(chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def main():
    picture, glyphs = read_picture(sys.argv[1]), read_font(sys.argv[2])
    if len(sys.argv) > 3:
        write_png(sys.argv[3], picture)
    for row in range(picture[1] // 16):
        cells = [read_cell(picture, column, row, glyphs) for column in range(picture[0] // 8)]
        inks = dict.fromkeys(ink for _, ink in cells if ink)
        print("".join(c for c, _ in cells).rstrip() + "\t" + " ".join(inks))


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Packs the kernel in a bzImage anew, as Linux's build does with CONFIG_KERNEL_ZSTD, _XZ, _GZIP.
usage: repack.py BZIMAGE PACKED...     a file for each name, which ends by zstd, xz or gzip; what LZ4 has not packed is
copied"""
import ctypes
import struct
import subprocess
import sys

SETUP_SECTORS, PAYLOAD_OFFSET, SECTOR = 0x1F1, 0x248, 512  # Linux Documentation/arch/x86/boot.rst
LZ4_MAGIC, BLOCK_BYTES = bytes.fromhex("02214c18"), 8 << 20  # lz4's doc/lz4_Frame_format.md: legacy frame


def unpack_lz4(packed):
    library = ctypes.CDLL("liblz4.so.1")
    out, room, at = b"", ctypes.create_string_buffer(BLOCK_BYTES), len(LZ4_MAGIC)
    while at + 4 <= len(packed):
        size = struct.unpack_from("<I", packed, at)[0]
        length = library.LZ4_decompress_safe(packed[at + 4 : at + 4 + size], room, size, BLOCK_BYTES)
        assert length > 0, "a damaged block"
        out, at = out + room.raw[:length], at + 4 + size
    return out


PACKERS = {
    "zstd": ["zstd", "-q", "-c", "-1"],
    "xz": ["xz", "-c", "--check=crc32", "--x86", "--lzma2=preset=0"],
    "gzip": ["gzip", "-n", "-c", "-1"],
}


def repack(image, start, kernel, path):
    format = path.rsplit("/")[-1]
    payload = subprocess.run(PACKERS[format], input=kernel, stdout=subprocess.PIPE, check=True).stdout
    if format != "gzip":  # which ends by the unpacked size anyway
        payload += struct.pack("<I", len(kernel))
    packed = bytearray(image)
    struct.pack_into("<I", packed, PAYLOAD_OFFSET + 4, len(payload))
    packed[start:] = payload
    open(path, "wb").write(packed)


image = bytearray(open(sys.argv[1], "rb").read())
offset, length = struct.unpack_from("<II", image, PAYLOAD_OFFSET)
start = (image[SETUP_SECTORS] + 1) * SECTOR + offset
payload = bytes(image[start : start + length - 4])  # the build appends the unpacked size
kernel = unpack_lz4(payload) if payload.startswith(LZ4_MAGIC) else None
for path in sys.argv[2:]:
    if kernel:
        repack(image, start, kernel, path)
    else:
        open(path, "wb").write(image)

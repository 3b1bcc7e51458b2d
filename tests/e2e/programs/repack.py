#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Packs the kernel in a bzImage anew with Zstandard, as Linux's build does with CONFIG_KERNEL_ZSTD.
usage: repack.py BZIMAGE OUTPUT     what LZ4 has not packed is copied"""
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


image = bytearray(open(sys.argv[1], "rb").read())
offset, length = struct.unpack_from("<II", image, PAYLOAD_OFFSET)
start = (image[SETUP_SECTORS] + 1) * SECTOR + offset
payload = bytes(image[start : start + length - 4])  # the build appends the unpacked size
if payload.startswith(LZ4_MAGIC):
    kernel = unpack_lz4(payload)
    payload = subprocess.run(["zstd", "-q", "-c", "-1"], input=kernel, stdout=subprocess.PIPE, check=True).stdout
    payload += struct.pack("<I", len(kernel))
    struct.pack_into("<I", image, PAYLOAD_OFFSET + 4, len(payload))
    image[start:] = payload
open(sys.argv[2], "wb").write(image)

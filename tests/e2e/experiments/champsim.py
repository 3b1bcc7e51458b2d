# SPDX-License-Identifier: BSD-2-Clause
"""Reads a ChampSim trace from stdin by its published layout, and prints what its branch types say: instructions,
branches by kind as ChampSim classifies them, taken ones, loads, stores, and steps that lead nowhere."""
import struct
import sys

LAYOUT = struct.Struct("<QBB2B4B2Q4Q")
SP, FLAGS, IP = 6, 25, 26


def kind(destinations, sources):
    reads_sp, writes_sp = SP in sources, SP in destinations
    reads_ip, writes_ip = IP in sources, IP in destinations
    reads_flags = FLAGS in sources
    other = any(r not in (0, SP, FLAGS, IP) for r in sources)
    if not writes_ip:
        return "none"
    if not reads_sp and not reads_flags and not other:
        return "jump"
    if not reads_sp and not reads_ip and not reads_flags and other:
        return "indirect"
    if not reads_sp and reads_ip and not writes_sp and reads_flags and not other:
        return "conditional"
    if reads_sp and reads_ip and writes_sp and not reads_flags:
        return "indirect-call" if other else "call"
    if reads_sp and not reads_ip and writes_sp:
        return "return"
    return "other"


data = sys.stdin.buffer.read()
counts = {}
loads = stores = taken = lost = 0
before = None
for record in LAYOUT.iter_unpack(data):
    ip, branch, took = record[:3]
    if before and not before[1] and not 0 < ip - before[0] <= 15 and ip != before[0]:
        lost += 1
    before = (ip, took)
    taken += took
    loads += sum(1 for address in record[11:15] if address)
    stores += sum(1 for address in record[9:11] if address)
    if branch:
        name = kind(record[3:5], record[5:9])
        counts[name] = counts.get(name, 0) + 1
print("instructions", len(data) // LAYOUT.size)
for name in sorted(counts):
    print(name, counts[name])
print("taken", taken)
print("loads", loads)
print("stores", stores)
print("lost", lost)

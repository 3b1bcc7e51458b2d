#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# PEBS records the simulated core's address, level and latency of single loads, in chases through as much memory as each
# level has; in the image and on Debian's kernel.
. tests/e2e/lib.sh
command -v musl-gcc >/dev/null || skip_all "musl-gcc is not installed"
musl-gcc -static -std=gnu11 -O2 -Wall -Wextra -idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu \
	tests/e2e/core/core_loads.c -o "$scratch/loads" || skip_all "musl-gcc fails"
core=golden-cove,prefetch=off,l2=256K/16,l3=2M/16

# value NAME N: what the last run printed.
value() {
	awk -v name="$1:" -v n="$2" '$1 == name { print $(n + 1) }' "$scratch/stdout"
}

# One load in 97 of 9,700; the levels are columns 5 to 9, of which one has nearly all.
level() {
	between "$(value "$1" 1)" 98 102 "$where, $1: a sample each 97 loads"
	between "$(value "$1" 2)" $(($(value "$1" 1) - 3)) 102 "$where, $1: of the chase's instruction and memory"
	between "$(value "$1" "$2")" "$3" 102 "$where, $1: found there"
}

chases() {
	is $status 0 "$where: runs"
	level l1 5 90
	is "$(value l1 3)" 5 "$where: L1D's latency"
	level l2 7 80
	between "$(value l2 3)" 5 15 "$where: L2's latency, or that of a line that L1D still has"
	level l3 8 90
	level slow 8 90
	between "$(value slow 3)" 68 75 "$where: the last level's latency, and no load is faster than what was asked for"
	level memory 9 95
	between "$(value memory 3)" 400 440 "$where: memory's latency"
	between "$(value fast 1)" 0 25 "$where: loads of L2 are not slow"
	between "$(value slower 1)" 0 2 "$where: nor those of the last level slower than memory"
	level rare 9 95
}

where=image
barepmu run --pmu intel-v5 --core $core -- "$scratch/loads"
chases
if have_linux; then
	where="Debian's kernel"
	barepmu linux --no-share --pmu intel-v5 --core $core -- "$scratch/loads"
	chases
else
	skip "no Linux kernel in /boot"
fi
finish

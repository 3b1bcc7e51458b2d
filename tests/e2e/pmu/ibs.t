#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# AMD's instruction-based sampling reports single instructions of the simulated core: loads of chases through as much
# memory as each level has, and jumps.
. tests/e2e/lib.sh
command -v musl-gcc >/dev/null || skip_all "musl-gcc is not installed"
musl-gcc -static -std=gnu11 -O2 -Wall -Wextra -idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu \
	tests/e2e/pmu/ibs_loads.c -o "$scratch/loads" || skip_all "musl-gcc fails"
core=zen4,prefetch=off,l2=256K/8,l3=2M/16

# value NAME N: what the last run printed.
value() {
	awk -v name="$1:" -v n="$2" '$1 == name { print $(n + 1) }' "$scratch/stdout"
}

# level NAME COLUMN SHORTEST LONGEST: a sample each 3,200 micro-operations of 97,000 rounds of ten instructions, of
# which one is the load; the levels are columns 5 to 9, of which one has nearly all. A hit of L1D has no latency.
level() {
	between "$(value "$1" 1)" 15 60 "$where, $1: samples of the chase's load"
	is "$(value "$1" 2)" "$(value "$1" 1)" "$where, $1: of its memory"
	between "$(value "$1" "$2")" $(($(value "$1" 1) * 9 / 10)) "$(value "$1" 1)" "$where, $1: found there"
	between "$(value "$1" 4)" "$3" "$4" "$where, $1: after so many cycles"
}

# Zen 4: L2 answers after 14 cycles, L3 after 50, memory after 400 more; the second TLB takes 7.
chases() {
	is $status 0 "$where: runs"
	level l1 5 0 0
	level l2 7 14 22
	level l3 8 50 64
	level memory 9 400 480
	# A coin's 94 samples: within three deviations of a half.
	between "$(value random 1)" 80 110 "$where: samples of a jump"
	between $((100 * $(value random 2) / $(value random 1))) 34 66 "$where: which is taken every other time,"
	between $((100 * $(value random 3) / $(value random 1))) 34 66 "$where: and mispredicted, at random"
	between "$(value never 1)" 40 200 "$where: samples of another"
	is "$(value never 2) $(value never 3)" "0 0" "$where: which is not"
}

where=image
barepmu run --pmu amd-v2 --core $core -- "$scratch/loads"
chases

# On the last of several processors, in turns and beside each other.
for how in "--smp 3" "--smp 2 --parallel"; do
	# shellcheck disable=SC2086 # words
	barepmu run --pmu amd-k7 --core k10 $how -- "$BUILD/tests/guest/perf_ibs-musl" samples
	is "$status $(grep -c '^ok' "$scratch/stdout") $(grep -c '^not ok' "$scratch/stdout")" "0 30 0" \
		"$how: what perf_ibs asks of samples"
done
finish

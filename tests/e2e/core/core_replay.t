#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A program's work before it counts is simulated late; long work only by its pages. Counts are,
# to a few, as of a core that saw all of it.
. tests/e2e/lib.sh
command -v musl-gcc >/dev/null || skip_all "musl-gcc is not installed"
musl-gcc -static -std=gnu11 -O2 -Wall -Wextra -idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu \
	tests/e2e/core/core_replay.c -o "$scratch/backlog" || skip_all "musl-gcc fails"

# counts BYTES KIB ROUNDS. The core's name, which the guest can read, is always as long.
counts() {
	barepmu run --core "skylake,backlog=$1" -- "$scratch/backlog" "$2" "$3"
	cp "$scratch/stdout" "$scratch/$1"
}

value() {
	awk -v name="$1" '$1 == name { print $2 }' "$scratch/$2"
}

never=0000000000 default=0008388608 small=0000262144 all=1000000000
for kib in 1024 6144 16384; do
	counts $never $kib 1000
	is $status 0 "$kib KiB: runs"
	is "$(wc -l <"$scratch/$never")" 6 "$kib KiB: all events"
	counts $all $kib 1000
	is "$(cat "$scratch/$all")" "$(cat "$scratch/$never")" "$kib KiB, none of it lost: the same counts"
done
counts $never 128 1000
counts $default 128 1000
is "$(cat "$scratch/$default")" "$(cat "$scratch/$never")" "128 KiB: nothing is lost by itself"

# near EVENT BYTES PERCENT PLUS
near() {
	known=$(value "$1" $never)
	between "$(value "$1" "$2")" $((known - known * $3 / 100 - $4)) $((known + known * $3 / 100 + $4)) \
		"$kib KiB, $2: $1"
}

for kib in 3072 16384; do
	counts $never $kib 1000000
	for bytes in $default $small; do
		counts $bytes $kib 1000000
		for event in cycles l1d-misses last-loads tlb-misses; do
			near $event $bytes 8 200
		done
		# The log has no times: it fetches each line's pair, where memory that is busy with write-backs had none.
		near last-misses $bytes 14 200
		near branch-misses $bytes 8 20
		first=$(cat "$scratch/$bytes")
		counts $bytes $kib 1000000
		is "$(cat "$scratch/$bytes")" "$first" "$kib KiB, $bytes: the same in each run"
	done
done
finish

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Programs with known behaviour on a simulated core: the staircase of memory, rows against columns, prefetchers,
# branches.
. tests/e2e/lib.sh
command -v musl-gcc >/dev/null || skip_all "musl-gcc is not installed"
musl-gcc -static -std=gnu11 -O2 -Wall -Wextra -idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu \
	tests/e2e/core/core_shapes.c -o "$scratch/shapes" || skip_all "musl-gcc fails"

# field NAME N: a field of the last run's output, in thousandths of an operation.
field() {
	awk -v name="$1:" -v n="$2" '$1 == name { print $(n + 1) }' "$scratch/stdout"
}

# Skylake: 32 KiB at 4 cycles, 256 KiB at 12, 8 MiB at 42, memory at 246; pages beyond 64 cost 9 cycles, beyond 1,536 a
# walk.
barepmu run --core skylake,prefetch=off -- "$scratch/shapes" chase
is $status 0 "the chases, prefetchers off"
between "$(field chase16 1)" 3000 5500 "16 KiB: L1D's latency"
between "$(field chase16 2)" 0 30 "16 KiB: no misses of L1D"
between "$(field chase128 1)" 12000 17500 "128 KiB: L2's latency"
between "$(field chase128 2)" 980 1000 "128 KiB: misses of L1D"
between "$(field chase128 3)" 0 30 "128 KiB: none of L2"
between "$(field chase2048 1)" 42000 60000 "2 MiB: L3's latency"
between "$(field chase2048 3)" 950 1000 "2 MiB: misses of L2"
between "$(field chase2048 4)" 0 30 "2 MiB: none of L3"
between "$(field chase24576 1)" 200000 320000 "24 MiB: memory's latency"
between "$(field chase24576 4)" 700 1000 "24 MiB: misses of L3"
is "$(field rows0 2)" 62 "by rows: a miss in sixteen numbers"
between "$(field columns0 2)" 990 1000 "by columns: a miss in each number"
slow=$(field rows0 1)
between "$(field columns0 1)" $((slow * 2)) $((slow * 100)) "columns take longer"

# Work in flight when a PMI stops the program is counted as the program's: samples change no count.
without=$(field chase24576 1)
barepmu run --core skylake,prefetch=off -- "$scratch/shapes" period
between "$(field chase24576 1)" $((without * 97 / 100)) $((without * 103 / 100)) "sampled each 50,000 cycles: as many"

barepmu run --core skylake -- "$scratch/shapes" branches
is $status 0 "rows, columns, branches, prefetchers on"
between "$(field rows0 2)" 0 15 "by rows: lines are prefetched"
between "$(field rows0 1)" 100 "$slow" "by rows: prefetching is no slower, as the window hides most of L3"
between "$(field columns0 2)" 900 1000 "by columns: prefetching is of no use"
between "$(field sorted0 1)" 450 550 "random branches: half mispredicted"
between "$(field sorted1 1)" 0 9 "sorted ones: none"
is "$(grep '^cache' "$scratch/stdout" | tr '\n' ' ')" "cache0: 32K 8 cache1: 32K 8 cache2: 256K 4 cache3: 8192K 16 " \
	"/sys has the core's caches"

# CLFLUSH, CLFLUSHOPT and MOVNTI leave nothing in the caches; CLWB does, and PREFETCHT0 fetches it.
barepmu run --core skylake,prefetch=off -- "$scratch/shapes" touch
is $status 0 "lines touched without an access"
for how in 1 2 5; do
	between "$(field touch$how 4)" 980 1010 "touch $how: each load comes from memory"
done
for how in 0 3 4; do
	between "$(field touch$how 4)" 0 20 "touch $how: none does"
done

# Skylake: 1,536 pages of 4 KiB, or 32 of 2 MiB in the first level.
between "$(field walks0 3)" 950 1010 "4,032 pages of 4 KiB: each load walks"
is "$(field walks1 2) $(field walks1 3)" "0 0" "8 of 2 MiB hold the same: none does, nor misses the first level"
between $(($(field walks0 1) - $(field walks1 1))) 9 400000 "pages of 2 MiB take less time"

# AMD's leaves, and a change.
gcc -static -O2 -x c - -o "$scratch/leaves" <<'END'
#include <cpuid.h>
#include <stdio.h>
int main(void)
{
	unsigned a, b, c, d;

	__cpuid(0x80000005, a, b, c, d);
	printf("%08x %08x %08x %08x\n", a, b, c, d);
	__cpuid(0x80000006, a, b, c, d);
	printf("%08x %08x\n", c, d);
}
END
barepmu run --pmu amd-v2 --core zen2,l1d=16K/4 -- "$scratch/leaves"
is "$(cat "$scratch/stdout")" "ff40ff40 ff40ff40 10040140 20080140
02006140 00808140" "CPUID on AMD has the core's caches and TLBs"
finish

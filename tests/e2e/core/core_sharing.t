#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Processors that share: a line that moves between them costs cycles and time, and runs repeat.
. tests/e2e/lib.sh
command -v musl-gcc >/dev/null || skip_all "musl-gcc is not installed"
musl-gcc -static -std=gnu11 -O2 -Wall -Wextra tests/e2e/core/core_sharing.c -o "$scratch/sharing" ||
	skip_all "musl-gcc fails"

# value NAME: what the last run printed.
value() {
	awk -v name="$1" '$1 == name { print $2 }' "$scratch/stdout"
}

# ratio A B
ratio() {
	awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) print a / b }'
}

# Published: false sharing makes a loop 3 to 20 times slower. A contended counter is one move of its line an addition:
# skylake has 84 cycles for it.
for threads in 2 4 8; do
	barepmu run --core skylake --smp $threads -- "$scratch/sharing" $threads false padded atomic
	cp "$scratch/stdout" "$scratch/first"
	between "$(ratio "$(value false)" "$(value padded)")" 3 20 "$threads threads: false sharing takes longer"
	between "$(ratio "$(value atomic)" $threads)" 84 100 "$threads threads: an atomic addition is one move"
	for n in 2 3; do
		barepmu run --core skylake --smp $threads -- "$scratch/sharing" $threads false padded atomic
		is "$(diff "$scratch/first" "$scratch/stdout")" "" "$threads threads: run $n is equal to the first"
	done
done

# cycles WORK [OPTION...]: the count of four threads.
cycles() {
	work=$1
	shift
	barepmu stat -x, -e cycles:u --smp 4 "$@" -- "$scratch/sharing" 4 "$work"
	grep -v '^#' "$scratch/stderr" | cut -d, -f1
}
between "$(ratio "$(cycles false --core skylake)" "$(cycles padded --core skylake)")" 3 20 \
	"false sharing takes more cycles"
between "$(ratio "$(cycles false --core skylake,turn=0)" "$(cycles padded --core skylake,turn=0)")" 0.9 2 \
	"turn=0: turns are too long to show it"

# Each of 15 processors is interrupted, and each answer is a move of a line.
barepmu run --core skylake --smp 1 -- "$scratch/sharing" 1 munmap
alone=$(value munmap)
barepmu run --core skylake --smp 16 -- "$scratch/sharing" 16 munmap
between "$(ratio "$(value munmap)" "$alone")" 1 3 "munmap() among 16 processors"

# Locks around a counter, by acquisition: MCS is the same with any number of threads, each release of a ticket lock
# makes all waiters load its line again, and each poll of a test-and-set lock takes the line (Mellor-Crummey and
# Scott, Algorithms for scalable synchronization, 1991; Boyd-Wickizer and others, Non-scalable locks are dangerous,
# 2012).
barepmu run --core skylake --smp 4 -- "$scratch/sharing" 4 mcs ticket tas
few=$(value mcs)
between "$(ratio "$(value ticket)" "$few")" 1.2 10 "4 threads: MCS is quicker than tickets"
between "$(ratio "$(value tas)" "$(value ticket)")" 1.05 10 "4 threads: which are quicker than test-and-set"
barepmu run --core skylake --smp 8 -- "$scratch/sharing" 8 mcs ticket tas
between "$(ratio "$(value mcs)" "$few")" 1.5 2.5 "8 threads: MCS takes as long an acquisition as with 4"
between "$(ratio "$(value ticket)" "$(value mcs)")" 1.5 20 "8 threads: tickets take longer"
between "$(ratio "$(value tas)" "$(value ticket)")" 1.2 20 "8 threads: test-and-set takes longest"

# A value from one thread to another: two to four moves of the line, of 84 cycles.
barepmu run --core skylake --smp 2 -- "$scratch/sharing" 2 line
between "$(value line)" 168 400 "a producer and a consumer over one line"

barepmu stat -e cycles:u --core skylake --smp 2 --parallel -- "$scratch/sharing" 2 padded
has "$scratch/stderr" "Verdict: .*order of processors: the host's" "--parallel: the verdict names the order"
has "$scratch/stderr" "simulated; time: the host's" "--parallel: the answer names the clock"
finish

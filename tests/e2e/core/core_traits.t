#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Code whose cost on Skylake is known, as QEMU runs it. tests/sim/test_core_traits.c and test_core_stores.c have the
# sources, and the other cores.
. tests/e2e/lib.sh
command -v musl-gcc >/dev/null || skip_all "musl-gcc is not installed"
musl-gcc -static -std=gnu11 -O2 -Wall -Wextra -idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu \
	tests/e2e/core/core_traits.c -o "$scratch/traits" || skip_all "musl-gcc fails"
barepmu run --core skylake,detail=pipeline -- "$scratch/traits"
is $status 0 "the rows ran"

# row NAME LOW HIGH COUNT-LOW COUNT-HIGH WHAT: cycles a round, and the row's event.
row() {
	between "$(awk -v name="$1" '$1 == name { print $2 }' "$scratch/stdout")" "$2" "$3" "$6: cycles"
	between "$(awk -v name="$1" '$1 == name { print $3 }' "$scratch/stdout")" "$4" "$5" "$6: events"
}
row popcnt 2.9 3.2 0 0.1 "POPCNT waits for its destination"
row same_move 0.9 1.2 0 0.1 "MOV eax, eax is executed"
row wide_load 13 16.5 0.9 1.1 "a load of two stores waits"
row two_counters 4.9 7 0 0.1 "two counters in one word are two chains through memory"
row aliased 0.9 7 0.9 1.1 "a store to the same offset of another page"
row clean 0.5 1.3 0 0.1 "SSE instructions"
row gather 4.9 8 7.9 8.1 "VPGATHERDD loads eight times"
row dirty 5.8 7 0 0.1 "SSE instructions while upper halves are in use"
row loop 4.8 5.3 0 0.1 "LOOP"
# Around its 50 rounds are eight stores.
row moves_down 4096 5000 0.9 1.3 "REP MOVSB downwards"
row stores_none 1 100 0 0.1 "REP STOSB of none stores nothing"
row modifies 100 250 0.9 1.1 "a function that is modified before each call"
# Upper halves are in use, so that a round of 6 cycles waits for the one before it.
row denormal_result 160 210 1 1 "a product that is denormal"
row denormal_source 160 210 1 1 "a denormal factor"
row denormal_memory 160 210 1 1 "a denormal factor in memory, the second of two"
row denormal_sum 1 7 0 0 "a sum of denormal numbers needs no assist"
row denormal_none 1 7 0 0 "a small product"
row denormal_zero 2 14 0 0 "with FTZ and DAZ none needs an assist"
finish

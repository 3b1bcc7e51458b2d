#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The suites of `bench` on each PMU's own core find the values of the core's table (emulator/sim/models/).
. tests/e2e/lib.sh
unset BAREPMU_CORE

# column N ROW: of the CSV; nothing where it has no such column.
column() {
	sed -n "s/^\"$2\",//p" "$scratch/stdout" | awk -F, -v n="$1" '{ print $n }'
}

# on PMU OPTIONS L1D KIB L2 PAGES BEYOND WALKS: cycles of a load from an L1D of KIB, of one from L2; pages in the first
# level of TLBs (at most the greatest power of two), cycles of a load in twice as many pages, and walks in few pages.
on() {
	# shellcheck disable=SC2086 # words
	barepmu bench memory --pmu "$1" $2 --memory "$(($4 * 2))K$pages" --csv
	is "$(column 1 4K) $(column 1 $(($4 / 2))K) $(column 2 $(($4 / 2))K)" "$3.0000 $3.0000 $3.0000" \
		"$1 $2: L1D takes $3 cycles"
	between "$(column 1 "$4K")" "$3" $(($3 + slack)) "$1: and has $4 KiB"
	between "$(column 1 $(($4 * 2))K)" $(($3 + 2)) "$5" "$1: twice as much is nearer to L2's $5 cycles"
	has "$scratch/stdout" "^# verdict: valid: $equal of 4 runs equal, simulated: cycles\$" "$1: and valid"
	# shellcheck disable=SC2086
	barepmu bench tlb --pmu "$1" $2 --memory "$(($6 * 8))K" --csv
	is "$(column 1 "$6")" "$3.0000" "$1: the first level of TLBs has $6 pages"
	between "$(column 1 $(($6 * 2)))" "$7" "$7.1" "$1: and of twice as many a load takes $7 cycles"
	is "$(column 2 4)" "$8" "$1: page walks"
}

# How many of the four runs are equal.
equal=4
slack=3
pages=
on intel-v2 "" 3 32 15 16 5 0.0000
on intel-v3 "" 4 32 10 64 11 0.0000
on intel-v5 "" 5 32 15 64 12 0.0000
on amd-core "" 4 32 12 64 11 0.0000
on amd-v2 "" 4 32 14 64 11 0.0000
# A way of its L1D is 8 pages: which small pages share sets would depend on the memory that is free.
pages=,huge
on amd-k7 "" 3 64 15 32 8 0.0000
pages=
equal='[1-4]'
# Yonah's TLB has one level, and its PMU no event of it: the column is left out.
on intel-v1 "" 3 32 14 64 3 ""
has "$scratch/stdout" '^pages,cycles$' "intel-v1: no column of what it does not count"
# The later processors of a hybrid are efficient cores, whose PMU is another.
on intel-hybrid "--smp 2 --cpu 1" 3 32 17 32 12 0.0000
has "$scratch/stdout" '^# PMU: alder-lake, emulated; core: golden-cove and gracemont' "intel-hybrid: both are named"

# across PMU ONE TWO: cycles of a load on the first of two processors of a line that the other has changed, and in the
# other direction: the tables' hitm_latency, and at most one hit of the second-level TLB, 9 cycles, in the 8 loads.
across() {
	barepmu bench cores --pmu "$1" --smp 2 --csv
	is "$(column 1 0) $(column 2 1)" "0.0000 0.0000" "$1: nothing to itself"
	between "$(column 2 0 | tr -d .)" "${2}0000" "$((${2}0000 + 11250))" "$1: lines from the other processor"
	between "$(column 1 1 | tr -d .)" "${3}0000" "$((${3}0000 + 11250))" "$1: and the other way"
	has "$scratch/stdout" '^# verdict: valid: .*4 of 4 runs equal, simulated: cycles$' "$1: that is valid"
}

across intel-v3 75 75
across amd-core 90 90
across intel-hybrid 130 120
# Forms of a file: a row for each operand that the next instance can wait for.
printf '%s\n' '# a comment' 'imul r64+, r64' 'vfmadd231ps x+, x, x' 'STORE | mov [r14], rax | mov [r14], rax' \
	'NONE | ud2 | ud2' 'UPPER | vaddps ymm0, ymm0, ymm0 | vaddps ymm1, ymm0, ymm0' 'paddd x+, x' \
	'MMX | paddd mm0, mm1 | paddd mm2, mm1' >"$scratch/forms"
seq 33 | sed 's/.*/NOP& | nop | nop/' >>"$scratch/forms" # more than 40 rows: bars would have no room for names
barepmu bench instructions --list "$scratch/forms" --pmu skylake --csv --plot "$scratch/forms.svg"
rows=$(grep -c '^"' "$scratch/stdout")
is "$(grep -c 'fill="rgb' "$scratch/forms.svg") $(grep -c '>?<' "$scratch/forms.svg")" "$((2 * rows)) 2" \
	"--list: many rows are a heat map, with question marks for what faults"
is "$(column 1 'IMUL (R64, R64) 1>1') $(column 1 'IMUL (R64, R64) 2>1')" "3.0000 3.0000" "--list: latency by operand"
is "$(column 1 'VFMADD231PS (XMM, XMM, XMM) 3>1')" "4.0000" "--list: latency from an accumulator's third operand"
is "$(column 1 'PADDD (XMM, XMM) 1>1')" 1.0000 "--list: SSE after AVX pays for no upper halves"
has "$scratch/stdout" '^"MMX",[0-9.]+,[0-9.]+$' "--list: MMX leaves the x87 usable"
has "$scratch/stdout" '^"STORE",[0-9.]+,[0-9.]+$' "--list: code of one's own"
has "$scratch/stdout" '^"NONE",,$' "--list: an instruction that the processor lacks is marked"
echo 'imul r65+' >"$scratch/forms"
barepmu bench instructions --list "$scratch/forms"
is "$status $(cat "$scratch/stderr")" "125 barepmu: --list: 'imul' is no form of an instruction, as imul r64+, r64" \
	"--list: an operand that is none"
finish

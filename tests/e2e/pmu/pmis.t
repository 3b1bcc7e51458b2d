#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A PMI behind every instruction of what switches, joins and leaves events: counts stay exact, rings and groups whole.
# Where code tries again when a PMI came in between, they are some instructions apart.
. tests/e2e/lib.sh

# address SYMBOL: of the kernel.
address() {
	nm "$BUILD/kernel.elf" | awk -v name="$1" '$3 == name { print "0x" $1 }'
}

# pmis FROM TO EVERY LEAST: from one symbol to another. Without any the program has 4 NMIs.
pmis() {
	export BAREPMU_VISOR="quirk=pmi-from:$(address "$1"),pmi-to:$(address "$2"),pmi-every:$3"
	barepmu run --timeout 300 -- "$BUILD/tests/fuzz/pmis" 1 quick
	is "$status $(grep -c '^ok' "$scratch/stdout")" "0 4" "$1 to $2"
	grep -B2 -e '^not ok' "$scratch/stdout" | sed 's/^/# /'
	nmis=$(awk '/NMIs$/ { print $(NF - 1) }' "$scratch/stdout")
	is "$((${nmis:-0} > $4))" 1 "more than $4 NMIs came there: $nmis"
}

pmis sched_task_in event_enable 1 300
pmis event_sched_in event_group_is_here 1 300
pmis context_attach event_new 1 300
pmis hw_add hw_pmi 61 20
finish

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A PMI after every instruction of the code that switches, joins and leaves events: counts stay exact, rings and groups
# whole. Where code tries again after a PMI, they are some instructions apart: forced PMIs, of counters that did not
# wrap, have no limit. PMIs of periods of one have (tests/guest/sample/perf_sample.c).
. tests/e2e/lib.sh

KERNEL=$BUILD/kernel.elf

# address SYMBOL: of the kernel; `-`: that of the symbol after the last one.
address() {
	[ "$1" = - ] || symbol=$1
	nm -n "$KERNEL" | awk -v name="$symbol" -v after="$1" \
		'found { print "0x" $1; exit } $3 == name { found = after == "-"; if (!found) { print "0x" $1; exit } }'
}

# pmis FROM TO EVERY LEAST [quick]: from one symbol to another. Without any the program has 4 NMIs; quick: it makes no
# processes.
pmis() {
	symbol=$1
	export BAREPMU_VISOR="quirk=pmi-from:$(address "$1"),pmi-to:$(address "$2"),pmi-every:$3"
	# shellcheck disable=SC2086 # words
	BAREPMU_KERNEL=$KERNEL barepmu run -- "$BUILD/tests/fuzz/pmis" 1 ${5:-}
	is "$status $(grep -c '^ok' "$scratch/stdout")" "0 4" "$1 to $2"
	grep -B2 -e '^not ok' "$scratch/stdout" | sed 's/^/# /'
	nmis=$(awk '/NMIs$/ { print $(NF - 1) }' "$scratch/stdout")
	is "$((${nmis:-0} > $4))" 1 "more than $4 NMIs came there: $nmis"
}

pmis sched_task_in event_enable 1 300 quick
pmis event_sched_in event_sched_out 1 300 quick
pmis context_attach event_new 1 200 quick
pmis hw_add hw_pmi 61 20 quick
pmis add_times perf_read 1 100 quick
pmis record_begin userpage_begin 11 250
pmis userpage_write - 301 5 quick
# Freed objects are poisoned: what ends with a program, a process, a descriptor.
KERNEL=$BUILD/debug/kernel.elf
pmis event_attach_ring send_sigtrap 1 300
finish

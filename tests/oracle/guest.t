#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The programs of tests/guest that ask about events, BPF, control groups and mounts pass on Debian's kernel as well, but
# for what tests/oracle/unlike explains. Those that tell costs are of this kernel alone.
. tests/e2e/lib.sh
have_linux || skip_all "no Linux kernel in /boot"

sed -e '/^#/d' -e '/^$/d' -e 's/^/^/' tests/oracle/unlike >"$scratch/unlike"
# Which run where all events are, with one processor. perf_ring and perf_sample sample faster than Linux lets them,
# which lowers its rate as it goes. Of the tests of probes and tracepoints Linux does not end in time.
programs=$(cd tests/guest &&
	ls count/perf_*.c count/rdpmc.c sample/perf_*.c trace/bpf*.c count/cgroups.c files/mounts.c |
	sed 's/.*\///; s/\.c$//' |
	grep -vxE 'perf_(cost|fuzz|hybrid|smp|precise|topdown|ring|sample)')
options=
paths=
for program in $programs; do
	options="$options --add $BUILD/tests/guest/$program-musl:/guest/$program"
	paths="$paths /guest/$program"
done
LIMIT=300
# shellcheck disable=SC2086 # words
barepmu linux --timeout 290 --pmu intel-v4 $options -- "$BUILD/tests/oracle/each" $paths
awk '/^== status/ { next } /^== / { program = $2; next } /^(not )?ok / {
	failed = /^not/; name = $0; sub(/^(not )?ok [0-9]+ - /, "", name)
	print (failed ? "failed " : "passed ") program ": " name }' "$scratch/stdout" >"$scratch/results"
is "$(grep -c '^== status [01]$' "$scratch/stdout")" "$(echo "$programs" | wc -w)" "every program ends on Linux"
for program in $programs; do
	sed -n "s/^failed \($program: \)/\1/p" "$scratch/results" | grep -Evf "$scratch/unlike" >"$scratch/new" || true
	[ ! -s "$scratch/new" ] && grep -q "^passed $program: " "$scratch/results"
	ok $? "$program: $(grep -c "^passed $program: " "$scratch/results") tests pass on Linux"
	sed 's/^/# /' "$scratch/new"
done
finish

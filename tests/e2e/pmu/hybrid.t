#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Processors of two kinds: our stat, and Debian's unmodified kernel with its own perf, find both PMUs.
. tests/e2e/lib.sh

barepmu stat --pmu intel-hybrid -x, -e instructions:u,cycles:u -- spin 1000000
between "$(awk -F, '$3 == "instructions:u" { print $1 }' "$scratch/stderr")" 2000000 2010000 \
	"one processor is a performance core, and counts exactly"
barepmu stat --pmu intel-hybrid --smp 4 -x, -e instructions:u,faults -- spin 1000000
is "$status $(grep -v '^#' "$scratch/stderr" | cut -d, -f3 | tr '\n' ' ')" \
	"0 cpu_core/instructions:u/ cpu_atom/instructions:u/ faults " "stat counts generic events on both PMUs"

have_linux && command -v perf >/dev/null || {
	skip "no Linux kernel in /boot, or no perf"
	finish
	exit 0
}
stock_perf

# Counts on several processors are estimates: an event that counts at all shows which kind the processor is.
script='for cpu in 0 3; do /place $cpu /perf stat -x, -e instructions:u,cycles:u /spin 1000000 2>&1; done'
# shellcheck disable=SC2086 # words
linux_plainly -v --pmu intel-hybrid --smp 4 --add "$BUILD/tests/oracle/place:/place" $add \
	-- "$(readlink -f $loader)" /bin/sh -c "$script"
is $status 0 "Debian's kernel boots and runs perf"
has "$scratch/stderr" 'Performance Events: .*PEBS fmt4\+-baseline, +Alderlake Hybrid events' \
	"Debian's kernel knows the processor"
has "$scratch/stderr" 'cpu_core PMU driver' "Debian's driver takes the performance cores' PMU"
has "$scratch/stderr" 'cpu_atom PMU driver' "Debian's driver takes the efficient cores' PMU"
for event in instructions:u cycles:u; do
	for kind in core atom; do
		values=$(awk -F, -v event="cpu_$kind/$event/" '$3 == event { print ($1 + 0 > 0 ? "counted" : $1) }' \
			"$scratch/stdout" | tr '\n' ' ')
		[ $kind = core ] && wanted="counted <not counted> " || wanted="<not counted> counted "
		is "$values" "$wanted" "cpu_$kind/$event/ counts on its own processors"
	done
done
! grep -Eq 'unknown reason|Dazed|unchecked MSR|PEBS record size' "$scratch/stderr"
ok $? "every NMI has its reason, every register is there"
finish

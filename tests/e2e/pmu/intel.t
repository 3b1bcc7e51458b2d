#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Intel's PMUs as Debian's unmodified kernel and its own perf find them: the driver's line, counts and samples of a
# known loop; on intel-v5 precise samples, their branches and top-down metrics as well. perf learns the TSC's frequency
# from CPUID leaf 15H or from the processor's name.
. tests/e2e/lib.sh
have_linux || skip_all "no Linux kernel in /boot"
command -v perf >/dev/null || skip_all "no perf"
stock_perf
add="$add --add /bin/sleep:/sleep"

# 2,000,000 instructions, and the program's start; a sample for each 10,000 of them. perf finds the BPF programs that it
# reports in /proc/kallsyms, which takes longer than all the rest. So do the symbols of a branch stack, which are read
# for twenty samples only.
script='
/perf stat -x, -e instructions:u /spin 1000000 2>&1
/perf record -q --no-bpf-event -e $EVENT -c 10000 -o /tmp.data /spin 1000000
/perf script -i /tmp.data -F ip,sym | while read -r ip symbol; do echo "sample $symbol"; done
/perf test -v "Simple expression parser" 2>&1
[ -z "$GROUP" ] || /perf stat -x, -e "$GROUP" /spin 1000000 2>&1
[ -z "$BRANCHES" ] || /perf record -q --no-bpf-event -b -e $BRANCHES -c 100000 -o /tmp.data /spin 1000000
[ -z "$BRANCHES" ] || /perf script -i /tmp.data -F brstacksym | while read -r stack; do echo "stack $stack"; done
/sleep 3
read -r clock </sys/devices/system/clocksource/clocksource0/current_clocksource
echo "clock $clock"'

# machine PMU LINE EVENT GROUP BRANCHES: one boot; Linux's lines about the PMU, and perf's counts and samples.
machine() {
	# shellcheck disable=SC2086 # words
	$linux -v --pmu "$1" --env "EVENT=$3" --env "GROUP=$4" --env "BRANCHES=$5" $add \
		-- "$(readlink -f $loader)" /bin/sh -c "$script"
	is $status 0 "$1: Debian's kernel boots and runs perf"
	has "$scratch/stderr" "Performance Events: $2 PMU driver" "$1: its driver takes the PMU"
	between "$(field instructions:u)" 2000000 2010000 "$1: perf stat counts the loop's instructions"
	between "$(grep -c '^sample' "$scratch/stdout")" 200 201 "$1: perf record of $3 takes a sample of each period"
	between "$(grep -c '^sample spin_loop' "$scratch/stdout")" 199 201 "$1: in the loop"
	keeps_clock "$1"
	has "$scratch/stdout" 'Simple expression parser *: Ok' "$1: perf's expressions know the TSC's frequency"
	! grep -q 'TSC frequency' "$scratch/stdout"
	ok $? "$1: without a complaint of it"
	! grep -Eq 'unknown reason|Dazed|unchecked MSR|PEBS record size' "$scratch/stderr"
	ok $? "$1: every NMI has its reason, every register is there"
}

linux=linux_quickly
machine intel-v1 "Core events, core" instructions:u "" ""
machine intel-v3 ".*Nehalem events.*Intel" instructions:u "" ""
linux=linux_plainly
metrics=topdown-retiring:u,topdown-bad-spec:u,topdown-fe-bound:u,topdown-be-bound:u,topdown-heavy-ops:u
machine intel-v5 ".*Architectural LBR.*PEBS fmt4\+-baseline.*Sapphire Rapids events.*Intel" instructions:upp \
	"{slots:u,$metrics,topdown-mem-bound:u}" instructions:upp
slots=$(field slots:u)
between "$slots" 9000000 9045000 "intel-v5: 4.5 slots an instruction"
between "$(field topdown-retiring:u)" $((slots * 76 / 255)) $((slots * 77 / 255)) "intel-v5: of which 77 in 255 retire"
between "$(field topdown-be-bound:u)" $((slots * 101 / 255)) $((slots * 102 / 255)) \
	"intel-v5: and 102 wait for the back end"
between "$(field topdown-heavy-ops:u)" $((slots * 9 / 255)) $((slots * 10 / 255)) \
	"intel-v5: 10 in 255 are heavy operations"
between "$(field topdown-mem-bound:u)" $((slots * 59 / 255)) $((slots * 60 / 255)) "intel-v5: 60 wait for memory"
between "$(grep -c '^stack .*spin_loop.*spin_loop.*spin_loop' "$scratch/stdout")" 19 21 \
	"intel-v5: precise samples have the loop's branches"

# binds PMU LINE: a shorter boot, with the driver's line alone.
binds() {
	linux_quickly -v --core none --pmu "$1" -- /bin/true
	has "$scratch/stderr" "Performance Events: $2, .*Intel PMU driver" "$1: its driver takes the PMU"
	! grep -Eq 'unknown reason|Dazed|unchecked MSR|PEBS disabled' "$scratch/stderr"
	ok $? "$1: every NMI has its reason, every register is there, and PEBS is used"
}
binds sandy-bridge "PEBS fmt1\+, SandyBridge events, 16-deep LBR, full-width counters"
binds haswell "PEBS fmt2\+, Haswell events, 16-deep LBR, full-width counters"
binds ice-lake "PEBS fmt4\+-baseline, Icelake events, AnyThread deprecated, 32-deep LBR"
binds lunar-lake "Architectural LBR, PEBS fmt4\+-baseline, generic architected perfmon"
finish

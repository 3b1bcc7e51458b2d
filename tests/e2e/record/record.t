#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# barepmu record: perf.data files that stock perf reads, with the right functions in the right shares.
. tests/e2e/lib.sh
unset BAREPMU_CORE
build_probe
command -v perf >/dev/null || skip_all "perf is not installed"
data=$scratch/perf.data

# perf's flat profile, kept in $scratch/profile.
profile() {
	perf report -f -i "$data" --stdio --no-children -g none >"$scratch/profile" 2>"$scratch/warnings"
}

# The percentage of function $1 there.
share() {
	awk -v f="$1" '$NF == f { sub("%", "", $1); print $1 }' "$scratch/profile"
}

barepmu record -e cycles:u -c 10007 -g -o "$data" -- work 300
is $status 0 "status"
pmu='PMU: skylake, emulated; core: skylake \(simulated; time: cycles\)'
has "$scratch/stderr" "^\[ barepmu record: [0-9]+ samples of cycles:u for .*/perf.data, $pmu \]\$" \
	"summary"
profile
is "$(cat "$scratch/warnings")" "" "perf report has nothing to complain about"
# The bounds are three standard deviations of 1,600 samples.
between "$(share heavy)" 56 64 "heavy has 60 %"
between "$(share medium)" 26.5 33.5 "medium has 30 %"
between "$(share light)" 7.5 12.5 "light has 10 %"
has "$scratch/profile" 'Total Lost Samples: 0' "none lost"
grep -q unknown "$scratch/profile"
is $? 1 "no unknown function"

"$BUILD/apps/report" -i "$data" >"$scratch/own"
is "$(awk '$NF == "heavy" { sub("%", "", $1); print $1 }' "$scratch/own")" "$(share heavy)" \
	"our own report agrees with perf's"

perf script -f -i "$data" >"$scratch/script" 2>&1
ok $? "perf script reads it"
is "$(grep -c 'cycles:u:' "$scratch/script")" "$(sed -n 's/.*record: \([0-9]*\) samples.*/\1/p' "$scratch/stderr")" \
	"perf script shows every sample"
awk '/^[^ \t]/ || /^$/ { chain = "" } /^\t/ { chain = chain " " $2; print chain }' "$scratch/script" |
	sed 's/+0x[0-9a-f]*//g' >"$scratch/chains"
has "$scratch/chains" '^ heavy do_round main' "callchains: heavy, do_round, main"
has "$scratch/chains" '^ light( descend){9} do_round main' "callchains show recursion"

perf report -f -i "$data" --header-only >"$scratch/header" 2>&1
has "$scratch/header" '^# arch : x86_64' "header: architecture"
has "$scratch/header" '^# cpudesc : skylake, emulated' "header: the PMU is emulated"
has "$scratch/header" '^# event : name = cycles:u,' "header: event"
has "$scratch/header" '^# cmdline : ' "header: command line"

# A loop of 2,000,000 instructions and 1000 or so around it: every period's end inside the loop is one sample.
barepmu record -e instructions:u -c 10000 -o "$data" -- spin 1000000
samples=$(perf script -f -i "$data" -F ip,sym 2>/dev/null | grep -c spin_loop)
between "$samples" 199 200 "floor(N / P) samples in the loop"

# Cycles that run out in the block of SYSRET, the kernel's last, are a sample of the next entry.
barepmu record -e cycles:k -c 5000 -o "$data" -- "$scratch/probe" calls 20000
profile
is "$(cat "$scratch/warnings")" "" "kernel samples: perf has nothing to complain about"
between "$(awk '$3 == "kernel.elf" { sum += $1 } END { print sum }' "$scratch/profile")" 95 100.5 \
	"kernel samples are in kernel.elf"
grep -q 0xffff "$scratch/profile"
is $? 1 "every kernel sample has a function"

barepmu record -o "$data" -- "$scratch/probe" exit 5
is $status 5 "the program's status"
finish

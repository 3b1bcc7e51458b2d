#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# barepmu stat as perf stat has it: details, metrics, intervals, processors, processes, vendors' names.
. tests/e2e/lib.sh

# The names in the third column of perf's CSV.
names() {
	awk -F, '/^[^#]/ { print $3 }' "$scratch/stderr" | tr '\n' ' '
}

barepmu stat -x, -d -d -d -- spin
caches="L1-dcache-loads L1-dcache-load-misses LLC-loads LLC-load-misses L1-icache-loads L1-icache-load-misses"
tlbs="dTLB-loads dTLB-load-misses iTLB-loads iTLB-load-misses"
is "$(names)" "task-clock context-switches cpu-migrations page-faults cycles instructions branches branch-misses \
$caches $tlbs L1-dcache-prefetches L1-dcache-prefetch-misses " "-d -d -d: perf's events in perf's order"

# perf's long options are its short ones.
barepmu stat --event=instructions:u,cycles:u --repeat 2 --field-separator , -- true
is "$(names)" "instructions:u cycles:u " "--event, --repeat, --field-separator"
barepmu stat --metric-only -B -e instructions:u,cycles:u,page-faults -- true
has "$scratch/stderr" '^ +# +[0-9.]+ +insn per cycle' "--metric-only: the ratio"
is "$(grep -cE 'instructions:u|page-faults' "$scratch/stderr")" 0 "--metric-only: no counts"

# 6 million instructions at one each nanosecond: six milliseconds.
barepmu stat -I 1 --plot "$scratch/plot.svg" -x, -e instructions:u -- spin 3000000
awk -F, '/^ / { n++; if ($1 <= last) bad = 1; last = $1; sum += $2 }
	END { print n, bad + 0, sum }' "$scratch/stderr" >"$scratch/sums"
between "$(cut -d' ' -f1 "$scratch/sums")" 2 9 "-I: several lines"
is "$(cut -d' ' -f2 "$scratch/sums")" 0 "-I: each later than the one before"
between "$(cut -d' ' -f3 "$scratch/sums")" 6000000 6020000 "-I: all of them together are the whole"
is "$(grep -c '<polyline' "$scratch/plot.svg")" 1 "--plot: a panel for the event"
has "$scratch/plot.svg" '>instructions:u</text>' "--plot: which names it"
between "$(sed -n 's/.* s: \([^<]*\)<.*/\1/p' "$scratch/plot.svg" | sort -g | tail -1)" 950000 1000000 \
	"--plot: a million instructions a millisecond"
"$BUILD/apps/stat" --plot "$scratch/none" -- true 2>"$scratch/stderr"
has "$scratch/stderr" '^stat: --plot .* goes with -I MS$' "--plot without -I"

for wrong in "-j -x," "-x, -j"; do
	"$BUILD/apps/stat" $wrong -- true 2>"$scratch/stderr"
	is "$?" 125 "$wrong: refused"
	has "$scratch/stderr" '^stat: -x and -j exclude each other$' "$wrong: and why"
done
barepmu stat -x -- spin
is $status 125 "-x without a separator: refused"
has "$scratch/stderr" '^stat: -x wants a separator, as in -x,$' "-x without a separator: the error shows its form"

barepmu stat --smp 2 -a --per-core -e cpu-clock,instructions -- spin
has "$scratch/stderr" "^ Performance counter stats for 'system wide':$" "-a: heading"
has "$scratch/stderr" "^ Verdict: not valid: (.*, )?estimates: instructions(;|\$)" \
	"two processors without a core: estimates"
for core in 0 1; do
	has "$scratch/stderr" "^S0-D0-C$core +1 +[0-9.,]+ msec cpu-clock +#" "--per-core: a line for core $core"
	has "$scratch/stderr" "^S0-D0-C$core +1 +[0-9,]+ +instructions" "--per-core: hardware events, core $core"
done
barepmu stat --smp 2 -C 1 -A -j -e cpu-clock -- spin
is "$(grep -o '"cpu" : "[0-9]*"' "$scratch/stderr")" '"cpu" : "1"' "-C 1 -A: that processor alone, as perf has it"

# Whether top-down's four shares are there, and all of the slots.
shares() {
	for share in retiring 'bad speculation' 'frontend bound' 'backend bound'; do
		awk -v name="$share" 'index($0, name) && $1 == "#" { sub("%", "", $2); print $2 }' "$scratch/stderr"
	done | awk '{ sum += $1 } END { print NR, sum }'
}
for pmu in intel-v4 intel-v5; do
	barepmu stat --core "$([ $pmu = intel-v4 ] && echo skylake || echo golden-cove)" --pmu $pmu --topdown -- spin
	is "$(shares | cut -d' ' -f1)" 4 "--topdown, $pmu: four shares"
	between "$(shares | cut -d' ' -f2)" 99.7 100.3 "--topdown, $pmu: they are all of it"
done
barepmu stat --pmu amd-core --topdown -- spin
has "$scratch/stderr" "this PMU has no events for the metric 'TopdownL1'" "--topdown where there is none"

# A vendor's name is the code that it stands for.
barepmu stat -x, -e INST_RETIRED.ANY_P:u,r00c0:u,BR_INST_RETIRED.ALL_BRANCHES:u -M IPC -- spin 200000
if ldconfig -p | grep -q libpfm.so.4; then
	is "$(names)" "INST_RETIRED.ANY_P:u r00c0:u BR_INST_RETIRED.ALL_BRANCHES:u instructions cycles  " \
		"vendors' names: shown as typed"
	is "$(awk -F, '$3 == "INST_RETIRED.ANY_P:u" { print $1 }' "$scratch/stderr")" \
		"$(awk -F, '$3 == "r00c0:u" { print $1 }' "$scratch/stderr")" "vendors' names: the same count"
	between "$(awk -F, '$7 == "IPC" { print $6 }' "$scratch/stderr")" 0.1 6 "-M IPC"
	barepmu stat -e INST_RETIRED.ANY_Q -- spin
	is "$status $(cat "$scratch/stderr")" \
		"125 barepmu: unknown event 'INST_RETIRED.ANY_Q': did you mean 'INST_RETIRED.ANY_P'?" "the nearest of them"
	barepmu list --core skylake l1d
	has "$scratch/stdout" "^  MEM_LOAD_RETIRED.L1_MISS +\[Vendor's event\]$" "list: the vendor's events"
else
	skip "libpfm4 is not installed"
fi
barepmu list cache
has "$scratch/stdout" '^       \[Loads that missed in the first-level data cache\]$' "list: descriptions"
grep -q '^  instructions ' "$scratch/stdout"
is $? 1 "list: only what the word names"

barepmu stat -r 2 --table --no-big-num -e instructions:u -- spin
has "$scratch/stderr" '^ +2[0-9]{6} +instructions:u' "--no-big-num"
is "$(grep -cE '^ +[0-9.]+ \([+-][0-9.]+\) #*$' "$scratch/stderr")" 2 "--table: a line for each run"

# A running process: counts are of its life from then on.
cat >"$scratch/attach.sh" <<'END'
/bin/spin 30000000 &
/bin/stat -x, -e instructions:u -p $!
wait
/bin/stat -p 999 2>&1
END
barepmu run --add "$scratch/attach.sh:/attach.sh" -- /bin/sh /attach.sh
between "$(awk -F, '$3 == "instructions:u" { print $1 }' "$scratch/stderr")" 1000000 60010000 "-p: a process that runs"
has "$scratch/stdout" 'there is no process 999' "-p: one that does not"
barepmu stat -p 1 -- spin
one_line "-p of the command"
barepmu stat -a -C 7 -- spin
has "$scratch/stderr" 'there is no such processor: -C 7' "-C of a processor that is not there"

# The first run finds cold caches; the others are equal.
barepmu stat -r 3 --warm-up 1 -x, -e cycles:u,cache-misses:u -- spin 1000
is $status 0 "--warm-up: status"
is "$(awk -F, '/^[0-9]/ { print $4 }' "$scratch/stderr" | tr '\n' ' ')" "0.00% 0.00% " \
	"--warm-up: what follows is equal"
is "$(wc -l <"$scratch/stdout")" 4 "--warm-up: the program ran once more"
barepmu stat --warm-up none -e cycles -- spin
is $status 125 "--warm-up without a number: status"
finish

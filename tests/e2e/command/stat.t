#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# barepmu stat: exact counts, and perf stat's table, columns and JSON lines.
. tests/e2e/lib.sh
unset BAREPMU_CORE
build_probe

# The count of event $1 (as typed) in CSV.
count() {
	awk -F, -v event="$1" '$3 == event { print $1 }' "$scratch/stderr"
}

barepmu stat -- spin 1000000
is $status 0 "table: status"
is "$(cat "$scratch/stdout")" "1000000 iterations of 2 instructions" "table: the program's stdout is its own"
has "$scratch/stderr" "^ Performance counter stats for '.*spin 1000000':$" "table: heading"
has "$scratch/stderr" '^ +[0-9.,]+ msec task-clock +# +[0-9.]+ CPUs utilized' "table: task-clock"
has "$scratch/stderr" '^ +[0-9,]+ +page-faults +# +[0-9.]+ [KM]?/sec' "table: page-faults"
has "$scratch/stderr" '^ +[0-9,]+ +cycles +# +[0-9.]+ GHz' "table: cycles"
has "$scratch/stderr" '^ +2,0[0-9]{2},[0-9]{3} +instructions +# +[0-9.]+ +insn per cycle' "table: instructions"
has "$scratch/stderr" '^ +[0-9,]+ +branch-misses +# +[0-9.]+% of all branches' "table: branch-misses"
has "$scratch/stderr" '^ +[0-9.]+ seconds time elapsed$' "table: elapsed time"
has "$scratch/stderr" '^ PMU: skylake, emulated; core: skylake \(simulated; time: cycles\)$' \
	"table: names the PMU, that it is emulated, and the core"
has "$scratch/stderr" '^ Verdict: valid' "table: the verdict"

# Two loops that differ by 2,000,000 iterations of 2 instructions; everything else in the two runs is the same.
barepmu stat -x, -e instructions:u -- spin 1000000
short=$(count instructions:u)
barepmu stat -x, -e instructions:u -- spin 3000000
is $(($(count instructions:u) - short)) 4000000 "instructions:u is exact"
barepmu stat -x, -e instructions:u -- spin 1000000
is "$(count instructions:u)" "$short" "instructions:u is equal in every run"

barepmu stat -x, -e '{cycles,instructions}:u,faults' -e task-clock,L1-dcache-loads -- spin
is "$(awk -F, '$3 == "instructions:u" { print NF }' "$scratch/stderr")" 7 "CSV: perf's seven columns"
is "$(awk -F, '$3 == "instructions:u" { print $5, $7 }' "$scratch/stderr")" "100.00 insn per cycle" \
	"CSV: percentage and ratio"
is "$(awk -F, '$3 == "task-clock" { print $2, $7 }' "$scratch/stderr")" "msec CPUs utilized" "CSV: task-clock's units"
is "$(awk -F, '/^[^#]/ { print $3 }' "$scratch/stderr" | tr '\n' ' ')" \
	"cycles:u instructions:u faults task-clock L1-dcache-loads " "CSV: events in the order asked for"
has "$scratch/stderr" '^# PMU: skylake, emulated' "CSV: the PMU in a comment"
has "$scratch/stderr" '^# verdict: valid' "CSV: the verdict in another"

barepmu stat -x, -e branches:u,r01d1:u,r02d1:u,r08d1:u,r10d1:u,r20d1:u -- spin
has "$scratch/stderr" '^# verdict: not valid: events shared counters' "more events than counters: not valid"

barepmu stat -j -e instructions:u -- spin
value='"counter-value" : "[0-9]+\.000000", "unit" : "", "event" : "instructions:u"'
rest='"event-runtime" : [0-9]+, "pcnt-running" : 100\.00, "metric-value" : [0-9.]+, "metric-unit" : ""'
has "$scratch/stderr" "^\{$value, $rest, \"class\" : \"exact\"\}\$" \
	"JSON: perf's keys, and the class"
has "$scratch/stderr" '^\{"pmu" : "skylake", "emulated" : true' "JSON: the PMU"
has "$scratch/stderr" '"valid" : true, "verdict" : "valid' "JSON: the verdict"

barepmu stat -r 3 -x, -e instructions:u -- spin
is "$(awk -F, '$3 == "instructions:u" { print $4 }' "$scratch/stderr")" "0.00%" "-r 3: three runs, no spread"
is "$(wc -l <"$scratch/stdout")" 3 "-r 3: the program ran three times"

# The child's loop is counted with its parent: equal steps in the iterations are equal steps in the count.
for millions in 1 2 3; do
	barepmu stat -x, -e instructions:u -- "$scratch/probe" family ${millions}000000
	eval "count_$millions=$(count instructions:u)"
done
is $((count_3 - count_2)) $((count_2 - count_1)) "children are counted, exactly"
between $((count_2 - count_1)) 1000000 20000000 "children are counted: a million instructions each"

barepmu stat -o "$scratch/result" -e instructions -- "$scratch/probe" exit 7
is $status 7 "the program's status"
is "$(cat "$scratch/stderr")" "" "-o: nothing on stderr"
has "$scratch/result" '^ +[0-9,]+ +instructions' "-o: the table is in the file"
barepmu stat -e instructions -- "$scratch/probe" fault
is $status 139 "killed by a signal: 128 + 11"
has "$scratch/stderr" 'Segmentation fault' "killed by a signal: the shell's message"
has "$scratch/stderr" '^ +[0-9,]+ +instructions' "killed by a signal: the counts are printed"

# Nothing models C8 (HLE_RETIRED): it is never 0, in no format, and no reason against the rest.
barepmu stat -e instructions:u,cycles:u,r04c8:u -- spin 1000
is $status 0 "an event that nothing models: status"
has "$scratch/stderr" '^ +<not counted> +r04c8:u' "an event that nothing models: table"
has "$scratch/stderr" '^ Verdict: valid: .*simulated: cycles:u, not modelled, so not counted: r04c8:u$' \
	"an event that nothing models: the verdict names it apart from what is simulated"
barepmu stat -x, -e r04c8:u,instructions:u -- spin 1000
has "$scratch/stderr" '^<not counted>,,r04c8:u,' "an event that nothing models: CSV"
barepmu stat -j -I 1000 -e r04c8:u,cycles:u -- spin 1000
has "$scratch/stderr" '"counter-value" : "<not counted>", .*"event" : "r04c8:u".*"class" : "not counted"' \
	"an event that nothing models: JSON, by interval"
has "$scratch/stderr" '"event" : "cycles:u".*"class" : "simulated"' "JSON: the class of cycles"
finish

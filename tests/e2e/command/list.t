#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# barepmu list, and its output without a PMU.
. tests/e2e/lib.sh

barepmu list
is $status 0 "list: status"
has "$scratch/stdout" '^PMU: skylake, emulated' "list names the PMU"
for event in instructions branch-misses task-clock; do
	has "$scratch/stdout" "^  $event " "list has $event"
done

barepmu list --pmu intel-v5
has "$scratch/stdout" '^  mem-stores OR cpu/event=0xcd,umask=0x2/ ' "list has the PMU's own events"

# One line of JSON for each choice and each event, read by another program.
barepmu list --json --core skylake
cat >"$scratch/rows.py" <<'END'
import json, sys
rows = [json.loads(line) for line in sys.stdin]
def one(kind, name):
    return next(r for r in rows if r["kind"] == kind and r["name"] == name)
print(one("pmu", "skylake")["general-counters"], one("pmu", "alder-lake")["efficient-core"],
      one("core", "zen4")["l1d"], one("pmu", "haswell")["stand-in"],
      one("core-word", "rob")["min"], one("core-word", "rob")["max"])
print(*(one("event", name)["class"] for name in ("instructions", "cycles", "task-clock")), sep=",")
END
python3 "$scratch/rows.py" <"$scratch/stdout" >"$scratch/rows"
has "$scratch/rows" '^8 gracemont 32K/8 1 16 1024$' "list --json: counters, cores, the value and the range of a word"
has "$scratch/rows" '^exact,simulated,software$' "list --json: the class of each event's counts"

# The vendor's events that the core counts: transactions of TSX do not exist here.
if ldconfig -p | grep -q libpfm.so.4; then
	barepmu list --core skylake vendor
	has "$scratch/stdout" "^  MEM_LOAD_RETIRED.L1_MISS +\[Vendor's event\]\$" "an event of the vendor's"
	has "$scratch/stdout" "^  UNHALTED_REFERENCE_CYCLES +\[Vendor's event\]\$" "one of a fixed counter"
	has "$scratch/stdout" "^  RTM_RETIRED.START +\[Vendor's event, counts nothing here\]\$" "one that has no source"
	nothing=$(grep -c 'counts nothing here\]$' "$scratch/stdout")
	has "$scratch/stdout" "^[0-9]+ events of the vendor, $nothing of them count nothing here\$" "how many there are"
	barepmu list --core none MEM_LOAD_RETIRED
	has "$scratch/stdout" "^  MEM_LOAD_RETIRED.L1_MISS +\[Vendor's event, counts nothing here\]\$" \
		"without a core: the fixed shares' rows"
else
	skip "libpfm4 is not installed: the vendor's events"
fi

barepmu stat -x, --pmu intel-v5 -e slots:u,topdown-retiring:u,cpu/topdown-mem-bound/u,cpu/event=0xc0,umask=0/u \
	-- spin 200000
is $status 0 "stat counts them: status"
# Shares of a thousand instructions; spin has 400,000 and a start of some thousand. The fixed shares: 4.5 slots an
# instruction, of which 77 in 255 retire and 60 wait for memory (docs/emulated-pmu.md).
while read -r event low high; do
	between "$(awk -F, -v event="$event" '!/^#/ && index($0, event) { print $1 }' "$scratch/stderr")" \
		$((400 * low)) $((410 * high)) "stat counts $event"
done <<'END'
slots:u 4500 4500
topdown-retiring:u 1340 1359
cpu/topdown-mem-bound/u 1040 1059
cpu/event=0xc0,umask=0/u 1000 1000
END
barepmu stat --pmu intel-v5 -e topdown-nothing -- spin
is $status 125 "an event that the PMU has not: status"

barepmu list --pmu none
is $status 0 "no PMU: status"
has "$scratch/stdout" '^PMU: none' "no PMU: list says so"
has "$scratch/stdout" '^  task-clock ' "no PMU: software events are there"
has "$scratch/stdout" '^0 hardware, 0 cache and' "no PMU: no other events"

barepmu stat --pmu none -- spin
is $status 0 "no PMU: stat runs"
has "$scratch/stderr" '^ +<not supported> +cycles' "no PMU: cycles are not supported"
has "$scratch/stderr" '^ +[0-9,.]+ msec task-clock' "no PMU: task-clock counts"
has "$scratch/stderr" '^ PMU: none' "no PMU: stat says so"

barepmu record --pmu none -o "$scratch/perf.data" -- work 300
is $status 0 "no PMU: record runs"
has "$scratch/stderr" 'sampling cpu-clock instead' "no PMU: record says that it samples cpu-clock"
"$BUILD/apps/report" -i "$scratch/perf.data" >"$scratch/profile"
between "$(awk '$NF == "heavy" { print $1 }' "$scratch/profile")" 50 70 "no PMU: heavy has about 60 %"
finish

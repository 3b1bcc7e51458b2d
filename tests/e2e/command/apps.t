#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The applications are Linux programs: here they run on this host, with stock perf beside them as the reference.
. tests/e2e/lib.sh
apps=$BUILD/apps
data=$scratch/perf.data

# same_columns CSV UNIT: writes the columns that are equal in every run to CSV.columns; without UNIT the unit of the
# rate is left out.
same_columns() {
	grep -v '^#' "$1" | awk -F, -v unit="$2" '{ print NF, $2, $3, $5, unit ? $7 : "" }' >"$1.columns"
}

# plain_numbers: of JSON, each number as N.
plain_numbers() {
	sed 's/[0-9.]\{1,\}/N/g; s/"N"/N/g; s/(null)//'
}

"$apps/stat" -x, -e task-clock,page-faults:u -- true 2>"$scratch/ours"
grep -q task-clock "$scratch/ours" || skip_all "this host does not allow perf events"
command -v perf >/dev/null || skip "perf is not installed: its columns and profiles"
if command -v perf >/dev/null; then
	perf stat -x, -e task-clock,page-faults:u -- true 2>"$scratch/perfs"
	unit=1
	grep -q ',,$' "$scratch/perfs" && unit= # 6.12 has rates only in what it counts by default
	same_columns "$scratch/ours" "$unit"
	same_columns "$scratch/perfs" "$unit"
	sed -i 's/ K\{0,1\}M\{0,1\}\/sec/ per second/' "$scratch/ours.columns" "$scratch/perfs.columns"
	cmp -s "$scratch/ours.columns" "$scratch/perfs.columns"
	ok $? "stat -x: perf's columns"
	"$apps/stat" -j -e page-faults:u -- true 2>"$scratch/ours"
	perf stat -j -e page-faults:u -- true 2>"$scratch/perfs"
	is "$(grep page-faults "$scratch/ours" | plain_numbers)" \
		"$(grep page-faults "$scratch/perfs" | plain_numbers | sed 's/}$/, "class" : "software"}/')" \
		"stat -j: perf's keys, then the class"
fi

"$apps/stat" -e faults -- sh -c 'exit 9' 2>"$scratch/stderr"
is $? 9 "stat: the program's status"
"$apps/stat" -e faults -- sh -c 'kill -TERM $$' 2>"$scratch/stderr"
is $? 143 "stat: killed by a signal"
"$apps/stat" -e faults -- /nonexistent 2>"$scratch/stderr"
is $? 127 "stat: program that is not there"
"$apps/stat" -e faults -- /dev/null 2>"$scratch/stderr"
is $? 126 "stat: program that cannot run"

# Each line: an event as typed, and the message of the refusal.
while IFS='|' read -r event message; do
	"$apps/stat" -e "$event" -- true 2>"$scratch/stderr"
	is "$? $(cat "$scratch/stderr")" "125 stat: $message" "event $event"
done <<'END'
cyclse|unknown event 'cyclse': did you mean 'cycles'?
L1-dcache-lods|unknown event 'L1-dcache-lods': did you mean 'L1-dcache-loads'?
xyzzyxyzzy|unknown event 'xyzzyxyzzy': `list` shows the events that there are
cycles:z|unknown modifier in ':z': they are u k h p P D e I G H S W
cycles:pppp|too many p in ':pppp': three at most
{cycles|not a group: '{cycles' (write {event,event})
{cycles,{faults}}|a group inside a group: '{cycles,{faults}}'
cpu/event=0x1c0/|the value of 'event' is too large
cpu/event=green/|'green' is not a number
cycles,,instructions|an event's name is missing in 'cycles,,instructions': a comma divides two
cycles,|an event's name is missing in 'cycles,': a comma divides two
END

for event in cpu-cycles:uk '{cs,faults}:u' L1-dcache-load-misses r1c0:pp \
	cpu/event=0xc0,umask=0x0,cmask=1/u cpu/instructions/k; do
	"$apps/stat" -e "$event" -- true 2>"$scratch/stderr"
	is $? 0 "event $event is understood"
done

"$apps/record" -e cpu-clock -c 1000000 -g -o "$data" -- "$apps/work" 20000 >"$scratch/stdout" 2>"$scratch/stderr"
is $? 0 "record: status"
"$apps/report" -i "$data" >"$scratch/own"
is "$(awk '/%/ { print $NF; exit }' "$scratch/own")" heavy "report: heavy has the largest share"
if command -v perf >/dev/null; then
	perf report -f -i "$data" --stdio --no-children -g none >"$scratch/profile" 2>/dev/null
	is "$(awk '$NF == "heavy" { print $1 }' "$scratch/own")" "$(awk '$NF == "heavy" { print $1 }' "$scratch/profile")" \
		"report agrees with perf report"
fi
"$apps/record" -e cpu-clock,faults -o "$data" -- "$apps/work" 300 >"$scratch/stdout" 2>"$scratch/stderr"
"$apps/report" -i "$data" >"$scratch/own"
is "$(grep -c "^# Samples: [1-9].* of event '" "$scratch/own")" 2 "two events: a profile each"
if command -v perf >/dev/null; then
	perf report -f -i "$data" --stdio >"$scratch/profile" 2>&1
	is "$(grep -c '^# Samples: [1-9]' "$scratch/profile")" 2 "two events: perf agrees"
fi

head -c 300 "$data" >"$scratch/cut"
"$apps/report" -i "$scratch/cut" 2>"$scratch/stderr"
is "$? $(sed 's/.*: //' "$scratch/stderr")" "125 truncated or damaged" "report: truncated file"
"$apps/report" -i "$apps/work" 2>"$scratch/stderr"
is "$? $(sed 's/.*: //' "$scratch/stderr")" "125 not a perf.data file" "report: another kind of file"
finish

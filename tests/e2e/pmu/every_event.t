#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# No event that is said to be simulated or exact is 0 after work that causes it: each of the vendors' events of each
# processor, by name.
. tests/e2e/lib.sh
ldconfig -p | grep -q libpfm.so.4 || skip_all "libpfm4 is not installed: the vendors' events"
command -v musl-gcc >/dev/null || skip_all "musl-gcc is not installed"
musl-gcc -static -std=gnu11 -O2 -Wall -Wextra -idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu \
	tests/e2e/pmu/every_event.c -o "$scratch/every" || skip_all "musl-gcc fails"
unset BAREPMU_CORE # each processor has a core of its own

# Prints the events of PMU that have a source, except events of the same core in KNOWN. libpfm4 has no list of
# Gracemont's: the emulator's own table has.
cat >"$scratch/choose.py" <<'END'
import json, re, sys

def listed(rows):
    for row in rows:
        if row["kind"] == "event" and row["type"] == "Vendor's event" and \
           row["class"] in ("exact", "simulated", "estimated") and "RESPONSE_1" not in row["name"]: # as RESPONSE_0
            terms = dict(term.split("=") for term in row["encoding"][len("cpu/"):-1].split(","))
            yield row["name"], terms["config"], terms.get("config1", "0")

def from_table(pmu):
    for line in open("docs/tables/events.md"):
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 7 and pmu in cells[3].split(", ") and cells[1] != "OCR_1": # as OCR_0
            select, mask = re.fullmatch("([0-9A-F]+) ([0-9A-F]{2})", cells[2]).groups()
            yield cells[1], "0x" + mask + select, "0x10001" if cells[1] == "OCR_0" else "0"

pmu, known_file = sys.argv[1:]
rows = [json.loads(line) for line in sys.stdin]
core = next(row["core"] for row in rows if row["kind"] == "pmu" and row["name"] == pmu).replace("like ", "")
known = {tuple(line.split()) for line in open(known_file)}
events = list(listed(rows)) or list(from_table(pmu))
new = [event for event in events if (core,) + event[:2] not in known]
with open(known_file, "a") as out:
    for event in new:
        print(core, *event[:2], file=out)
for event in new:
    print(*event)
END
: >"$scratch/known"

# every PMU LOW EXPECTED [OPTION...]: at least LOW events have a count; only the EXPECTED ones are 0.
every() {
	pmu=$1 low=$2 expected=$3
	shift 3
	barepmu list --json --pmu "$pmu"
	python3 "$scratch/choose.py" "$pmu" "$scratch/known" <"$scratch/stdout" >"$scratch/events"
	"$BAREPMU" run -q --pmu "$pmu" "$@" -- "$scratch/every" <"$scratch/events" >"$scratch/counts"
	between "$(grep -cE ' [1-9][0-9]*$' "$scratch/counts")" "$low" 1000 "$pmu: events counted"
	is "$(wc -l <"$scratch/counts")" "$(wc -l <"$scratch/events")" "$pmu: each event that has a source opens"
	is "$(grep -vE ' [1-9][0-9]*$' "$scratch/counts" | tr '\n' ';')" "$expected" "$pmu: what is 0"
}

# Lines that another processor changed need one: --smp 2.
every core-duo 8 ""
# Core 2 fuses a comparison and its jump in 32-bit code only (Intel, Optimization Reference Manual, 3.4.2.2).
every core2 40 "UOPS_RETIRED.MACRO_FUSION 0;"
every nehalem 100 "" --smp 2
every skylake 130 "" --smp 2
every sapphire-rapids 145 "" --smp 2
every gracemont 40 "" --smp 2
# The core in their place counted events of the same name and code above already.
every sandy-bridge 60 "" --smp 2
every haswell 20 "" --smp 2
every ice-lake 30 "" --smp 2
: >"$scratch/known" # its stand-in is golden-cove, whose events are known
# Without --smp 2, as its second processor is an efficient core: no other one changes a line.
every lunar-lake 35 "OCR.DEMAND_DATA_RD_L3_HIT_SNOOP_HITM 0;"
every k10 20 ""
every zen2 35 ""
every zen4 40 ""
finish

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

cat >"$scratch/choose.py" <<'END'
import json, sys
for row in map(json.loads, sys.stdin):
    if row["kind"] == "event" and row["type"] == "Vendor's event" and \
       row["class"] in ("exact", "simulated", "estimated") and "RESPONSE_1" not in row["name"]: # as RESPONSE_0
        terms = dict(term.split("=") for term in row["encoding"][len("cpu/"):-1].split(","))
        print(row["name"], terms["config"], terms.get("config1", "0"))
END

# every PMU LOW EXPECTED [OPTION...]: at least LOW events have a count; only the EXPECTED ones are 0.
every() {
	pmu=$1 low=$2 expected=$3
	shift 3
	barepmu list --json --pmu "$pmu"
	python3 "$scratch/choose.py" <"$scratch/stdout" >"$scratch/events"
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
every skylake 150 "" --smp 2
every sapphire-rapids 150 "" --smp 2
every k10 20 ""
every zen2 35 ""
every zen4 40 ""
finish

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Cores in files: each core's dump is the core again, and wrong keys are named. Regions by the marks of several
# simulators, in programs as they are.
. tests/e2e/lib.sh
unset BAREPMU_CORE
command -v musl-gcc >/dev/null || skip_all "musl-gcc is not installed"
musl-gcc -static -O1 -I. -idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu \
	tests/e2e/experiments/marks.c -o "$scratch/marks" || exit 1
cd "$scratch" || exit 1

barepmu run --core help
cores=$(awk '/^$/ { exit } /^[a-z]/ && $1 != "none" { print $1 }' stdout)
between "$(echo "$cores" | wc -l)" 10 30 "all cores"
for core in $cores; do
	"$BAREPMU" run --core "$core" --dump-core >"$core.conf" &&
		"$BAREPMU" run --core "@$core.conf" --dump-core | cmp - "$core.conf"
done >log 2>&1
is "$(cat log)" "" "the dump of each core is that core"
sed 's/ rob = 224/ rob = 64/; s/latency-imul = 3/latency-imul = 9/' skylake.conf >mine.conf
is "$(diff skylake.conf mine.conf | grep -c '^>')" 2 "two keys of a file are changed"
barepmu run --core @mine.conf --stats mine.json -- ./marks
has mine.json '"core": "skylake,rob=64,latency-imul=9"' "the core has both changes"

# refused TEXT REGEXP NAME
refused() {
	printf '%s\n' "$1" >wrong.conf
	barepmu run --core @wrong.conf -- ./marks
	is "$status $(wc -l <stderr)" "125 1" "$3: one line, status 125"
	has stderr "$2" "$3: says so"
}
refused 'base = "skylake"; memory: { robb = 3; };' \
	"wrong.conf:1: unknown key 'robb': did you mean 'rob'" "an unknown key"
refused 'base = "skylake"; pipeline: { rob = 3; };' \
	"wrong.conf:1: rob = 3: takes a number from 16 to 1024" "a wrong value"
refused 'base = "skylaek";' "base 'skylaek' is no core" "an unknown base"
refused 'rob = 64;' "wrong.conf: no base" "no base"
refused 'base = "skylake" rob {' "wrong.conf:[12]: " "no configuration"

for whose in sniper gem5 barepmu; do
	barepmu run --core skylake --roi marks --stats "$whose.txt" -- ./marks $whose
	is "$status $(cat stdout)" "0 done" "$whose's marks: the program runs"
	between "$(awk '$2 == "processors.0.user.instructions" { print $1 }' $whose.txt)" 1000000 1000200 \
		"$whose's marks: the region between them"
done
barepmu run -- ./marks gem5
is $status 132 "gem5's instructions are undefined without --roi marks, as on a processor"
finish

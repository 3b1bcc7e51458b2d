#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Experiments: statistics of a run and of a region, comparison, traces read by an independent reader, a sweep that is
# continued after it was stopped.
. tests/e2e/lib.sh
unset BAREPMU_CORE
command -v python3 >/dev/null || skip_all "python3 is not installed"
command -v xz >/dev/null || skip_all "xz is not installed"
command -v musl-gcc >/dev/null || skip_all "musl-gcc is not installed"
root=$PWD
reader=$PWD/tests/e2e/experiments/champsim.py
musl-gcc -static -O1 -g tests/e2e/experiments/program.c -o "$scratch/program" || exit 1
cd "$scratch" || exit 1

# value FILE PATH: a number of a .txt file.
value() {
	awk -v name="$2" '$2 == name { print $1 }' "$1"
}

barepmu run --stats all.json --interval 200K -- ./program
is "$status $(cat stdout)" "0 done" "--stats: the program runs as without"
barepmu run --stats all.txt -- ./program
barepmu stat -e instructions:u,branches:u -x, -- ./program
is "$(value all.txt processors.0.user.instructions)" "$(awk -F, '$3 == "instructions:u" { print $1 }' stderr)" \
	"instructions are those of stat"
is "$(value all.txt processors.0.user.branches)" "$(awk -F, '$3 == "branches:u" { print $1 }' stderr)" "branches, too"
python3 - all.json >facts <<'X'
import json, sys
s = json.load(open(sys.argv[1]))
user = s["processors"][0]["user"]
print("intervals", sum(i["instructions"] for i in s["intervals"]) <= user["instructions"] * 2, len(s["intervals"]) > 3)
worst = s["processors"][0]["branches"]
order = sorted(worst, key=lambda b: -b["mispredicted"])
print("worst", worst[0]["name"].split("+")[0], worst == order, len(worst) <= 50)
print("sets", len(s["processors"][0]["fills"]["l1d"]), len(s["processors"][0]["fills"]["l3"]))
print("ratio", round(s["ratios"]["ipc"], 6) == round(sum(p[r]["instructions"] for p in s["processors"]
	for r in ("user", "kernel")) / sum(p[r]["cycles"] for p in s["processors"] for r in ("user", "kernel")), 6))
X
has facts '^intervals True True$' "intervals"
has facts '^worst chance True True$' "the worst branch is that of the function with random ones"
has facts '^sets 64 8192$' "fills by set"
has facts '^ratio True$' "ratios are of both rings"

barepmu run --stats part.txt --skip 100K --warm-up 50K --measure 200K -- ./program
between "$(value part.txt processors.0.user.instructions)" 199900 200100 "--measure"
cp part.txt before.txt
barepmu run --stats part.txt --skip 100K --warm-up 50K --measure 200K -- ./program
is "$(cat part.txt)" "$(cat before.txt)" "a region repeats"
barepmu run --stats roi.txt --roi chance -- ./program
between "$(value roi.txt processors.0.user.instructions)" 600000 1500000 "--roi FUNCTION"
barepmu run --stats roi.txt --roi chanec -- ./program
is $status 125 "--roi: an unknown function"
has stderr "did you mean 'chance'" "the nearest function"
barepmu run --stats x.yaml -- ./program
has stderr "does not end with .json, .csv or .txt" "--stats: an unknown format"
barepmu run --share "$scratch:rw" --trace shared.xz -- ./program
has stderr "is in a directory that the machine can write" "--trace: no link of an earlier machine is followed"
barepmu run --skip 5 -- ./program
has stderr "want --stats, --trace or --bbv" "a region of nothing"

between "$(value all.txt ratios.mlp)" 1 12 "misses in flight: one to all fill buffers"
between "$(value all.txt ratios.rob-occupancy | cut -d. -f1)" 10 224 "the reorder buffer's entries in use"

barepmu run --core skylake,dram-channels=2 --stats dram.txt --reuse -- ./program
between "$(value dram.txt processors.0.dram.reads)" 100 1000000 "memory's transfers"
is "$(($(value dram.txt processors.0.dram.row-hits) + $(value dram.txt processors.0.dram.rows-opened) +
	$(value dram.txt processors.0.dram.row-conflicts)))" \
	"$(($(value dram.txt processors.0.dram.reads) + $(value dram.txt processors.0.dram.writes)))" \
	"each finds a row open, none, or another"
between "$(awk '$2 ~ /^reuse/ { n += $1 } END { print n }' dram.txt)" \
	"$(awk '$2 ~ /user.l1d-(loads|stores)$/ { n += $1 } END { print int(n * .99) }' dram.txt)" \
	"$(awk '$2 ~ /user.l1d-(loads|stores)$/ { n += $1 } END { print int(n * 1.01) }' dram.txt)" \
	"--reuse: a distance for each access"

# All intervals, of equal weights, are the whole.
barepmu run --stats whole.txt --measure 2M -- ./program
seq 0 9 | awk '{ print $1, $1 }' >points
awk -v n="$(wc -l <points)" '{ printf "%.6f %d\n", 1 / n, $2 }' points >weights
barepmu run --stats points.txt --simpoints points:200K --weights weights -- ./program
between "$(value points.txt ratios.ipc)" "$(value whole.txt ratios.ipc | awk '{ print $1 * .999 }')" \
	"$(value whole.txt ratios.ipc | awk '{ print $1 * 1.001 }')" "SimPoint's intervals: all are the whole"
printf '1 0\n5 1\n' >points && printf '0.25 0\n0.75 1\n' >weights
barepmu run --stats points.txt --simpoints points:200K --weights weights --warm-up 100K -- ./program
is "$(awk '$2 ~ /^points.*user.instructions$/ && $1 > 199900 && $1 < 200100' points.txt | wc -l)" 2 "two intervals"
is "$(awk '$2 ~ /^points..\.processors.0.(user|kernel).(mispredicted|instructions)$/ {
		v[substr($2, 8, 1) ($2 ~ /inst/)] += $1 }
	END { printf "%.6f", 1000 * (v["00"] + 3 * v["10"]) / (v["01"] + 3 * v["11"]) }' points.txt)" \
	"$(value points.txt ratios.branch-mpki)" "ratios are weighted"
printf '0.25 0\n0.5 1\n' >weights
barepmu run --stats points.txt --simpoints points:200K --weights weights -- ./program
has stderr "'weights': the points' weights are 0.75 in all, not 1" "weights that are no whole"

barepmu run --core skylake,predictor=gshare --stats other.json -- ./program
barepmu compare --plot bars.svg all.json other.json
has stdout '^ipc +[0-9.]+ +[0-9.]+ +[0-9.]+$' "compare"
has bars.svg '>A: all.json, B: other.json</text>' "a plot of it says what A and B are"
mkdir one two
cp all.json one/x.json && cp all.json one/y.json && cp other.json two/x.json && cp all.json two/y.json
barepmu compare one two
has stdout '^geometric mean +0\.[0-9]+$' "compare of directories: the geometric mean"
is "$(awk '$1 == "y" { print $4 }' stdout)" 1.0000 "equal runs: a speed-up of 1"

barepmu run --trace trace.xz -- ./program
xz -dc trace.xz | python3 "$reader" >traced
awk '{ v[$1] = $2 } END { print v["conditional"], v["call"], v["return"], v["jump"], v["indirect"] + 0,
	v["indirect-call"] + 0, v["other"] + 0 }' traced >got
for name in conditional calls returns jumps jumps-indirect calls-indirect; do
	value all.txt "processors.0.user.$name"
done | tr '\n' ' ' >want
is "$(cat got)" "$(cat want)0" "a ChampSim trace, read independently: branches of each kind"
between "$(awk '$1 == "instructions" { print $2 }' traced)" \
	$(($(value all.txt processors.0.user.instructions) - 100)) "$(value all.txt processors.0.user.instructions)" \
	"a ChampSim trace, read independently: instructions"
between "$(awk '$1 == "lost" { print $2 }' traced)" 0 100 "one instruction leads to the next"
barepmu simulate trace.xz --stats simulated.json
is $status 0 "simulate"
has stdout "^ +$(awk '$1 == "conditional" { print $2 }' traced)  conditional$" "simulate counts the trace's branches"
barepmu run --trace trace.branches.gz --trace-format branches -- ./program
barepmu simulate trace.branches.gz
has stdout "^ +$(awk '$1 == "conditional" { print $2 }' traced)  conditional$" "a branch trace has the same ones"
barepmu run --trace trace.bt9.gz --trace-format bt9 -- ./program
gzip -dc trace.bt9.gz | awk '
	$1 == "NODE" { kind[$2] = $8 }
	$1 == "EDGE" { from[$2] = $3; before[$2] = $8 }
	/^[0-9]+$/ { nr[kind[from[$1]]]++; sum += before[$1] + (from[$1] > 0) }
	END { print sum, nr["JMP+DIR+CND"], nr["CALL+DIR+UCD"], nr["RET+IND+UCD"], nr["JMP+DIR+UCD"] }' >got
total=$(gzip -dc trace.bt9.gz | awk '$1 == "total_instruction_count:" { print $2 }')
is "$(cat got)" "$total $(for name in conditional calls returns jumps; do
	value all.txt "processors.0.user.$name"
done | xargs)" \
	"a BT9 trace, read independently: instructions, and branches of each kind"
barepmu simulate trace.bt9.gz
has stdout "^ +$(awk '$1 == "conditional" { print $2 }' traced)  conditional$" "simulate reads a BT9 trace"
has stdout "^ +$(cut -d' ' -f1 got)  instructions$" "simulate: its instructions without branches count"
barepmu run --bbv vectors:100K -- ./program
is "$(grep -vcE '^T(:[0-9]+:[0-9]+ )+$' vectors)" 0 "basic-block vectors: SimPoint's form"

product='skylake,predictor={tage,gshare},l2={256K/4,1M/16}'
barepmu sweep -j 2 --core "$product" --csv sweep.csv --plot sweep.svg -- ./program
is "$status $(wc -l <sweep.csv)" "0 5" "sweep: the product"
rm "sweep/$(ls sweep | head -1)"
touch stamp
barepmu sweep -j 2 --core "$product" --csv again.csv -- ./program
is "$(cat again.csv)" "$(cat sweep.csv)" "sweep: continued, with the same results"
is "$(find sweep -name '*.json' -newer stamp | wc -l)" 1 "only the missing run is repeated"
if command -v parallel >/dev/null; then
	rm -r sweep
	PATH=$(dirname "$BAREPMU"):$PATH sh "$root/packaging/contrib/sweep/parallel.sh" 1/:,1/: 2 --core "$product" \
		--csv parallel.csv -- ./program >log 2>&1
	is "$(cat parallel.csv)" "$(cat sweep.csv)" "GNU parallel: two workers' parts are the same table"
else
	skip "GNU parallel is not installed: a sweep by two workers"
fi
finish

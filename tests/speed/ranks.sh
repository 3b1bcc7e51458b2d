#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Prints how the components that come with the simulator rank on programs: the six of tests/speed, and twelve of
# Debian. Mispredictions of conditional branches; misses of a last level of 512 KiB, which each program
# exceeds in a short run, relative to LRU's; loads that miss L2, relative to those without prefetchers.
# usage: tests/speed/ranks.sh BUILD-DIRECTORY [PROGRAM...]; MEASURE=N: instructions to measure (default 30M)
set -eu
cd "$(dirname "$0")/../.."
barepmu=$(realpath "$1/barepmu")
build=$(realpath "$1")
shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat docs/*.md emulator/*/*/*.c kernel/*/*.c | head -c 2500000 >"$dir/text"
cat >"$dir/words.pl" <<'P'
while (<>) { $n{lc $_}++ for /\w+/g } print "$_ $n{$_}\n" for (sort { $n{$b} <=> $n{$a} || $a cmp $b } keys %n)[0 .. 9];
P
cat >"$dir/words.awk" <<'A'
{ for (i = 1; i <= NF; i++) n[$i]++ } END { for (w in n) if (n[w] > m) { m = n[w]; b = w } print m, b }
A
cat >"$dir/trees.lua" <<'L'
local function tree(d) if d == 0 then return {} end return {tree(d - 1), tree(d - 1)} end
local function check(t) if t[1] then return 1 + check(t[1]) + check(t[2]) end return 1 end
for i = 1, 20 do io.write(check(tree(12)), "\n") end
L
cat >"$dir/queens.py" <<'Q'
def place(n, row, columns, left, right):
    if row == n:
        return 1
    return sum(place(n, row + 1, columns | {c}, left | {row + c}, right | {row - c}) for c in range(n)
               if c not in columns and row + c not in left and row - c not in right)
print(place(7, 0, frozenset(), frozenset(), frozenset()))
Q
rows="with recursive c(x) as (select 1 union all select x + 1 from c where x < 60000)"
cat >"$dir/query" <<S
create table t(a integer, b text);
$rows insert into t select x * 7919 % 20011, hex(x * x) from c;
create index i on t(b);
select count(*), max(b) from t where a % 3 = 0;
select count(*) from t a join t b on a.a = b.rowid where b.b like '3%';
S

# command PROGRAM: its command line, a word a line; nothing if it is not installed.
command_of() {
	case $1 in
	bzip2) echo bzip2 -c text ;;
	gawk) echo gawk -f words.awk text ;;
	grep) echo grep -c -E '(memory|cache).*(line|page)' text ;;
	gzip) echo gzip -9 -c text ;;
	lua) echo lua5.4 trees.lua ;;
	objdump) echo objdump -d /bin/bash ;;
	perl) echo perl words.pl text ;;
	python) echo python3 queens.py ;;
	sort) echo sort text ;;
	sqlite) echo sqlite3 -init query :memory: .quit ;;
	xz) echo xz -c text ;;
	zstd) echo zstd -q -10 -c text ;;
	*) echo "$build/tests/speed/$1" ;;
	esac
}

# counts CORE NAME...: for each name the sum of the values of that name in the statistics of a run of $command.
counts() {
	core=$1
	shift
	# shellcheck disable=SC2086 # words of a command
	(cd "$dir" && "$barepmu" run --core "skylake,$core" --stats x.txt --skip 5M --measure "${MEASURE:-30M}" \
		-- $command >said 2>&1) || { cat "$dir/said" >&2; exit 1; }
	for name; do
		awk -v name="^processors.0.$name" '$2 ~ name { n += $1 } END { printf "%.0f ", n }' "$dir/x.txt"
	done
}

last=detail=functional,prefetch=off,l3=512K/16,l3-inclusion=non-inclusive
branches='user.mispredicted-conditional$ user.conditional$ fills.l3'

# row PROGRAM: its numbers, of runs whose predictor and policy do not touch each other. opt's first run is LRU.
row() {
	command=$(command_of "$1")
	command -v "${command%% *}" >/dev/null || { echo "$1 is not installed" >&2; return 0; }
	# shellcheck disable=SC2046,SC2086 # numbers and patterns, word by word
	echo "$1" $(counts $last,predictor=bimodal,l3-policy=opt:run=1 $branches
		counts $last,predictor=gshare,l3-policy=opt:run=2 $branches
		counts $last,predictor=perceptron,l3-policy=drrip $branches
		counts $last,predictor=tage,l3-policy=ship $branches
		counts $last,predictor=tage_sc_l,l3-policy=hawkeye $branches
		for ahead in off off,l1d-prefetch=stride off,l2-prefetch=best_offset; do
			counts detail=functional,prefetch=$ahead 'user.l2-load-misses$'
		done)
}

[ $# -gt 0 ] || set -- btree bzip2 fft gawk grep gzip hashing interpreter json lua objdump perl python sort sparse \
	sqlite xz zstd
echo "mispredicted conditional branches, %; misses of L3, and of them by LRU; loads that miss L2, and of them without"
echo "program      bimodal gshare percep.   tage tage-sc    misses    opt  drrip   ship hawkeye        L2 stride offset"
for program; do
	row "$program"
done | awk '
	function share(a, b) { return b ? a / b : 1 }
	{
		printf "%-12s", $1
		for (i = 2; i <= 14; i += 3) printf " %6.3f%%", 100 * share($i, $(i + 1))
		printf " %9d", $4
		for (i = 7; i <= 16; i += 3) printf " %6.3f", share($i, $4)
		printf "  %10d %6.3f %6.3f\n", $17, share($18, $17), share($19, $17)
		fflush()
		both += $11 / $12 <= $5 / $6 && $5 / $6 < $2 / $3
		drrip += $10 < $4; ship += $13 < $4; hawkeye += $16 < $4
		beaten += $10 < $7 || $13 < $7 || $16 < $7 || $4 < $7
		stride += $18 < $17; offset += $19 < $17
	}
	END {
		printf "of %d programs: tage <= gshare < bimodal in %d; below LRU: drrip in %d, ship in %d, hawkeye in %d; ",
			NR, both, drrip, ship, hawkeye
		printf "below opt: %d; fewer misses: stride in %d, best_offset in %d\n", beaten, stride, offset
	}'

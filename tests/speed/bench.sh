#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Prints the processor time, user and system, that whole runs of the programs in tests/speed take: the least of several
# interleaved runs, and as a second table their ratio to a run without a core, with the median over the programs.
# usage: tests/speed/bench.sh BUILD-DIRECTORY [PROGRAM...]; ROUNDS=N runs each N times (default 5)
set -eu
cd "$(dirname "$0")/../.."
build=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- $(ls tests/speed/programs/*.c | sed 's|.*/||; s|\.c$||')
events=cycles:u,instructions:u,branch-misses:u,L1-dcache-load-misses:u
functional=instructions:u,branches:u,L1-dcache-load-misses:u
columns='none run stat-none functional stat record cachegrind callgrind'
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# way COLUMN PROGRAM: runs the program that way.
way() {
	case $1 in
	none) "$build/barepmu" run --core none -- "$2" ;;
	run) "$build/barepmu" run -- "$2" ;;
	stat-none) "$build/barepmu" stat --core none -e "$events" -- "$2" ;;
	functional) "$build/barepmu" stat -e "$functional" -- "$2" ;;
	stat) "$build/barepmu" stat -e "$events" -- "$2" ;;
	record) "$build/barepmu" record -o "$dir/data" -e cycles:u -c 1000000 -- "$2" ;;
	cachegrind) valgrind --tool=cachegrind --cache-sim=yes --branch-sim=yes --cachegrind-out-file="$dir/out" "$2" ;;
	callgrind) valgrind --tool=callgrind --cache-sim=yes --branch-sim=yes --callgrind-out-file="$dir/out" "$2" ;;
	esac >"$dir/said" 2>&1 || { cat "$dir/said" >&2; exit 1; }
}

# seconds COLUMN PROGRAM: a line of seconds, user and system.
seconds() {
	(
		way "$@"
		times
	) | tail -1 | awk '{ for (i = 1; i <= 2; i++) { split($i, t, "[ms]"); sum += t[1] * 60 + t[2] } print sum }'
}

for round in $(seq "${ROUNDS:-5}"); do
	for program; do
		for column in $columns; do
			echo "$program $column $(seconds "$column" "$build/tests/speed/$program")"
		done
	done
done >"$dir/times"

echo "$(uname -n), $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1): CPU seconds, least of ${ROUNDS:-5}"
awk -v columns="$columns" '
	function median(list, n, i, j, kept) {
		for (i = 2; i <= n; i++)
			for (j = i; j > 1 && list[j] < list[j - 1]; j--) {
				kept = list[j]; list[j] = list[j - 1]; list[j - 1] = kept
			}
		return (list[int((n + 1) / 2)] + list[int(n / 2) + 1]) / 2
	}
	{
		if (!($1 in seen)) { seen[$1]; names[++programs] = $1 }
		if (!(($1, $2) in least) || $3 < least[$1, $2]) least[$1, $2] = $3
	}
	function head(title, c) {
		printf "%-12s", title
		for (c = 1; c <= nr; c++) printf " %10s", column[c]
		print ""
	}
	END {
		nr = split(columns, column)
		head("seconds")
		for (p = 1; p <= programs; p++) {
			printf "%-12s", names[p]
			for (c = 1; c <= nr; c++) printf " %10.3f", least[names[p], column[c]]
			print ""
		}
		head("ratio")
		for (p = 1; p <= programs; p++) {
			printf "%-12s", names[p]
			for (c = 1; c <= nr; c++) {
				ratio = least[names[p], column[c]] / least[names[p], "none"]
				ratios[c, p] = ratio
				printf " %10.2f", ratio
			}
			print ""
		}
		printf "%-12s", "median"
		for (c = 1; c <= nr; c++) {
			for (p = 1; p <= programs; p++) list[p] = ratios[c, p]
			printf " %10.2f", median(list, programs)
		}
		print ""
	}' "$dir/times"

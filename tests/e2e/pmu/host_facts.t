#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Counts do not depend on the host: machines that differ only in what hosts differ in (environment, user, working
# directory, size and order of the image's files, memory) count the same costs, and the same instructions and
# branches. A simulated core's caches and predictors also depend on physical addresses and on what ran before.
. tests/e2e/lib.sh
BAREPMU=$(readlink -f "$BAREPMU")
BUILD=$(readlink -f "$BUILD")

mkdir -p "$scratch/a directory with a longer name" "$scratch/d"
head -c 100000 README.md >"$scratch/large"
echo small >"$scratch/small"

# comparable: what must be equal. A ring's pages are split off and merged as the free memory's shape wants; a table has
# a date, and the clock's time of all that ran.
comparable() {
	sed -e '/mmap and munmap of a ring/d' -e '/^# started/d' -e 's/^\([0-9]*,,[^,]*\),.*/\1/'
}

# machine N COMMAND OPTION... -- PROGRAM: runs it on host N of three; the result is in $scratch/N.
machine() {
	n=$1
	word=$2
	shift 2
	(
		case $n in
		1) cd "$scratch/d" ;;
		2)
			cd "$scratch/a directory with a longer name"
			export USER=somebody HOME=/nonexistent PADDING=xxxxxxxxxxxxxxxxxxxxxxxxxxxx
			set -- --memory 384 --add "$scratch/large:/x/1" --add "$scratch/small:/x/2" "$@"
			;;
		3)
			cd /
			export USER=r PADDING=xxxxx
			set -- --memory 640 --add "$scratch/small:/y/longer/1" --add "$scratch/large:/x/1" "$@"
			;;
		esac
		timeout -k 5 300 "$BAREPMU" "$word" "$@" 2>"$scratch/stderr" | comparable >"$scratch/$n"
	)
}

# equal NAME COMMAND OPTION... -- PROGRAM
equal() {
	name=$1
	shift
	for host in 1 2 3; do
		machine $host "$@"
	done
	[ -s "$scratch/1" ] && cmp "$scratch/1" "$scratch/2" >&2 && cmp "$scratch/1" "$scratch/3" >&2 && good=0 || good=1
	ok $good "$name"
	[ $good = 0 ] || diff "$scratch/1" "$scratch/2" | sed 's/^/# /' >&2
}

for pmu in intel-v4 amd-v2; do
	equal "costs on three hosts: $pmu" run --pmu $pmu -- "$BUILD/tests/guest/perf_cost-musl"
done
unset BAREPMU_CORE
equal "instructions and branches beside a simulated core on three hosts" stat --ignore-environment -x, -o /dev/stdout \
	-e instructions:u,branches:u -- "$BUILD/apps/kinds"
finish

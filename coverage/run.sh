#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the guest programs, in the machines of tests/run.sh, and the host tests reach of the kernel: a table by folder,
# and pages in BUILD/coverage/html. What stepping, failing steps and end-to-end tests reach besides is not counted.
# usage: coverage/run.sh BUILD-FOLDER
set -eu
cd "$(dirname "$0")/.."
BUILD=$PWD/$1
dir=$BUILD/coverage
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
command -v lcov >/dev/null || { echo "coverage/run.sh: install lcov" >&2; exit 1; }
export BAREPMU_KERNEL="$dir/kernel.elf"
find "$dir" "$BUILD/host/cov" -name '*.gcda' -delete

# collect: adds the counters that a machine has sent to those of the machines before it.
collect() {
	if [ -d "$scratch/sum" ]; then
		gcov-tool merge "$scratch/sum" "$scratch/out/coverage" -o "$scratch/new" 2>/dev/null
		rm -rf "$scratch/sum"
		mv "$scratch/new" "$scratch/sum"
	else
		mv "$scratch/out/coverage" "$scratch/sum"
	fi
	rm -rf "$scratch/out"
}

# machine OPTION... -- PROGRAM...: one boot for all programs, paths below build/tests. Bounds of costs do not hold here:
# results are not looked at.
machine() {
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	paths=
	for program; do
		options="$options --add $BUILD/tests/$program:/t/$program"
		paths="$paths /t/$program"
	done
	# shellcheck disable=SC2086 # words
	(
		cd "$scratch"
		"$BUILD/barepmu" run --timeout 600 $options -- "$BUILD/tests/oracle/each" $paths >/dev/null 2>&1
	) || true
	[ -d "$scratch/out/coverage" ] || { echo "coverage/run.sh: no counters of a machine with$options" >&2; exit 1; }
	collect
}

# guests NAME...: their paths.
guests() {
	printf 'guest/%s-musl\n' "$@"
}

# shellcheck disable=SC2046 # words
programs=$(guests $(find tests/guest -name '*.c' -exec basename -s .c '{}' + | sort | grep -vxE 'sort|growth|.*_cost'))
counting=$(echo "$programs" | grep -E '/(perf|rdpmc|storm)')
oracle=$(find tests/oracle -name '*.c' -exec basename -s .c '{}' + | sort | grep -vxE 'init|each' | sed 's|^|oracle/|')
for pmu in $("$BUILD/barepmu" run --pmu help | awk '$1 != "host" { print $1 }'); do
	[ "$pmu" = intel-v4 ] && which=$programs || which=$counting
	# shellcheck disable=SC2086
	machine --pmu "$pmu" -- $which $oracle fuzz/events fuzz/state fuzz/registers
done
# shellcheck disable=SC2046,SC2086
machine --pmu none --smp 4 -- $counting $oracle $(guests smp smp_memory threads signals process)
machine --pmu intel-v4 --smp 4 -- guest/perf_smp-musl guest/storm-musl fuzz/events
machine --pmu intel-hybrid --smp 4 -- guest/perf_hybrid-musl
for quirk in skid:7 late-nmi:3000,mask-never hold-for-read:2 foreign-nmi:1000 running transactions swallow; do
	export BAREPMU_VISOR="quirk=$quirk"
	for pmu in intel-v4 intel-v1 intel-v5 amd-core amd-v2; do
		machine --pmu $pmu -- guest/perf_awkward-musl oracle/transactions
	done
done
unset BAREPMU_VISOR
(cd "$scratch/sum" && find . -name '*.gcda' | cpio --quiet -pdmu "$dir")

for test in "$BUILD"/host/cov/test_*; do
	[ ! -x "$test" ] || "$test" >/dev/null 2>&1 || echo "not ok: $test"
done

quiet="--quiet --rc lcov_branch_coverage=1"
# capture FOLDER FILE
capture() {
	# shellcheck disable=SC2086 # words
	lcov $quiet --base-directory "$PWD" --directory "$1" --capture --output-file "$2" 2>/dev/null
}
capture "$dir" "$scratch/image.info"
capture "$BUILD/host/cov" "$scratch/host.info"
# shellcheck disable=SC2086 # words
lcov $quiet -a "$scratch/image.info" -a "$scratch/host.info" -o "$scratch/both.info"
# shellcheck disable=SC2086
lcov $quiet --extract "$scratch/both.info" "$PWD/pmu/*" "$PWD/ringbuf/*" "$PWD/api/*" "$PWD/kernel/*" "$PWD/arch/*" \
	-o "$dir/coverage.info"
genhtml --quiet --branch-coverage --prefix "$PWD" -o "$dir/html" "$dir/coverage.info"
awk -v top="$PWD/" -f coverage/table.awk "$dir/coverage.info" | sort

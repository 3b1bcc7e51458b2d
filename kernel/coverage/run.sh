#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Measures how much of the kernel the guest programs (in the machines of tests/run.sh) and the host tests execute: a
# table by directory, and pages in BUILD/coverage/html. Stepping, fault-injection and end-to-end tests are not counted.
# usage: kernel/coverage/run.sh BUILD-DIRECTORY
set -eu
cd "$(dirname "$0")/.."
BUILD=$PWD/$1
dir=$BUILD/coverage
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
command -v lcov >/dev/null || { echo "kernel/coverage/run.sh: install lcov" >&2; exit 1; }
export BAREPMU_KERNEL="$dir/kernel.elf"
# A simulated core multiplies the time, and no code of the kernel asks for one.
export BAREPMU_CORE=none
begin=$(date +%s)
find "$dir" "$BUILD/host/cov" -name '*.gcda' -delete

files=

# collect: adds the counters that a machine has sent to the sum of the earlier machines.
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
	machine=$options
	paths=
	for program; do
		options="$options --add $BUILD/tests/$program:/t/$program"
		paths="$paths /t/$program"
	done
	# shellcheck disable=SC2086 # words
	(
		cd "$scratch"
		"$BUILD/barepmu" run --timeout 300 $options -- "$BUILD/tests/oracle/each" $paths >/dev/null 2>&1
	) || true
	sent=$(find "$scratch/out/coverage" -name '*.gcda' 2>/dev/null | wc -l)
	files=${files:-$sent} # every machine, including the first, must send all files
	[ "$sent" -gt 0 ] && [ "$sent" = "$files" ] || {
		echo "kernel/coverage/run.sh: not all counters of the machine $machine" >&2
		exit 1
	}
	echo "kernel/coverage/run.sh: $(($(date +%s) - begin)) s, $machine${BAREPMU_VISOR:+ $BAREPMU_VISOR}: $# programs" >&2
	collect
}

# guests NAME...: their paths.
guests() {
	printf 'guest/%s-musl\n' "$@"
}

# shellcheck disable=SC2046 # words
programs=$(guests $(find tests/guest -name '*.c' -exec basename -s .c '{}' + | sort | grep -vxE 'sort|growth|.*_cost'))
counting=$(echo "$programs" | grep -E '/(perf|rdpmc|storm)')
oracle=$(find tests/oracle -name '*.c' -exec basename -s .c '{}' + | sort | grep -vxE 'init|each|place' |
	sed 's|^|oracle/|')
for pmu in $("$BUILD/barepmu" run --pmu help | awk 'NR > 1 && $1 != "host" { print $1 }'); do
	case $pmu in
	skylake) which="$programs fuzz/events fuzz/registers" ;;
	zen4) which="$counting fuzz/events fuzz/registers" ;;
	*) which=$counting ;;
	esac
	# shellcheck disable=SC2086
	machine --pmu "$pmu" -- $which $oracle
done
# shellcheck disable=SC2046,SC2086
machine --pmu none --smp 4 -- $counting $oracle $(guests smp smp_memory threads signals process)
machine --pmu intel-v4 --smp 4 -- guest/perf_smp-musl guest/storm-musl
machine --pmu intel-hybrid --smp 4 -- guest/perf_hybrid-musl
for quirk in skid:7 late-nmi:3000,mask-never hold-for-read:2 foreign-nmi:1000 running transactions swallow; do
	export BAREPMU_VISOR="quirk=$quirk"
	for pmu in intel-v4 intel-v1 amd-core; do
		machine --pmu $pmu -- guest/perf_awkward-musl oracle/transactions
	done
done
unset BAREPMU_VISOR
(cd "$scratch/sum" && find . -name '*.gcda' | cpio --quiet -pdmu "$dir")

for test in "$BUILD"/host/cov/test_*; do
	[ ! -x "$test" ] || "$test" >/dev/null 2>&1 || echo "not ok: $test"
done

quiet="--quiet --rc lcov_branch_coverage=1"
# capture DIRECTORY FILE
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
awk -v top="$PWD/" -f kernel/coverage/table.awk "$dir/coverage.info" | sort

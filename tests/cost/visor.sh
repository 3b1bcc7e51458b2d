#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Measures what the visor costs in processor time of the host: exits a second, steps a second, and a program that counts
# nothing.
# usage: tests/cost/visor.sh BUILD-DIRECTORY
set -eu
cd "$(dirname "$0")/../.."
barepmu=$1/barepmu
# Its share alone, without a simulated core's.
export BAREPMU_CORE=none
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
rate=$scratch/rate
musl-gcc -static -O2 -o "$rate" tests/cost/rate.c

# Seconds of the host's processors for a run: the least of three.
seconds() {
	local TIMEFORMAT='%U %S'
	for _ in 1 2 3; do
		{ time "$barepmu" "$@" >/dev/null 2>&1; } 2>&1
	done | awk '{ t = $1 + $2; if (NR == 1 || t < least) least = t } END { print least }'
}

# per_second NUMBER MORE LESS: so many more things took so much longer.
per_second() {
	awk -v n="$1" -v more="$2" -v less="$3" 'BEGIN { printf "%.0f", n / (more - less) }'
}

few=$(seconds run --pmu intel-v4 -- "$rate" cpuid 1)
many=$(seconds run --pmu intel-v4 -- "$rate" cpuid 100001)
echo "exits a second: $(per_second 100000 "$many" "$few")"

# Four instructions each.
few=$(seconds stat --exact -e instructions:u -- "$rate" loop 1)
many=$(seconds stat --exact -e instructions:u -- "$rate" loop 40001)
echo "steps a second: $(per_second 160000 "$many" "$few")"

# work_seconds PMU WORK: without the start of the machine.
work_seconds() {
	start=$(seconds run --pmu "$1" -- "$rate" loop 1)
	# shellcheck disable=SC2086 # words
	end=$(seconds run --pmu "$1" -- "$rate" $2)
	awk -v start="$start" -v end="$end" 'BEGIN { printf "%.2f", end - start }'
}

for work in "loop 400000000" "calls 4000000"; do
	echo "$work, nothing counted: $(work_seconds intel-v4 "$work") s, without the visor $(work_seconds none "$work") s"
done

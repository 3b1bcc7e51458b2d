#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Random lives of events for some minutes, each time with other seeds: every PMU, 1, 2 and 4 processors. Says how to
# replay what fails, and ends with the number of rounds.
# usage: tests/fuzz/run.sh BUILD-DIRECTORY [MINUTES [SEED]]
set -eu
cd "$(dirname "$0")/../.."
build=$1
end=$(($(date +%s) + 60 * ${2:-10}))
seed=${3:-$(date +%s)}
out=$(mktemp)
trap 'rm -f "$out"' EXIT
machines=0
failed=0

# machine ROUNDS OPTION...
machine() {
	rounds=$1
	shift
	[ "$(date +%s)" -lt $end ] || return 0
	seed=$((seed + 1000))
	machines=$((machines + 1))
	"$build/barepmu" run --timeout 300 --memory 128 "$@" \
		-- "$build/tests/fuzz/state" $seed "$rounds" >"$out" 2>&1 && return 0
	failed=$((failed + 1))
	echo "not ok - barepmu run --memory 128 $* -- $build/tests/fuzz/state $seed $rounds"
	grep -v '^ok' "$out"
}

while [ "$(date +%s)" -lt $end ]; do
	for pmu in $("$build/barepmu" run --pmu help | awk 'NR > 1 && $1 != "host" { print $1 }'); do
		machine 10 --pmu "$pmu"
	done
	machine 6 --pmu none --smp 2
	machine 4 --pmu none --smp 4
	machine 2 --smp 2
done
echo "$machines machines, $failed failed"
[ $failed = 0 ]

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs guest programs again and again in one machine whose state always changes, and prints the failures of each round,
# and each cost whose range comes near its bound.
# usage: tests/shake.sh BUILD-DIRECTORY "OPTIONS" ROUNDS PROGRAM...
# OPTIONS: of `barepmu run`; SEED in the environment
set -eu
cd "$(dirname "$0")/.."
build=$1
machine=$2
rounds=$3
shift 3
export BAREPMU_CORE="${BAREPMU_CORE:-none}"

options=
paths=
for program; do
	options="$options --add $build/tests/guest/$program-${LIBC:-musl}:/t/$program"
	paths="$paths /t/$program"
done
# shellcheck disable=SC2086 # words
{
	"$build/barepmu" run --timeout 3600 $machine $options -- "$build/tests/debug/shake" "${SEED:-1}" "$rounds" $paths ||
		echo "== the machine ended with status $?"
} | awk '
	/^== status/ { runs++; if ($3) failed[program ": status " $3]++; next }
	/^== the machine/ { print; bad = 1 }
	/^== / { program = $3; next }
	/^not ok/ { sub(/^not ok [0-9]+ - /, ""); failed[program ": " $0]++ }
	/^# / && last ~ /^not ok/ { print program ": " $0 }
	/: [0-9]+ instructions.*at most [0-9]+$/ {
		what = program ": " $0
		sub(/(not )?ok [0-9]+ - /, "", what)
		sub(/: [0-9]+ instructions.*/, "", what)
		match($0, /: [0-9]+ instructions/)
		cost = substr($0, RSTART + 2) + 0
		if (!(what in most) || cost > most[what]) most[what] = cost
		if (!(what in least) || cost < least[what]) least[what] = cost
		bound[what] = $NF
	}
	{ last = $0 }
	END {
		print "# " runs " runs"
		for (what in failed) print "FAILED " failed[what] " times: " what
		for (what in most)
			printf "%s%s: %d to %d of %d\n", (most[what] > 0.95 * bound[what] ? "NEAR " : ""), what, least[what], \
				most[what], bound[what]
		exit bad
	}' | sort

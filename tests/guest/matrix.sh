#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs the guest programs in one machine, one boot for all, and says of each how it ended.
# usage: tests/guest/matrix.sh PMU DOOR PROGRAM...     with BAREPMU and BUILD in the environment, and further options of
# the host command in MATRIX_OPTIONS; LIBC: musl or glibc
set -eu
pmu=$1
door=$2
shift 2
out=$(mktemp)
trap 'rm -f "$out"' EXIT

options=
paths=
for program; do
	options="$options --add $BUILD/tests/guest/$program-${LIBC:-musl}:/t/$program"
	paths="$paths /t/$program"
done
# shellcheck disable=SC2086 # words
"$BAREPMU" run --pmu "$pmu" --firmware "$door" ${MATRIX_OPTIONS:-} $options \
	-- "$BUILD/tests/oracle/each" $paths >"$out" ||
	echo "# the machine ended with status $?"

# One result a program: its own lines when one failed; a reason when all of it was skipped.
echo "1..$#"
n=0
for program; do
	n=$((n + 1))
	sed -n "/^== $program\$/,/^== status/p" "$out" | awk -v cell="$n - $program: $pmu, $door" '
		/^== status/ { status = $3; ended = 1 }
		/^not ok/ { failed = failed "# " $0 "\n" }
		/^1\.\.0 # SKIP/ { sub(/^1\.\.0 /, ""); skip = " " $0 }
		END {
			if (ended && status == 0 && !failed)
				print "ok " cell skip
			else
				printf "not ok %s\n# status %s\n%s", cell, ended ? status : "none: the machine stopped", failed
		}'
done

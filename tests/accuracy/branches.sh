#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Counts each program's conditional branches, and those mispredicted by cachegrind's predictor and by that of skylake,
# and prints a table.
# usage: tests/accuracy/branches.sh BUILD-DIRECTORY [PROGRAM...]
# Exit status 1 when one has more mispredicted than cachegrind.
. "$(dirname "$0")/cachegrind.sh"

theirs() {
	cachegrind "$1" --cache-sim=no --branch-sim=yes | sed -n 's/.*Mispredicts: .*( *\([0-9]*\) cond .*/\1/p'
}

printf '%-15s %12s %12s %12s\n' program conditional cachegrind skylake
failed=0
for program; do
	echo "$program $(counts "$program" skylake r01c4:u,r01c5:u) $(theirs "$program")" | awk '
		NF != 4 { print $1 ": no counts"; exit 1 }
		{ printf "%-15s %12d %12d %12d%s\n", $1, $2, $4, $3, ($3 > $4 ? "  <- more" : ""); exit ($3 > $4) }' || failed=1
done
exit $failed

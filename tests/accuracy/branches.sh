#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Counts each program's conditional branches, and those mispredicted by cachegrind's predictor and by that of skylake,
# and prints a table.
# usage: tests/accuracy/branches.sh BUILD-FOLDER [PROGRAM...]
# Exit status 1 when one has more mispredicted than cachegrind.
set -eu
cd "$(dirname "$0")/../.."
build=$1
shift
command -v valgrind >/dev/null || { echo "branches.sh: valgrind is not installed" >&2; exit 125; }
[ $# -gt 0 ] || set -- $(ls tests/accuracy/programs/*.c | sed 's|.*/||; s|\.c$||' | grep -v strings)

theirs() {
	valgrind --vex-guest-chase=no --tool=cachegrind --cache-sim=no --branch-sim=yes --cachegrind-out-file=/dev/null \
		"$build/tests/accuracy/$1" 2>&1 >/dev/null | tr -d ',' | sed -n 's/.*Mispredicts: .*( *\([0-9]*\) cond .*/\1/p'
}

ours() {
	"$build/barepmu" stat -x, --core skylake -e r01c4:u,r01c5:u -- "$build/tests/accuracy/$1" 2>&1 >/dev/null |
		grep -v '^#' | cut -d, -f1 | tr '\n' ' '
}

printf '%-15s %12s %12s %12s\n' program conditional cachegrind skylake
failed=0
for program; do
	echo "$program $(ours "$program") $(theirs "$program")" | awk '
		NF != 4 { print $1 ": no counts"; exit 1 }
		{ printf "%-15s %12d %12d %12d%s\n", $1, $2, $4, $3, ($3 > $4 ? "  <- more" : ""); exit ($3 > $4) }' || failed=1
done
exit $failed

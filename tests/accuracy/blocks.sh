#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Compares cycles an iteration of blocks of instructions with llvm-mca's, blocks cut out of installed programs among
# them.
# usage: blocks.sh BUILD CORE MCPU OURS MCAS: prints the blocks that differ by more than 15%, and how many do not, once
# with our figures of the core and once with llvm-mca's (tests/accuracy/mca.c); fails when these are less than OURS and
# MCAS percent
set -eu

build=$1 core=$2 mcpu=$3 ours=$4 mcas=$5
mca=llvm-mca-19 # the first with correct loads of Zen 2
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$here/gather.sh" "$build" "$work/blocks"
"$here/mca.sh" "$mca" "$mcpu" "$work/blocks.s" >"$work/mca"

compare() { # HOW WHOSE SHARE
	"$build/tests/accuracy/blocks" "$core" "$1" "$work/blocks.o" | sort | join - "$work/mca" |
		awk '$3 > 0 { printf "%-20s %8.2f %8.2f %+7.0f%%\n", $1, $2, $3, ($2 - $3) / $3 * 100 }' |
		sort -k4 -g >"$work/table"
	echo "block, cycles of $core, of $mca -mcpu=$mcpu, difference; those over 15%:"
	awk -v core="$core" -v whose="$2" -v share="$3" '
	{ error = $4 + 0; within += error <= 15 && error >= -15 }
	error > 15 || error < -15
	END {
		printf "%s with %s figures: %d of %d blocks are within 15%% (%.0f%%, no less than %d%%)\n", core, whose, within,
			NR, NR ? within / NR * 100 : 0, share
		exit !NR || within < NR * share / 100
	}' "$work/table"
}
compare --as-mca our "$ours"
compare --mca-figures "llvm-mca's" "$mcas"

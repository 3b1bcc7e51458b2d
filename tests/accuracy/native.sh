#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Compares cycles of blocks of instructions with this machine's processor: the median of nine measurements.
# usage: native.sh BUILD CORE MCPU: prints the blocks in which the core differs by more than 15%, and the number of
# others, for the core and for llvm-mca
set -eu

build=$1 core=$2 mcpu=$3
mca=llvm-mca-19
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$here/gather.sh" "$build" "$work/blocks"
"$build/tests/accuracy/native" "$work/blocks.o" >/dev/null # the processor wakes up
for n in 1 2 3 4 5 6 7 8 9; do
	"$build/tests/accuracy/native" "$work/blocks.o"
done | sort -k1,1 -k2,2g | awk '++n[$1] == 5 && $2 > 0' >"$work/native"
"$build/tests/accuracy/blocks" "$core" --rows "$work/blocks.o" | sort >"$work/ours"
sed '/^\tj[a-z]* /d' "$work/blocks.s" >"$work/rows.s"
"$here/mca.sh" "$mca" "$mcpu" "$work/rows.s" >"$work/mca"

echo "block, cycles of this processor, of $core, of $mca -mcpu=$mcpu, $core's difference; those over 15%:"
join "$work/native" "$work/ours" | join - "$work/mca" |
	awk '{ printf "%-20s %8.2f %8.2f %8.2f %+7.0f%%\n", $1, $2, $3, $4, ($3 - $2) / $2 * 100 }' | sort -k5 -g |
	awk -v core="$core" -v mca="$mca" '
	function near(a, b) { return a >= 0.85 * b && a <= 1.15 * b }
	{ ours += near($3, $2); theirs += near($4, $2) }
	!near($3, $2)
	END { printf "of %d blocks %s is within 15%% of %d, %s of %d\n", NR, core, ours, mca, theirs }'

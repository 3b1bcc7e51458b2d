#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Compares cycles an iteration of blocks of instructions with llvm-mca's.
# usage: compare.sh BUILD CORE MCPU FILE.s...: prints a table of the worst, and the share within 15%
set -eu

build=$1 core=$2 mcpu=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat "$@" >"$work/blocks.s"
as "$work/blocks.s" -o "$work/blocks.o"
"$build/accuracy/loop" "$core" --as-mca "$work/blocks.o" >"$work/ours"
# The difference between two numbers of iterations: without the first ones' start.
for iterations in 200 400; do
	llvm-mca -mcpu="$mcpu" -noalias=true -iterations=$iterations -instruction-info=0 -resource-pressure=0 \
		"$work/blocks.s" 2>/dev/null | awk '/Code Region/ { name = $NF } /^Total Cycles/ { print name, $NF }' \
		>"$work/mca.$iterations"
done
paste -d' ' "$work/mca.200" "$work/mca.400" | awk '{ print $1, ($4 - $2) / 200 }' >"$work/mca"
awk -v core="$core" -v mcpu="$mcpu" '
NR == FNR { mca[$1] = $2; next }
$1 in mca && mca[$1] > 0 && $2 ~ /^[0-9.]+$/ {
	error = ($2 - mca[$1]) / mca[$1] * 100
	blocks++
	within += error <= 15 && error >= -15
	printf "%-20s %8.2f %8.2f %+7.0f%%\n", $1, $2, mca[$1], error | "sort -k4.1 -t% -g | sort -s -k4,4 -g"
}
END {
	close("sort -k4.1 -t% -g | sort -s -k4,4 -g")
	printf "%s against llvm-mca -mcpu=%s: %d of %d blocks within 15%% (%.0f%%)\n", core, mcpu, within, blocks, within / blocks * 100
}' "$work/mca" "$work/ours"

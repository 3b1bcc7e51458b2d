#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Prints the blocks of an assembler file with llvm-mca's cycles an iteration, sorted by name.
# usage: mca.sh PROGRAM MCPU FILE.s
set -eu

mca=$1 mcpu=$2 file=$3
command -v "$mca" >/dev/null || { echo "accuracy: install the package llvm-19 for $mca" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The difference between two numbers of iterations: without the first ones' start.
for iterations in 200 400; do
	"$mca" -mcpu="$mcpu" -noalias=true -iterations=$iterations -instruction-info=0 -resource-pressure=0 "$file" \
		2>/dev/null | awk '/Code Region/ { name = $NF } /^Total Cycles/ { print name, $NF }' |
		sort >"$work/$iterations"
done
join "$work/200" "$work/400" | awk '{ print $1, ($3 - $2) / 200 }'

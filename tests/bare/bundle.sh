#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# usage: bundle.sh FILE...     writes the visor's bundle to stdout: a newc archive with the files, by their last names.
set -eu

# pad BYTES: what is missing to a multiple of 4.
pad() {
	head -c $((3 - ($1 + 3) % 4)) /dev/zero
}

# header NAME BYTES: 13 numbers of 8 digits, then the name; padded.
header() {
	printf '070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x' 0 0100644 0 0 1 0 "$2" 0 0 0 0 $((${#1} + 1)) 0
	printf '%s\0' "$1"
	pad $((110 + ${#1} + 1))
}

for file; do
	bytes=$(stat -c %s "$file")
	header "${file##*/}" "$bytes"
	cat "$file"
	pad "$bytes"
done
header 'TRAILER!!!' 0

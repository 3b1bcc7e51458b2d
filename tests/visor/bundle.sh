#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# usage: bundle.sh KERNEL     writes the visor's bundle to stdout: a newc archive with the one member "kernel".
set -eu

# header NAME BYTES: 13 numbers of 8 digits, then the name; padded to 4 bytes.
header() {
	printf '070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x' 0 0100755 0 0 1 0 "$2" 0 0 0 0 $((${#1} + 1)) 0
	printf '%s\0' "$1"
	pad $((110 + ${#1} + 1))
}

# pad BYTES: what is missing to a multiple of 4.
pad() {
	head -c $((3 - ($1 + 3) % 4)) /dev/zero
}

bytes=$(stat -c %s "$1")
header kernel "$bytes"
cat "$1"
pad "$bytes"
header 'TRAILER!!!' 0

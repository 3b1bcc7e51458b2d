#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Linux is the reference: every program of tests/oracle prints the same on both kernels, under each PMU, but for the
# lines that tests/oracle/known explains.
. tests/e2e/lib.sh
have_linux || skip_all "no Linux kernel in /boot"

programs="attr open control outputs mappings records sidebands rights"
options=
paths=
for program in $programs; do
	options="$options --add $BUILD/tests/oracle/$program:/oracle/$program"
	paths="$paths /oracle/$program"
done
sed -e '/^#/d' -e '/^$/d' tests/oracle/known >"$scratch/known"

# all COMMAND PMU: what all programs print, one boot for all.
all() {
	LIMIT=600
	# shellcheck disable=SC2086 # words
	barepmu "$1" --timeout 590 --pmu "$2" $options -- "$BUILD/tests/oracle/each" $paths
	mv "$scratch/stdout" "$scratch/$1"
	is "$status $(grep -c '^== status 0$' "$scratch/$1")" "0 $(echo "$programs" | wc -w)" "$2: barepmu $1 ran all programs"
}

# part FILE PROGRAM: what one program printed.
part() {
	sed -n "/^== $2\$/,/^== status/p" "$1"
}

for pmu in intel-v4 intel-v5 intel-v2 amd-v2 none; do
	all linux $pmu
	all run $pmu
	for program in $programs; do
		part "$scratch/linux" $program >"$scratch/theirs"
		part "$scratch/run" $program >"$scratch/ours"
		diff "$scratch/theirs" "$scratch/ours" | grep '^[<>]' >"$scratch/differences" || true
		grep -Evf "$scratch/known" "$scratch/differences" >"$scratch/new" || true
		[ -s "$scratch/theirs" ] && [ ! -s "$scratch/new" ]
		ok $? "$pmu: $program: $(wc -l <"$scratch/theirs") lines as on Linux"
		sed -e 's/^/# /' -e 40q "$scratch/new"
	done
done
finish

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Linux is the reference: every program of tests/oracle has equal output on both kernels, under five PMUs, except for
# the lines that tests/oracle/known explains.
. tests/e2e/lib.sh
have_linux || skip_all "no Linux kernel in /boot"

sed -e '/^#/d' -e '/^$/d' tests/oracle/known >"$scratch/known"

# By a path of the same length everywhere: it moves the stack, whose top Linux copies otherwise near its end.
cp "$BUILD/tests/oracle/each" "$scratch/each"

# all NAME COMMAND PMU PROGRAM...: what all programs print, one boot for all.
all() {
	name=$1
	command=$2
	pmu=$3
	shift 3
	options=
	paths=
	for program; do
		options="$options --add $BUILD/tests/oracle/$program:/oracle/$program"
		paths="$paths /oracle/$program"
	done
	# shellcheck disable=SC2086 # words
	$command --pmu "$pmu" $options -- "$scratch/each" $paths
	mv "$scratch/stdout" "$scratch/$name"
	is "$status $(grep -c '^== status 0$' "$scratch/$name")" "0 $#" "$pmu: barepmu $name ran all programs"
}

# part FILE PROGRAM: what one program printed.
part() {
	sed -n "/^== $2\$/,/^== status/p" "$1"
}

# compare PMU PROGRAM...
compare() {
	pmu=$1
	shift
	all linux linux_quickly "$pmu" "$@"
	all run "barepmu run" "$pmu" "$@"
	for program; do
		part "$scratch/linux" "$program" >"$scratch/theirs"
		part "$scratch/run" "$program" >"$scratch/ours"
		diff "$scratch/theirs" "$scratch/ours" | grep '^[<>]' >"$scratch/differences" || true
		grep -Evf "$scratch/known" "$scratch/differences" >"$scratch/new" || true
		[ -s "$scratch/theirs" ] && [ ! -s "$scratch/new" ]
		ok $? "$pmu: $program: $(wc -l <"$scratch/theirs") lines as on Linux"
		sed -e 's/^/# /' -e 40q "$scratch/new" >&2
	done
}

# Programs for all PMUs, for one of each vendor, and for none; on two more the ones that depend on the PMU. Records of
# intel-v4 and intel-v5 may report transactions.
all="attr breakpoints open control outputs mappings names records sidebands rights"
# Instruction-based sampling is another in each of AMD's generations.
# shellcheck disable=SC2086 # words
compare amd-v2 $all ibs
# shellcheck disable=SC2086
compare none $all
for pmu in amd-k7 amd-core; do
	compare $pmu ibs
done
# Programs that do not depend on a PMU run once: BPF, filters, probes, transfers.
compare intel-v2 attr open names records tracing partial answers
export BAREPMU_VISOR=quirk=transactions
# shellcheck disable=SC2086
compare intel-v4 $all transactions
compare intel-v5 transactions attr open names records
finish

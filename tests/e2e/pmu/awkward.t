#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The drivers under the awkward behaviour of real parts: counts stay exact, no sample is lost, and the log says what
# happened.
. tests/e2e/lib.sh

# awkward PMU QUIRKS [OPTION]: the program that knows what must hold.
awkward() {
	export BAREPMU_VISOR="quirk=$2"
	barepmu run --pmu "$1" ${3:+"$3"} -- "$BUILD/tests/guest/perf_awkward-musl"
	is "$status $(grep -c '^ok' "$scratch/stdout")" "0 14" "$1: $2"
	grep -B2 '^not ok' "$scratch/stdout" | sed 's/^/# /'
}

# How long reads and writes are held does not depend on global registers, which intel-v1 lacks; nor does how far a PMI
# skids.
all="skid:3500 late-nmi:3000,mask-never mask-never mask-always"
all="$all hold-for-read hold-for-read:2 hold-for-write hold-for-write:2 hold-for-write:3 hold-for-write:4"
for pmu in intel-v4 intel-v1; do
	which=$all
	[ $pmu != intel-v1 ] ||
		which="skid:7 late-nmi:3000,mask-never mask-never mask-always"
	for quirk in $which; do
		awkward $pmu $quirk
		is "$(cat "$scratch/stderr")" "" "$pmu, $quirk: no message"
	done
	awkward $pmu foreign-nmi:7000
	has "$scratch/stderr" "warning: [0-9]+ NMIs were not claimed" "$pmu: the log counts foreign NMIs"
	awkward $pmu running -v
	has "$scratch/stderr" "firmware left general counter 0 running" "$pmu: the log names the counter left running"
	BAREPMU_VISOR=quirk=swallow barepmu run --pmu $pmu -- "$BUILD/tests/guest/perf_soft-musl"
	is "$status" 0 "$pmu: software events work on a PMU that keeps nothing of what is written"
	has "$scratch/stderr" "warning: no PMU: " "$pmu: the log says why there is no hardware PMU"
done
# So late that the PMI comes somewhere in the system call that follows.
for machine in "intel-v4 late-nmi:400,mask-never" "intel-v4 skid:350" "amd-core late-nmi:400" "amd-v2 late-nmi:400"; do
	# shellcheck disable=SC2086 # two words
	awkward $machine
	is "$(cat "$scratch/stderr")" "" "$pmu, $quirk: no message"
done
# A record of ring 3 that is handed over in the kernel has no register of the kernel's.
BAREPMU_VISOR=quirk=late-nmi:30 barepmu run --pmu intel-v5 -- "$BUILD/tests/guest/perf_precise-musl"
is "$status" 0 "intel-v5: late-nmi:30"
grep -B2 '^not ok' "$scratch/stdout" | sed 's/^/# /'
BAREPMU_VISOR=quirk=nonsense barepmu run -- work
is "$status" 125 "an unknown quirk ends it"
has "$scratch/stderr" "quirk=nonsense is not a list of skid " "an unknown quirk: the error lists the known ones"
finish

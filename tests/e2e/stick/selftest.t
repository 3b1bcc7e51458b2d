#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The self-test finds on each emulated PMU the features that its documents list, and detects defects; its report is read
# back, and forged reports are not believed. (On a stick: stick.t.)
. tests/e2e/lib.sh

here=$PWD
cd "$scratch" || exit 1

# selftest PMU [WORD...]: the self-test in the image; its table is $scratch/stdout.
selftest() {
	pmu=$1
	shift
	rm -rf out
	barepmu run --pmu "$pmu" "$@" -- selftest
}

# finds PMU GENERAL FIXED WIDTH BRANCHES PRECISE CPUID
finds() {
	selftest "$1"
	is "$status $(tail -n 1 stdout | grep -o '[0-9]* WRONG')" "0 0 WRONG" "$1: nothing is wrong"
	has stdout "^ok +cpu +general counters +$2 of $2 announced" "$1: general counters"
	has stdout "^ok +cpu +general widths +$4 bits" "$1: their width"
	[ "$3" = 0 ] || has stdout "^ok +cpu +fixed counters +$3\$" "$1: fixed counters"
	has stdout "^ok +cpu +counts .* in each of $(($2 + ($3 > 0))) counters" "$1: each counts"
	has stdout "^ok +cpu +PMIs +20 periods: 20 to 20 samples" "$1: and interrupts"
	[ "$5" = 0 ] && branches='not here +cpu +branch records' ||
		branches="ok +cpu +branch records +[1-9][0-9]* of known jumps in 18 samples of up to $5\$"
	has stdout "^$branches" "$1: branch records"
	is "$(grep -c 'skid, precise' stdout)" "$6" "$1: precise samples"
	has stdout "^CPUID +$7" "$1: CPUID"
}

finds intel-v1 2 0 40 0 0 GenuineIntel,6,14,
finds intel-v2 2 3 40 4 2 GenuineIntel,6,23,
finds intel-v3 4 3 48 16 2 GenuineIntel,6,26,
has stdout '^ok +cpu +errata +the driver works around AAJ80$' "errata"
finds intel-v4 8 3 48 32 3 GenuineIntel,6,94,
has stdout '^ok +cpu +skid +0 to 0 instructions' "intel-v4 interrupts on the instruction"
has stdout '^ok +cpu +freeze on PMI' "intel-v4 has freeze on PMI"
has stdout '^TSC +1000\.000 MHz, invariant' "the TSC's rate"
finds intel-v5 8 4 48 32 3 GenuineIntel,6,143,
finds amd-k7 4 0 48 0 0 AuthenticAMD,16,
finds amd-core 6 0 48 0 0 AuthenticAMD,23,
finds amd-v2 6 0 48 16 0 AuthenticAMD,25,
cp out/report.json amd.json
selftest intel-hybrid --smp 2 --core golden-cove
is "$status" 0 "intel-hybrid: nothing is wrong"
has stdout '^ok +cpu_core +general counters +8 of 6 announced' "two counters more on performance cores"
has stdout '^ok +cpu_atom +general counters +6 of 6 announced' "intel-hybrid: six counters on efficient cores"
selftest none
is "$status" 0 "no PMU: nothing is wrong"
has stdout '^not here +PMU +none that the kernel drives' "no PMU: the report says so"

# A third counter that keeps nothing, and PMIs that come late.
BAREPMU_VISOR=quirk=swallow:0xc3,skid:37
export BAREPMU_VISOR
selftest intel-v4
unset BAREPMU_VISOR
is "$status" 1 "a broken counter: status"
has stdout '^WRONG +cpu +general widths +48 bits announced, counter 2 keeps 0 of ones' \
	"a broken counter: the report names its register"
has stdout '^WRONG +cpu +general counters +8 announced, events were given to 0 1 3 4 5 6 7$' "the driver leaves it out"
has stdout '^ok +cpu +skid +37 to 37 instructions' "late PMIs"

barepmu report-machine out/report.json
is "$status" 0 "report-machine: status"
sed '/^Its row/,$d' stdout | sed '$d' >read
cmp -s read out/report.txt
is $? 0 "report-machine prints the self-test's table"
row='[^|]*skylake[^|]* \| GenuineIntel,6,94,3 \| not known \| skylake, emulated[^|]* \| [0-9]+ \| [0-9]+ \| 2'
has stdout "^\\| $row \\|\$" \
	"report-machine prints a row for the table of machines"
printf '{"format": "barepmu machine report 1", "machine": {"processor": "a\033[2Jb|c"}, "checks": []}' >strange.json
barepmu report-machine strange.json
has stdout '^processor +a\?\[2Jb\|c$' "a stranger's control characters are none"
has stdout '^\| a\?\[2Jb/c \|' "a forged report's bars become slashes"
for cut in 10 60 200 500; do
	head -c $cut amd.json >cut.json
	barepmu report-machine cut.json
	[ $status = 125 ] || break
done
is "$cut $status" "500 125" "reports that were cut are refused"
barepmu report-machine "$here/README.md"
one_line "what is no report"
has stderr "'.*README.md' is no report of a self-test" "is said to be none"
barepmu image -o x.img --self-test -- true
has stderr "^barepmu: --self-test is the program" "image --self-test takes no program"
finish

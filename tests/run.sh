#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs every test under prove: on the host, on the bare visor, in the image, through the host command.
# usage: tests/run.sh BUILD-DIRECTORY [WORD | --fast]     with WORD only tests whose path contains it; --fast: the
# tests of a minute
#
# In the image runs each program of tests/guest with musl, one boot for a directory, and the programs of
# tests/guest/table in their machines. Programs in which the C library has a part run with glibc as well; programs that
# count run under every PMU, and some under three of them booted by the firmware. tests/guest/matrix.sh has one boot for
# all programs of a cell.
set -eu
cd "$(dirname "$0")/.."
build=$1
word=${2:-.}
cells=$build/tests/cells
BAREPMU=$PWD/$build/barepmu
BUILD=$PWD/$build
export BAREPMU BUILD CMOCKA_MESSAGE_OUTPUT=TAP

# A simulated core takes time, and most tests do not depend on it. Tests of the core unset this.
BAREPMU_CORE=none
export BAREPMU_CORE

# Against what hangs: no host is that slow.
BAREPMU_TIMEOUT=600
export BAREPMU_TIMEOUT

# libpfm4 of Debian 13 asks malloc() for -16 bytes when it looks for a PMU, and takes NULL for an answer.
export ASAN_OPTIONS="allocator_may_return_null=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"

# The reference: Debian 12's kernel as installed, else unpacked for the tests.
if ! ls /boot/vmlinuz-6.1.* >/dev/null 2>&1 && [ -z "${BAREPMU_LINUX:-}" ]; then
	BAREPMU_LINUX=$(tools/fetch-linux.sh "$build")
	export BAREPMU_LINUX
fi

# programs DIRECTORY: the names of its programs.
programs() {
	find "tests/$1" -name '*.c' -exec basename -s .c '{}' + | sort
}

# executable FILE LINE: a small script. It replaces one that another run of tests may be at.
executable() {
	printf '#!/bin/sh\nexec %s\n' "$2" >"$1.$$"
	chmod +x "$1.$$"
	mv "$1.$$" "$1"
}

# script NAME PROGRAM OPTIONS: runs the program in the image.
script() {
	executable "$cells/$1.t" "\"$BAREPMU\" run $3 -- \"$BUILD/tests/$2\""
}

# matrix NAME PMU DOOR PROGRAM...
matrix() {
	name=$1
	shift
	executable "$cells/$name.t" "tests/guest/matrix.sh $*"
}

# Programs that may see a difference between PMUs: the ones that count in hardware.
counting() {
	find tests/guest -name '*.c' -exec grep -lE '"([a-z/]*/)?(perf|sampling|branching)\.h"' '{}' + |
		xargs basename -a -s .c | sort
}

# Programs that do see one: neither the scheduler's points nor sizes of pages are the PMU's.
differing() {
	counting | grep -vxE 'sched_points|huge|giant'
}

mkdir -p "$cells/alone"
began=$(mktemp)
# Tasks, memory and files do not know the PMU: with musl they run without the visor, with glibc under it.
without_pmu() {
	counts=$(mktemp)
	counting >"$counts"
	for room in task ptrace memory files answers; do
		programs "guest/$room"
	done | grep -vxF -e growth -f "$counts"
	rm "$counts"
}
without_pmu=$(without_pmu)
# room NAME PMU PROGRAM...: a boot for all of them, and the results of each of their tests.
room() {
	name=$1
	pmu=$2
	shift 2
	[ $# = 0 ] || executable "$cells/musl-$name.t" "env TELL=all tests/guest/matrix.sh $pmu pvh $*"
}
# Programs about costs and all of memory, or that take long, have a machine of their own.
own='.*_cost|.*growth|sort|turns|giant'
# Seconds of a processor pass in fewer instructions where the firmware boots.
elsewhere=limits
# shellcheck disable=SC2046 # words
for room in count sample trace bpf border task ptrace memory files answers; do
	room "$room" intel-v4 $(programs "guest/$room" | grep -vxE "$elsewhere|$own" | grep -vxF -e "$without_pmu")
	room "$room-none" none $(programs "guest/$room" | grep -vxE "$elsewhere|$own" | grep -xF -e "$without_pmu")
done
# Any program alone, for a WORD that names it.
for program in $(programs guest); do
	echo "$program" | grep -qxE "$own" && directory=. || directory=alone
	echo "$program" | grep -qxF -e "$without_pmu" && options="--pmu none" || options=
	script "$directory/$program-musl" "guest/$program-musl" "$options"
done
# Programs with the other C library share a boot. Events, samples and traces are used by system calls alone, and so are
# the turns, limits and orders that take long: the library has no part there.
for room in task ptrace memory files border; do
	executable "$cells/glibc-$room.t" "env LIBC=glibc tests/guest/matrix.sh intel-v4 pvh \
		$(programs "guest/$room" | grep -vxE '.*_cost|sort|turns|limits' | xargs)"
done
# Programs that count, with the default simulated core.
executable "$cells/default-core.t" \
	"env -u BAREPMU_CORE tests/guest/matrix.sh intel-v4 pvh perf_count perf_sample perf_branch rdpmc"
for program in $(programs fuzz); do
	script "fuzz-$program" "fuzz/$program" "--memory 128"
done
# Each call at its largest needs more memory, and a program that uses up all of it gets less.
script fuzz-latency fuzz/latency "--memory 256"
script fuzz-exhaust fuzz/exhaust "--memory 64"
for program in syscalls programs registers events; do
	script "fuzz-$program-smp" "fuzz/$program" "--memory 128 --pmu none --smp 4"
done
script fuzz-registers-exact fuzz/registers --exact
# state NAME SEED ROUNDS OPTIONS: random lives of events; `make fuzz` takes other seeds, for longer.
state() {
	executable "$cells/fuzz-state-$1.t" \
		"\"$BAREPMU\" run --memory 128 $4 -- \"$BUILD/tests/fuzz/state\" $2 $3"
}
seed=100
for pmu in $("$BAREPMU" run --pmu help | awk 'NR > 1 && $1 != "host" && $1 != "skylake" { print $1 }'); do
	seed=$((seed + 100))
	[ $seed = 1200 ] && seed=1250 # that one takes two minutes
	state "$pmu" $seed 2 "--pmu $pmu"
done
state smp-2 2000 4 "--pmu none --smp 2"
state smp-4 4000 2 "--pmu none --smp 4"
rows() {
	sed -e 's/#.*//' -e '/^[[:space:]]*$/d' tests/guest/table | tr -s ' '
}
# machines LIBC NAMES: a cell for each machine that the rows name.
machines() {
	awk '{
			program = $1
			sub(/^[^ ]+ /, "")
			programs[$0] = programs[$0] " " program
		}
		END { for (machine in programs) print machine "\t" programs[machine] }' | sort |
		while IFS="$(printf '\t')" read -r machine programs; do
			name=$1-$(echo "$machine" | sed 's/--append//g' | tr -cs 'a-z0-9\n' -)
			executable "$cells/$name.t" "env LIBC=$1 TELL=$2 MATRIX_OPTIONS=\"${machine#* }\" \
				tests/guest/matrix.sh ${machine%% *} pvh$programs"
		done
}
rows | machines musl all
# With the other library where it has a part.
rows | awk '$2 == "none" && /--smp 4( |$)/ && !/^(perf_|limits|ring0)/' | machines glibc programs

# Each PMU that is emulated, and none. The default machine's had the cells above. Long tests run on the PMUs that may
# differ in them: turns of events where counters are fewest, costs of each way to handle a PMI, random attributes of the
# other vendor (fuzz-state has random lives on each), branches where records of them differ. Tests of the contents of
# samples and rings run on the first and the last PMU of each vendor.
long_elsewhere() {
	filled='perf_(fields|nested|soft)'

	case $1 in
	core-duo) echo 'perf_fuzz' ;;
	sapphire-rapids) echo 'perf_(fuzz|multiplex)' ;;
	alder-lake) echo "$filled|perf_(branch|fuzz|cost|multiplex)" ;; # its first processor is a core of sapphire-rapids
	k10) echo 'perf_(fuzz|cost)' ;;
	zen4) echo 'perf_multiplex' ;;
	# Their PMUs equal others', or mix what others have.
	sandy-bridge | haswell | ice-lake | lunar-lake | granite-rapids | gracemont | zen3 | zen5)
		echo 'perf_(fields|nested|soft|branch|fuzz|multiplex)|sort|attacks' ;;
	none) echo "$without_pmu" | paste -sd '|' ;; # that had it above
	*) echo "$filled|perf_(fuzz|cost|multiplex)" ;;
	esac
}
for pmu in $("$BAREPMU" run --pmu help | awk 'NR > 1 && $1 != "host" && $1 != "skylake" { print $1 }'); do
	[ "$pmu" = none ] && which=programs || which=differing
	# shellcheck disable=SC2046 # words
	matrix "matrix-$pmu-pvh" "$pmu" pvh $($which guest | grep -vxE "$(long_elsewhere "$pmu")")
done
# A machine that the firmware boots is equal except for a coarser clock and other memory: one PMU of each vendor, and
# none, with the programs that see time, memory, traps or PMIs.
matrix matrix-skylake-ovmf skylake ovmf \
	perf_count perf_sample perf_precise perf_ring perf_task perf_ends perf_awkward rdpmc storm clocks
matrix matrix-zen4-ovmf zen4 ovmf perf_count perf_sample perf_task rdpmc
matrix matrix-none-ovmf none ovmf clocks timers vdso traps signals process threads memory nodes ranges pins procfs \
	cpu_devices ring0 perf_soft attacks limits

# The self-checking kernel runs everything with one processor, and tests of several processors with four; the cost of
# its checks is not measured.
debug() {
	name=$1
	machine=$2
	shift 2
	executable "$cells/$name.t" \
		"env BAREPMU_KERNEL=\"$BUILD/debug/kernel.elf\" MATRIX_OPTIONS=\"$machine\" tests/guest/matrix.sh $*"
}
# shellcheck disable=SC2046 # words
debug debug "" intel-v4 pvh $(programs guest | grep -vxE 'sort|growth|turns|.*_cost')
# shellcheck disable=SC2046
debug debug-smp "--smp 4" none pvh \
	$(rows | awk '$2 == "none" && /--smp 4$/ { print $1 }' | grep -vxE 'limits|perf_fuzz')

# Where PMIs take longest.
executable "$cells/debug-events-ovmf.t" \
	"env BAREPMU_KERNEL=\"$BUILD/debug/kernel.elf\" \"$BAREPMU\" run --memory 128 --pmu intel-v4 --firmware ovmf -- \
	\"$BUILD/tests/fuzz/events\" 'for each'"

for program in failures pointers limits; do
	[ $program = limits ] && options="--memory 128" || options=
	executable "$cells/debug-$program.t" \
		"env BAREPMU_KERNEL=\"$BUILD/debug/kernel.elf\" \"$BAREPMU\" run $options -- \
		\"$BUILD/tests/debug/$program\""
done

# Scripts of programs and machines that no longer exist.
find "$cells" -name '*.t' ! -newer "$began" -delete
rm "$began"

# all: every test, the longest first, so that no processor waits for the last one; one more at once than there are
# processors, because a test waits for a tenth of its time. Host tests run under the sanitizers; their plain programs
# check nothing else: they run in check-fast, or by name, as do programs of the image that have a boot alone.
all() {
	{
		find "$build/host" -mindepth 2 -maxdepth 2 \( -path '*/plain/test_*' -o -path '*/san/test_*' \) \
			-type f -perm -u+x | sort
		find tests/bare tests/diff tests/e2e tests/harness tests/oracle tests/accuracy "$cells" -name '*.t' | sort
	} | awk 'FNR == NR { if (!/^#/) longest[++count] = $0; next }
		{ for (rank = 1; rank <= count && !index($0, longest[rank]); rank++); print rank "\t" $0 }' tests/longest - |
		sort -s -n -k 1,1 | cut -f 2
}

# fast: all host tests once, all programs in one machine each with and without a PMU, the host command.
fast() {
	# shellcheck disable=SC2046
	matrix fast-skylake skylake pvh $(programs guest |
		grep -vxE 'sort|growth|limits|turns|perf_(branch|cost|fuzz|multiplex)')
	script fast-perf_cost guest/perf_cost-musl "" # a page fault costs more in memory that others had
	for smp in smp perf_smp; do
		script "fast-$smp" "guest/$smp-musl" "--pmu none --smp 4"
	done
	find "$cells" -name 'fast-*.t'
	printf 'tests/e2e/%s.t\n' command/run house/abi
	find "$build/host/plain" -maxdepth 1 -type f -name 'test_*' -perm -u+x
}

if [ "$word" = --fast ]; then
	fast
elif [ "$word" = . ]; then
	all | grep -vE '/host/plain/|/cells/alone/'
else
	# A WORD between slashes need not name each directory: e2e/run is tests/e2e/command/run.t as well.
	all | grep -E -e "$(echo "$word" | sed 's|/|/(.*/)?|g')"
fi | xargs prove --jobs "${JOBS:-$(($(nproc) + 1))}" --timer --directives --failures

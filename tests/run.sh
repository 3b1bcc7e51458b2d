#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs every test under prove: on the host, on the bare visor, in the image, through the host command.
# usage: tests/run.sh BUILD-FOLDER [WORD]     with WORD only tests whose path contains it
#
# In the image runs each program of tests/guest with both C libraries: in the default machine, and in those of tests/guest/table;
# with one of them under every PMU and through both doors (tests/guest/matrix.sh), one boot for all programs.
set -eu
cd "$(dirname "$0")/.."
build=$1
word=${2:-.}
cells=$build/tests/cells
BAREPMU=$PWD/$build/barepmu
BUILD=$PWD/$build
export BAREPMU BUILD CMOCKA_MESSAGE_OUTPUT=TAP

# The reference: Debian's kernel as installed, else unpacked for the tests.
if ! ls /boot/vmlinuz-* >/dev/null 2>&1 && [ -z "${BAREPMU_LINUX:-}" ]; then
	BAREPMU_LINUX=$(tools/fetch-linux.sh "$build")
	export BAREPMU_LINUX
fi

# script NAME PROGRAM OPTIONS: a small script that runs the program in the image.
script() {
	printf '#!/bin/sh\nexec "%s" run --timeout 300 %s -- "%s/tests/%s"\n' "$BAREPMU" "$3" "$BUILD" "$2" >"$cells/$1.t"
	chmod +x "$cells/$1.t"
}

# cell NAME PROGRAM OPTIONS: one for each C library, so that each is a test of its own.
cell() {
	for libc in musl glibc; do
		script "$1-$libc" "guest/$2-$libc" "$3"
	done
}

rm -rf "$cells"
mkdir -p "$cells"
for source in tests/guest/*.c; do
	program=$(basename "$source" .c)
	cell "$program" "$program" ""
done
for source in tests/fuzz/*.c; do
	program=$(basename "$source" .c)
	script "fuzz-$program" "fuzz/$program" "--memory 128"
done
for program in syscalls programs registers events; do
	script "fuzz-$program-smp" "fuzz/$program" "--memory 128 --pmu none --smp 4"
done
script fuzz-registers-exact fuzz/registers --exact
sed -e 's/#.*//' -e '/^[[:space:]]*$/d' tests/guest/table | while read -r name program options; do
	cell "$name" "$program" "$options"
done

# Not in every machine: `sort` asks the PMU nothing; fuzzing behind the firmware, whose clock is coarser, takes minutes.
everywhere() {
	for source in tests/guest/*.c; do
		basename "$source" .c
	done | grep -vxE "$1"
}

# Each PMU that is emulated, and none, through each door.
for pmu in $("$BAREPMU" run --pmu help | awk '$1 != "host" { print $1 }'); do
	for door in pvh ovmf; do
		[ "$pmu $door" = "intel-v4 pvh" ] && continue # the default machine
		[ $door = pvh ] && left='sort' || left='sort|perf_fuzz'
		printf '#!/bin/sh\nexec tests/guest/matrix.sh %s %s %s\n' "$pmu" "$door" "$(everywhere "$left" | tr '\n' ' ')" \
			>"$cells/matrix-$pmu-$door.t"
		chmod +x "$cells/matrix-$pmu-$door.t"
	done
done

{
	find "$build/host/plain" "$build/host/san" -maxdepth 1 -type f -name 'test_*' -perm -u+x | sort
	find tests/bare tests/e2e tests/oracle "$cells" -maxdepth 1 -name '*.t' | sort
} | grep -e "$word" | xargs prove --jobs 2 --timer

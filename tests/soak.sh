#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Loads the debug kernel for a long time, with one, two and four processors, and compares what there is before and
# after.
# usage: tests/soak.sh BUILD-DIRECTORY [ROUNDS]     of each machine; one takes 10 to 40 s of the host's processor, and
# longer where stress-ng is installed, which then takes part
set -eu
cd "$(dirname "$0")/.."
build=$1
rounds=${2:-20}
export BAREPMU_KERNEL="$build/debug/kernel.elf"
export BAREPMU_CORE="${BAREPMU_CORE:-none}" # with a core a round takes ten times as long

options=
for program in events programs syscalls state; do
	options="$options --add $build/tests/fuzz/$program:/t/$program"
done
stress=$(command -v stress-ng || true)
for processors in ${PROCESSORS:-1 2 4}; do
	[ $processors = 1 ] && pmu=intel-v4 || pmu=none
	set -- /t/events /t/programs /t/syscalls "/t/state SEED 4"
	if [ -n "$stress" ]; then
		for stressor in pipe fork mmap signal futex; do
			set -- "$@" "/t/stress-ng --$stressor 2 --timeout 2 --temp-path /tmp"
		done
	fi
	echo "# $processors processors, $rounds rounds"
	# shellcheck disable=SC2086 # words
	"$build/barepmu" run --timeout $((rounds * 300 + 600)) --memory 512 --pmu $pmu --smp $processors $options \
		${stress:+--add "$stress:/t/stress-ng"} -- "$build/tests/debug/soak" "$rounds" "$@"
done

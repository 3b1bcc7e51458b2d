#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Loads the debug kernel for a long time, with one, two and four processors, and compares what there is before and
# after.
# usage: tests/soak.sh BUILD-DIRECTORY [MINUTES]     of emulated time for each machine; stress-ng takes part when it is
# installed
set -eu
cd "$(dirname "$0")/.."
build=$1
minutes=${2:-30}
export BAREPMU_KERNEL="$build/debug/kernel.elf"
export BAREPMU_CORE="${BAREPMU_CORE:-none}" # with a core an emulated minute takes an hour

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
	echo "# $processors processors, $minutes minutes"
	# shellcheck disable=SC2086 # words
	"$build/barepmu" run --timeout $((minutes * 600 + 600)) --memory 512 --pmu $pmu --smp $processors $options \
		${stress:+--add "$stress:/t/stress-ng"} -- "$build/tests/debug/soak" $((minutes * 60)) "$@"
done

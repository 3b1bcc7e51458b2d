#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The main job, from end to end: boots the image, counts a workload, samples it by two events, prints both profiles.
# usage: tools/main-job.sh BUILD-DIRECTORY
set -eu
cd "$(dirname "$0")/.."
build=$1

# profile EVENT PERIOD FILE
profile() {
	"$build/barepmu" record -e "$1" -c "$2" -o "out/$3" -- kinds
	echo
	"$build/apps/report" -i "out/$3"
}

mkdir -p out
echo "Counting \`kinds\`, whose functions compute, chase, branches and stream each make a processor wait" \
	"for something else:"
"$build/barepmu" stat \
	-e cycles:u,instructions:u,branches:u,branch-misses:u,L1-dcache-loads:u,L1-dcache-load-misses:u,cache-misses:u -- kinds
echo "Where its cycles go:"
profile cycles:u 20011 perf.data
echo "Where it misses the second-level cache:"
profile LLC-loads:u 101 misses.data
echo "Where its branches are mispredicted:"
profile branch-misses:u 499 branches.data
echo "The samples are in out/: try   $build/barepmu report out/perf.data"

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The main job, from end to end: boots the image, counts a workload, samples it, prints its profile.
# usage: tools/main-job.sh BUILD-FOLDER
set -eu
cd "$(dirname "$0")/.."
build=$1

mkdir -p out
echo "Counting \`work\`, whose functions heavy, medium and light take 60, 30 and 10 % of it:"
"$build/barepmu" stat -- work
echo "Sampling it:"
"$build/barepmu" record -F 10000 -g -o out/perf.data -- work
echo
"$build/apps/report" -i out/perf.data
echo "The samples are in out/perf.data: try   perf report -i out/perf.data --stdio"

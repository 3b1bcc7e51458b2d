#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Programs that never end, and machines that are too small.
. tests/e2e/lib.sh
build_probe

barepmu run --timeout 4 -- "$scratch/probe" forever
is $status 124 "a program that never ends: status"
is "$(cat "$scratch/stderr")" "barepmu: stopped after 4 s (--timeout)" "a program that never ends: what it says"

head -c 100000000 /dev/zero >"$scratch/large"
barepmu run --memory 64 --add "$scratch/large:/large" -- spin
is $status 125 "files larger than the memory: status"
has "$scratch/stderr" '^barepmu: ' "files larger than the memory: a clear line"
# Deeper than a kernel stack has room for, if a directory took no more than 16 bytes of it.
mkdir "$scratch/shared" "$scratch/run"
(cd "$scratch/run" && barepmu run --pmu none --share "$scratch/shared:rw" -- ../probe deep /out 1500)
is "$(find "$scratch/run/out" -name file -exec cat {} +)" "from far below" "1,500 directories in /out come home"
barepmu run --pmu none --share "$scratch/shared:rw" -- "$scratch/probe" deep "$scratch/shared" 1500
is "$status $(find "$scratch/shared" -name file -exec cat {} +)" "0 from far below" \
	"1,500 directories in a shared directory come home"
finish

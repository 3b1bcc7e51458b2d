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
finish

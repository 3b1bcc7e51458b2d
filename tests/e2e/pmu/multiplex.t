#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Two seconds of the machine's own time: twelve events take turns beside a pinned one. A machine that the
# firmware boots has 8 ns an instruction, so that they are a tenth as many instructions.
. tests/e2e/lib.sh
barepmu run --firmware ovmf -- "$BUILD/tests/guest/perf_multiplex-musl" 2
is "$status $(grep -c '^ok' "$scratch/stdout")" "0 3" "scaled counts of two seconds are within 1%, and the turns fair"
sed 's/^/# /' "$scratch/stdout"
finish

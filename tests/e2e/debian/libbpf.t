#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A program of libbpf's, with a perf buffer and a ring buffer, in the image and on Debian's kernel.
. tests/e2e/lib.sh
client=$scratch/client
# Static where the archive's libelf.a is whole: Debian 13's lacks functions that it calls.
build_client() {
	# shellcheck disable=SC2046 # words
	gcc "$@" -O2 -Wall -iquote . tests/e2e/programs/libbpf_client.c -o "$client" $(pkg-config --static --libs libbpf)
}
build_client -static 2>/dev/null || build_client
ok $? "the client is built"
barepmu run -- "$client"
is $status 0 "libbpf's client: status"
has "$scratch/stdout" '^perf buffer: 1 ready, 10 samples, sum 30$' "each call gives a sample to the perf buffer"
has "$scratch/stdout" '^ring buffer: 300 polled, 300 records$' "each call gives a record to the ring buffer"
cp "$scratch/stdout" "$scratch/ours"
if have_linux; then
	linux_quickly -- "$client"
	is "$(cat "$scratch/stdout")" "$(cat "$scratch/ours")" "Debian's kernel does the same"
else
	skip "no Linux to compare with"
fi
finish

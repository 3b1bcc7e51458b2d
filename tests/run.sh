#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs every test under prove: on the host, on the bare visor, in the image (the cells of tests/guest/table), through the host command.
# usage: tests/run.sh BUILD-FOLDER [WORD]     with WORD only tests whose name contains it
set -eu
cd "$(dirname "$0")/.."
build=$1
word=${2:-}
cells=$build/tests/cells
BAREPMU=$PWD/$build/barepmu
BUILD=$PWD/$build
export BAREPMU BUILD CMOCKA_MESSAGE_OUTPUT=TAP

# One small script a line of the table, so that each is a test of its own.
rm -rf "$cells"
mkdir -p "$cells"
sed -e 's/#.*//' -e '/^[[:space:]]*$/d' tests/guest/table | while read -r name program options; do
	for libc in musl glibc; do
		cell=$cells/$name-$libc.t
		printf '#!/bin/sh\nexec timeout 300 "$BAREPMU" run %s -- "$BUILD/tests/guest/%s-%s"\n' \
			"$options" "$program" "$libc" >"$cell"
		chmod +x "$cell"
	done
done

find "$build"/host/plain "$build"/host/san -maxdepth 1 -type f -name 'test_*' -perm -u+x | sort >"$build/tests/list"
find tests/bare tests/e2e "$cells" -maxdepth 1 -name '*.t' | sort >>"$build/tests/list"
grep -- "$word" "$build/tests/list" | xargs prove --jobs 2 --timer

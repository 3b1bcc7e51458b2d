#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# docs/tables/abi.md agrees with api/table.c.
. tests/e2e/lib.sh
header=abi/asm/unistd.h

awk -f tools/abi.awk "$header" api/table.c >"$scratch/abi.md"
ok $? "every entry of the table names a system call"
is "$(diff "$scratch/abi.md" docs/tables/abi.md)" "" "docs/tables/abi.md is not stale: else run make docs/tables/abi.md"
is "$(sed -n 's/^| \([0-9]*\) | \([a-z0-9_]*\) .*/\2 \1/p' docs/tables/abi.md)" \
	"$(sed -n 's/^#define __NR_\([a-z0-9_]*\)  *\([0-9]*\)$/\1 \2/p' "$header" | awk '$2 <= 450')" "every number is there"
finish

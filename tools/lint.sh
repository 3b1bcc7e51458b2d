#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Builds everything with clang's warnings as errors, then runs clang-format's check, the check of the rooms and cppcheck.
# Needs clang, clang-format, cppcheck.
set -eu
cd "$(dirname "$0")/.."
make --no-print-directory -j"$(nproc)" CC=clang HOSTCC=clang B=build/clang all tests
git ls-files '*.c' '*.h' | xargs clang-format --dry-run -Werror
git ls-files '*.c' '*.h' '*.asm' | xargs awk -f tools/rooms.awk
cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 --enable=warning,portability,performance \
	-I. $(git ls-files '*.c')

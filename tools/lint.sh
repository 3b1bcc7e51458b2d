#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Builds everything with clang's warnings as errors, then runs cppcheck and clang-format's check; needs clang, cppcheck, clang-format.
set -eu
cd "$(dirname "$0")/.."
make --no-print-directory -j"$(nproc)" CC=clang HOSTCC=clang B=build/clang all tests
git ls-files '*.c' '*.h' | xargs clang-format --dry-run -Werror
cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 --enable=warning,portability,performance \
	-I. $(git ls-files '*.c')

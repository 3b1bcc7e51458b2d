#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The bare guest on every personality, with and without x2APIC, at two icount shifts.
exec sh tests/bare/run.sh "${BUILD:?folder of the build}"

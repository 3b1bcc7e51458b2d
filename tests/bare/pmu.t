#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The bare guest on every personality: without x2APIC at icount shift 0, with it at shift 3.
exec sh tests/bare/run.sh "${BUILD:?directory of the build}"

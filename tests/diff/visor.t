#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# One round of the differential fuzzer; `make fuzz` continues for ten minutes.
exec tests/diff/run.sh "${BUILD:?directory of the build}"

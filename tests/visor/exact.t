#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The bare guest with every instruction stepped.
exec sh tests/visor/run.sh "pmu=intel-v4 exact" "intel-v4 exact"

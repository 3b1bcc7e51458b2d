#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The bare guest on personality intel-v2.
exec sh tests/visor/run.sh pmu=intel-v2 intel-v2

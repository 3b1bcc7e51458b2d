#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The bare guest on personality intel-v4.
exec sh tests/visor/run.sh pmu=intel-v4 intel-v4

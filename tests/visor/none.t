#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The bare guest on personality none.
exec sh tests/visor/run.sh pmu=none none

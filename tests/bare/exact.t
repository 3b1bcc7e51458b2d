#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The bare guest with every instruction stepped.
exec sh tests/bare/run.sh "${BUILD:?directory of the build}" exact

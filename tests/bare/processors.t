#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The bare guest on four processors.
exec sh tests/bare/run.sh "${BUILD:?directory of the build}" several

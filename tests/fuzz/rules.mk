# SPDX-License-Identifier: BSD-2-Clause
# `make fuzz [MINUTES=10]`: what the suite does with fixed seeds for a minute, with others and for longer.

MINUTES ?= 10

.PHONY: fuzz
fuzz: all guest-tests
	tests/fuzz/run.sh $B $(MINUTES)

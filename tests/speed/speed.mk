# SPDX-License-Identifier: BSD-2-Clause
# Costs of the simulation: programs of their own, and a table of processor time.

SPEED_PROGRAMS := $(patsubst tests/speed/programs/%.c,$B/tests/speed/%,$(wildcard tests/speed/programs/*.c))

$(SPEED_PROGRAMS): $B/tests/speed/%: tests/speed/programs/%.c tests/accuracy/programs/strings.c \
	tests/accuracy/programs/program.h
	$(begin)
	$(MUSL_CC) -static $(ACCURACY_CFLAGS) $< tests/accuracy/programs/strings.c -o $@

# Prints processor time of runs with and without the simulated core, beside Valgrind's tools.
.PHONY: bench-sim
bench-sim: all $(SPEED_PROGRAMS)
	tests/speed/bench.sh $B

# Prints how the components that come with the simulator rank on programs.
.PHONY: bench-ranks
bench-ranks: all $(SPEED_PROGRAMS)
	tests/speed/ranks.sh $B

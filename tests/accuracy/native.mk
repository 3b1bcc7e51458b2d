# SPDX-License-Identifier: BSD-2-Clause
# Cycles of blocks of instructions on this machine's processor, beside a core's.

# Assembler names its variables, and with _GNU_SOURCE signal.h names registers.
$B/tests/accuracy/native: tests/accuracy/native.c $B/sim/libsim.a
	$(begin)
	$(HOSTCC) $(CORE_CFLAGS) -fno-lto -U_GNU_SOURCE -c $< -o $@.o
	$(HOSTCC) $(CORE_CFLAGS) $@.o $B/sim/libsim.a -o $@ -lZydis

# Where this machine has a core that there is one of: CORE and MCPU say which.
.PHONY: accuracy-native
accuracy-native: $B/tests/accuracy/blocks $B/tests/accuracy/native $B/kernel.elf
	tests/accuracy/native.sh $B $(or $(CORE),golden-cove) $(or $(MCPU),alderlake)

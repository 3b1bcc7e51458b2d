# SPDX-License-Identifier: BSD-2-Clause
# Cycles of blocks of instructions compared with llvm-mca's.

$B/tests/accuracy/blocks: tests/accuracy/blocks.c tests/accuracy/mca.c $B/sim/libsim.a
	$(begin)
	$(HOSTCC) $(CORE_CFLAGS) $^ -o $@ -lZydis

.PHONY: accuracy accuracy-blocks
tests: $B/tests/accuracy/blocks
accuracy: accuracy-blocks
accuracy-blocks: $B/tests/accuracy/blocks $B/kernel.elf $B/host/plain/test_core_pipe
	$B/host/plain/test_core_pipe 2>&1 | sed -n 's/^# //p'
	tests/accuracy/blocks.sh $B skylake skylake 85 90
	tests/accuracy/blocks.sh $B zen2 znver2 68 90
	tests/accuracy/blocks.sh $B zen4 znver4 57 82
	tests/accuracy/blocks.sh $B golden-cove alderlake 46 87

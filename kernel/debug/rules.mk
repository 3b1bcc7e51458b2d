# SPDX-License-Identifier: BSD-2-Clause
# The debug kernel: the same sources with -DBAREPMU_DEBUG, and kernel/debug/, which the linker puts before the
# functions that it checks.

DEBUG_OBJ := $(KSRC:%.c=$B/debug/%.o) $(patsubst %.c,$B/debug/%.o,$(call sources,kernel/debug,c)) \
	$(KASM:%.asm=$B/%.asm.o)
DEBUG_HEADERS := kernel/debug/checks/context.h $(call sources,arch kernel ringbuf pmu api,h)

.PHONY: debug
debug: $B/debug/kernel.elf

$B/debug/%.o: %.c $B/flags
	$(begin)
	$(CC) $(KCFLAGS) -DBAREPMU_DEBUG -c $< -o $@

# Writes the linker's options to kernel/debug/wraps as well.
$B/debug/contexts.asm: $(DEBUG_OBJ) kernel/debug/contexts.awk $(DEBUG_HEADERS)
	nm -A $(DEBUG_OBJ) | awk -v options=$B/debug/wraps -f kernel/debug/contexts.awk - $(DEBUG_HEADERS) >$@

$B/debug/contexts.o: $B/debug/contexts.asm kernel/debug/thunk.inc
	$(NASM) -f elf64 $(ASM_DEBUG) -I. $< -o $@

$B/debug/kernel.first.elf: $(DEBUG_OBJ) $B/debug/contexts.o linker.ld boot/symbols.awk
	awk -f boot/symbols.awk </dev/null >$B/debug/symbols.first.asm
	$(NASM) -f elf64 $B/debug/symbols.first.asm -o $B/debug/symbols.first.o
	$(LD) $(KLDFLAGS) @$B/debug/wraps $(DEBUG_OBJ) $B/debug/contexts.o $B/debug/symbols.first.o -o $@

$B/debug/kernel.elf: $B/debug/kernel.first.elf
	nm -n $< | awk -f boot/symbols.awk >$B/debug/symbols.asm
	$(NASM) -f elf64 $B/debug/symbols.asm -o $B/debug/symbols.o
	$(LD) $(KLDFLAGS) @$B/debug/wraps $(DEBUG_OBJ) $B/debug/contexts.o $B/debug/symbols.o -o $@
	$(debug_apart)

-include $(DEBUG_OBJ:.o=.d)

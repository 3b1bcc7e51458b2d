# SPDX-License-Identifier: BSD-2-Clause
# Coverage of the kernel: an instrumented kernel and host tests, and an HTML report. `make coverage`; needs lcov.

COVERAGE_DIR := $B/coverage
COVERAGE_OBJ := $(KSRC:%.c=$(COVERAGE_DIR)/%.o) $(COVERAGE_DIR)/kernel/coverage/dump.o $(KASM:%.asm=$B/%.asm.o)
COVERAGE_CFLAGS := -O1 --coverage -fprofile-info-section=gcov_info
LIBGCOV = $(shell $(CC) -print-file-name=libgcov.a)

$(COVERAGE_DIR)/%.o: %.c $B/flags
	$(begin)
	$(CC) $(KCFLAGS) $(COVERAGE_CFLAGS) -c $< -o $@

# It counts no calls of its own.
$(COVERAGE_DIR)/kernel/coverage/dump.o: COVERAGE_CFLAGS :=

COVERAGE_LDFLAGS := $(KLDFLAGS) --wrap=host_send_files

$(COVERAGE_DIR)/kernel.first.elf: $(COVERAGE_OBJ) linker.ld boot/symbols.awk
	awk -f boot/symbols.awk </dev/null >$(COVERAGE_DIR)/symbols.first.asm
	$(NASM) -f elf64 $(COVERAGE_DIR)/symbols.first.asm -o $(COVERAGE_DIR)/symbols.first.o
	$(LD) $(COVERAGE_LDFLAGS) $(COVERAGE_OBJ) $(COVERAGE_DIR)/symbols.first.o $(LIBGCOV) -o $@

$(COVERAGE_DIR)/kernel.elf: $(COVERAGE_DIR)/kernel.first.elf
	nm -n $< | awk -f boot/symbols.awk >$(COVERAGE_DIR)/symbols.asm
	$(NASM) -f elf64 $(COVERAGE_DIR)/symbols.asm -o $(COVERAGE_DIR)/symbols.o
	$(LD) $(COVERAGE_LDFLAGS) $(COVERAGE_OBJ) $(COVERAGE_DIR)/symbols.o $(LIBGCOV) -o $@

.PHONY: coverage
coverage: all tests $(COVERAGE_DIR)/kernel.elf \
		$(filter-out $(HOST_MODEL_TESTS:%=$B/host/cov/%),$(HOST_TESTS:%=$B/host/cov/%))
	kernel/coverage/run.sh $B

-include $(COVERAGE_OBJ:.o=.d)

# SPDX-License-Identifier: BSD-2-Clause
# The host command, and the scripts that it needs beside itself. It knows the PMUs from their model.

HOST_COMMAND_CFLAGS := -std=gnu11 -D_GNU_SOURCE -O2 -g $(WARN) -I. -MMD -MP
# Libraries that the report uses where their headers are: demangling, and unwinding stacks.
has_header = $(shell echo '\#include <$1>' | $(HOSTCC) -E - >/dev/null 2>&1 && echo yes)
HOST_COMMAND_LIBS := -lm -ljansson -lconfig -lZydis -lipt -lelf $(if $(call has_header,libiberty/demangle.h),-liberty) \
	$(if $(call has_header,elfutils/libdwfl.h),-ldw)
HOST_COMMAND_OBJ := $(patsubst %.c,$B/host-command/%.o,$(call sources,host,c) \
	apps/lib/closest.c apps/lib/xml.c apps/lib/json.c apps/lib/event/event_names.c \
	apps/lib/event/event_parse.c boot/uefi/upload.c apps/lib/app_options.c \
	apps/lib/bench_options.c apps/lib/slurp.c \
	$(wildcard apps/lib/symbols/*.c apps/lib/perfdata/*.c) apps/lib/event/pmu_id.c \
	$(filter-out %/main.c,$(call sources,apps/report,c)) \
	$(call sources,emulator/visor/model,c) \
	$(filter-out emulator/sim/plugin/% emulator/sim/profile/% emulator/sim/replay/%,$(CORE_SRC)))

# Headers for users' programs, and the files that `barepmu new` copies.
SDK := $(patsubst apps/%,$B/%,$(wildcard $(addprefix apps/sdk/,*.h *.hpp *.py *.pc template/* component/*)))

all: $B/barepmu $B/mkimage.sh $B/linux-init $(SDK)

all: $B/sdk/libbarepmu.so
$B/sdk/libbarepmu.so: apps/sdk/libbarepmu.c $(wildcard apps/sdk/*.h) $B/flags
	$(begin)
	$(HOSTCC) -std=gnu11 -O2 $(WARN) -shared -fPIC $< -o $@

$B/sdk/%: apps/sdk/%
	$(begin)
	cp $< $@

$B/host-command/%.o: %.c $B/flags
	$(begin)
	$(HOSTCC) $(HOST_COMMAND_CFLAGS) -c $< -o $@

$B/barepmu: $(HOST_COMMAND_OBJ)
	$(HOSTCC) $(HOST_COMMAND_CFLAGS) $^ -o $@ $(HOST_COMMAND_LIBS)

$B/mkimage.sh: tools/mkimage.sh
	install -m 755 $< $@

# The first process on stock Linux, for `barepmu linux`.
LINUX_INIT_OBJ := $(patsubst apps/linux/%.c,$B/app-linux/%.o,$(wildcard apps/linux/*.c))
$B/app-linux/%.o: apps/linux/%.c $B/flags
	$(begin)
	musl-gcc -std=gnu11 -O2 $(WARN) -I. -Iabi -MMD -MP -c $< -o $@

$B/linux-init: $(LINUX_INIT_OBJ)
	musl-gcc -static $^ -o $@

-include $(LINUX_INIT_OBJ:.o=.d) $(HOST_COMMAND_OBJ:.o=.d)

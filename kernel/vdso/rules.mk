# SPDX-License-Identifier: BSD-2-Clause
# The vDSO: a shared object for ring 3, which the kernel carries (kernel/vm/vdso_image.asm).

VDSO_CFLAGS := -std=gnu11 -ffreestanding -O2 $(WARN) $(ABI_CFLAGS) -I. -fPIC -fvisibility=hidden -fno-stack-protector \
	-fcf-protection=none \
	-fasynchronous-unwind-tables -fomit-frame-pointer -MMD -MP
VDSO_LDFLAGS := -nostdlib -shared -soname linux-vdso.so.1 --hash-style=both --build-id=sha1 --eh-frame-hdr -Bsymbolic \
	--no-undefined \
	-z noexecstack -z max-page-size=4096 -T kernel/vdso/vdso.lds

$B/vdso/vdso.o: kernel/vdso/vdso.c $B/flags
	$(begin)
	$(CC) $(VDSO_CFLAGS) -c $< -o $@

$B/vdso/vdso.so: $B/vdso/vdso.o kernel/vdso/vdso.lds
	$(LD) $(VDSO_LDFLAGS) $< -o $@
	objcopy --strip-unneeded $@

$B/kernel/vm/vdso_image.asm.o: NASM += -DVDSO='"$B/vdso/vdso.so"'
$B/kernel/vm/vdso_image.asm.o: $B/vdso/vdso.so

-include $B/vdso/vdso.d

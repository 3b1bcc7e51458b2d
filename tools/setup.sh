#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Installs what building, running and testing need and this Debian machine lacks; as root or by sudo, else it says how.
# usage: tools/setup.sh [run | deb | lint | accuracy] [--yes]
# `run`: only what building and the main job need; `deb`: also what packages are built with; `lint`, `accuracy`: also
# what `make lint` or `make accuracy` needs. Asks on a terminal, unless it is root's in CI, or with --yes.
set -eu

OPTIONAL=
PACKAGES="gcc libc6-dev binutils make nasm musl-tools gnu-efi fonts-spleen libzydis-dev libpfm4-dev qemu-system-x86
	gdisk mtools libjansson-dev libconfig-dev libdw-dev libelf-dev libiberty-dev libipt-dev"
case ${1:-} in run | deb) few=1 ;; *) few= ;; esac
[ "$few" ] || PACKAGES="$PACKAGES clang libclang-rt-dev perl libcmocka-dev libbpf-dev zlib1g-dev
	valgrind ovmf cpio procps pkgconf linux-perf
	busybox-static python3-minimal libpython3-stdlib gawk lua5.4 sqlite3 strace ltrace gdb xz-utils zstd ripgrep
	cpuid msr-tools dmidecode likwid libpapi-dev g++ libbenchmark-dev bpftrace trace-cmd
	python3-pytest zsh sbsigntool openssl grub-pc-bin grub-common"
# In some releases only (Debian 12, not 13): installed where the archive offers them.
[ "$few" ] || OPTIONAL="python3-labgrid lava-common"

[ "${1:-}" != deb ] || PACKAGES="$PACKAGES build-essential debhelper lintian"
[ "${1:-}" != lint ] || PACKAGES="$PACKAGES clang-format clang-tidy cppcheck"
[ "${1:-}" != accuracy ] || PACKAGES="$PACKAGES llvm-19 libsqlite3-dev liblua5.4-dev"

if ! command -v dpkg-query >/dev/null; then
	echo "setup: this is no Debian machine; make sure that it has: $(echo $PACKAGES)" >&2
	exit 0
fi

# absent PACKAGE...: prints the packages that are not installed, each after a space.
absent() {
	for package; do
		status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
		[ "$status" = "install ok installed" ] || printf ' %s' "$package"
	done
}

# offered PACKAGE...: prints the packages that the archive has, according to the local lists.
offered() {
	for package; do
		[ -z "$(apt-cache show "$package" 2>/dev/null)" ] || printf ' %s' "$package"
	done
}

missing=$(absent $PACKAGES)$(offered $(absent $OPTIONAL))
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
	sudo=
elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
	sudo=sudo
else
	echo "setup: some packages are missing; run this as root, then try again:" >&2
	echo "  apt-get update && apt-get install -y --no-install-recommends$missing" >&2
	exit 1
fi
if [ -t 0 ] && [ -z "${CI:-}" ] && [ "${1:-}" != --yes ] && [ "${2:-}" != --yes ]; then
	printf 'setup: this needs%s: install? [Y/n] ' "$missing"
	read -r answer
	case $answer in [nN]*) exit 1 ;; esac
fi
echo "setup: installing$missing"
$sudo apt-get update -qq
missing=$(absent $PACKAGES)$(offered $(absent $OPTIONAL))
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null

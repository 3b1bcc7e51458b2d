#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Unpacks Debian's kernel, the reference that tests compare with, without installing it; prints its path, or nothing
# when it cannot be had.
# usage: tools/fetch-linux.sh BUILD-FOLDER
set -eu
mkdir -p "$1/linux"
cd "$1/linux"

if ! ls boot/vmlinuz-* >/dev/null 2>&1; then
	package=$(apt-cache depends linux-image-cloud-amd64 2>/dev/null | awk '$1 == "Depends:" { print $2; exit }')
	[ -n "$package" ] && apt-get download -qq "$package" >/dev/null 2>&1 || exit 0
	dpkg-deb --fsys-tarfile ./*.deb | tar -x ./boot
	rm -f ./*.deb
fi
echo "$PWD/$(ls boot/vmlinuz-*)"

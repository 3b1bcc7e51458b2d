#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Unpacks Debian 12's kernel, the 6.1 that tests compare with, without installing it, and its modules for the host's
# files; prints its path, or nothing when it cannot be had. On later releases it reads the lists of Debian 12 into the
# build directory, not the system's.
# usage: tools/fetch-linux.sh BUILD-DIRECTORY
set -eu
mkdir -p "$1/linux"
cd "$1/linux"

# apt OPTION...: apt-get or apt-cache with the lists of `own`, if there are any.
with_lists() {
	program=$1
	shift
	if [ -d own ]; then
		"$program" -o Dir::State="$PWD/own" -o Dir::State::status="$PWD/own/status" -o Dir::Cache="$PWD/own/cache" \
			-o Dir::Etc::sourcelist="$PWD/own/sources.list" -o Dir::Etc::sourceparts=/dev/null -o APT::Default-Release= \
			-o Debug::NoLocking=1 "$@"
	else
		"$program" "$@"
	fi
}

# The name of the newest kernel's package.
kernel() {
	with_lists apt-cache depends linux-image-cloud-amd64 2>/dev/null | awk '$1 == "Depends:" { print $2; exit }'
}

# Lists of Debian 12, from the system's archive, with its security updates: tests expect what these mended.
read_lists() {
	keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	archive=$(sed -nE 's/^(URIs: *|deb +(\[[^]]*\] +)?)([^ ]*debian)\/?( .*)?$/\3/p' /etc/apt/sources.list \
		/etc/apt/sources.list.d/* 2>/dev/null | head -1)
	[ -n "$archive" ] || return 1
	mkdir -p own/lists/partial own/cache/archives/partial
	: >own/status
	echo "deb [signed-by=$keyring] $archive bookworm main
deb [signed-by=$keyring] $archive-security bookworm-security main" >own/sources.list
	with_lists apt-get update -qq >/dev/null 2>&1 || : # not each mirror has both
}

if ! ls boot/vmlinuz-6.1.* lib/modules/6.1.* >/dev/null 2>&1; then
	case $(kernel) in
	linux-image-6.1.*) ;;
	*) read_lists || exit 0 ;;
	esac
	package=$(kernel)
	case $package in linux-image-6.1.*) ;; *) exit 0 ;; esac
	with_lists apt-get download -qq "$package" >/dev/null 2>&1 || exit 0
	dpkg-deb --fsys-tarfile ./*.deb |
		tar -x --wildcards ./boot './lib/modules/*/kernel/fs/fuse' './lib/modules/*/kernel/fs/overlayfs'
	rm -rf ./*.deb own
fi
echo "$PWD/$(ls boot/vmlinuz-6.1.*)"

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Unpacks a Debian package for a test, without installing it; prints the path of FILE in it, or nothing when it cannot
# be had.
# usage: tools/fetch-package.sh BUILD-DIRECTORY PACKAGE FILE
set -eu
directory=$1/packages/$2
mkdir -p "$directory"
cd "$directory"

if [ ! -e "$3" ]; then
	apt-get download -qq "$2" >/dev/null 2>&1 || exit 0
	dpkg-deb -x ./*.deb .
	rm -f ./*.deb
fi
[ ! -e "$3" ] || echo "$PWD/$3"

#!/bin/sh
# Runs the compiler that its arguments name. Next to a precompiled header it writes the header's checksum, which ccache
# uses instead of its half a gigabyte whenever a source includes it (ccache's pch_external_checksum).
set -e
"$@"
for argument; do
  case $argument in *.gch | *.pch) sha256sum <"$argument" >"$argument.sum" ;; esac
done

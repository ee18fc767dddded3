#!/usr/bin/env bash
# The installed package, after it was moved: package_test.sh BUILD SOURCE LIBTORCH builds and runs the
# examples with it, with those that need LibTorch where LIBTORCH is not empty.
set -euo pipefail
build=$1 source=$2 libtorch=$3

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --install "$build" --component package --prefix "$folder/installed" >/dev/null
mv "$folder/installed" "$folder/moved"
if grep -rlF -e "$source" -e "$folder/installed" "$folder/moved/lib/cmake"; then
  echo "these files name a folder of this machine" >&2
  exit 1
fi

# Compiling is most of what this takes. ccache compares what the installed headers hold, and compiles where anything differs or
# is missing; -O1 takes a quarter less time than -O3.
if command -v ccache >/dev/null; then export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$folder; fi
configure() {
  cmake -S "$1" -B "$folder/$2" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" \
    -DCMAKE_PREFIX_PATH="$folder/moved;$libtorch"
}
configure "$source/apps/examples" examples
cmake --build "$folder/examples"
ctest --test-dir "$folder/examples" --output-on-failure --no-tests=error
if [ -n "$libtorch" ] && [ ! -x "$folder/examples/training_loop" ]; then
  echo "the examples of training were not built" >&2
  exit 1
fi

mkdir "$folder/asking"
cat >"$folder/asking/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(asking LANGUAGES CXX)
find_package(runahead REQUIRED COMPONENTS pacer)
END
if said=$(configure "$folder/asking" asked 2>&1); then
  echo "an unknown component was found" >&2
  exit 1
fi
grep -q "there is no component 'pacer'; allowed: engine, memory, device, train" <<<"${said//$'\n'/ }" ||
  { echo "$said"; exit 1; }

#!/usr/bin/env bash
# Installs what retrykit needs on Debian 12, from Debian's own packages. Does nothing where all of
# it is there. Run as root, or as a user who may use sudo.
#
#   tools/setup.sh         to build and test
#   tools/setup.sh --all   the sanitizers, fuzzing and clang-format as well
set -euo pipefail

packages=(
  # The compiler, the build tool and its rules.
  g++ pkg-config bazel-bootstrap bazel-platforms bazel-rules-java bazel-rules-proto bazel-skylib
  # The libraries.
  libabsl-dev libgrpc++-dev libprotobuf-dev nlohmann-json3-dev prometheus-cpp-dev
  protobuf-compiler protobuf-compiler-grpc
  # Tests and benchmarks.
  libbenchmark-dev libgmock-dev libgtest-dev prometheus
)
case "${1:-}" in
  "") ;;
  --all) packages+=(clang clang-format libclang-rt-14-dev python3) ;;
  *) echo "usage: tools/setup.sh [--all]" >&2; exit 2 ;;
esac

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo >/dev/null || { echo "setup.sh: needs root or sudo to install: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"

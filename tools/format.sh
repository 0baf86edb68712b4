#!/usr/bin/env bash
# Formats the C++ sources, writes the reference of the JSON, and checks the rules that a script can check.
#
#   tools/format.sh           formats and writes, then checks
#   tools/format.sh --check   changes nothing; fails where formatting would change something
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  "") mode=(-i); reference=() ;;
  --check) mode=(--dry-run -Werror); reference=(--check) ;;
  *) echo "usage: tools/format.sh [--check]" >&2; exit 2 ;;
esac

# Debian 12's release decides: others wrap some lines differently.
clang_format=$(command -v clang-format-14 || command -v clang-format) || {
  echo "clang-format is not installed; see tools/setup.sh" >&2; exit 2; }

failed=0
python3 tools/sources.py | xargs -r "$clang_format" "${mode[@]}" || failed=1
for check in includes time_and_chance sizes; do
  python3 "tools/check_$check.py" || failed=1
done
python3 tools/generate_reference.py "${reference[@]}" || failed=1
exit $failed

#!/usr/bin/env bash
# Prints the path of Chromium for the tests of pages. Where there is none, and this is Debian and
# root, it installs Debian's package first. Elsewhere it prints why those tests are skipped.
set -uo pipefail
find_browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
find_browser && exit
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  export DEBIAN_FRONTEND=noninteractive
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } >&2
  find_browser && exit
fi
echo "no Chromium: the tests of pages are skipped (as root on Debian, make test installs it)"

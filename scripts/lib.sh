# Shared by the scripts beside it: words for the terminal, and Debian packages. Sourced, never run.

say() { printf '\033[36m==>\033[0m %s\n' "$*" >&2; }
fail() { printf '\033[31merror:\033[0m %s\n' "$*" >&2; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }

can_install() { [ "$(id -u)" = 0 ] && has apt-get; }

# The lists of a fresh machine are empty or old, so they are renewed once before the first package.
apt_install() {
  local log
  say "Installing from the distribution: $*"
  log=$(mktemp)
  if ! {
    apt-get -o DPkg::Lock::Timeout=300 -qq update &&
      DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -qq install -y --no-install-recommends "$@"
  } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    fail "apt-get could not install: $*"
  fi
  rm -f "$log"
}

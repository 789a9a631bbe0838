#!/usr/bin/env bash
# Installs the Debian packages that cairn is built with, and only those that are missing.
#
#   tools/install_deps.sh          what building, testing and running need
#   tools/install_deps.sh --dev    also clang: lint, format and fuzzing
#   tools/install_deps.sh --list   prints the packages and installs nothing
#
# Needs root or sudo only if something is missing. docs/dependencies.md says why each is there.
set -euo pipefail

packages=(
  ca-certificates git make
  g++ cmake ninja-build pkg-config ccache
  python3 python3-pip
  libfmt-dev libspdlog-dev
  libcli11-dev nlohmann-json3-dev
  libpcre2-dev libutf8proc-dev
  libcurl4-openssl-dev libssl-dev libzip-dev libedit-dev
  libxxhash-dev
  libgtest-dev libgmock-dev libbenchmark-dev
)
developer_packages=(clang clang-format clang-tidy libclang-rt-dev)

list_only=false
for argument in "$@"; do
  case $argument in
    --dev) packages+=("${developer_packages[@]}") ;;
    --list) list_only=true ;;
    *) echo "install_deps: unknown argument '$argument'; known: --dev, --list" >&2; exit 2 ;;
  esac
done
if $list_only; then
  printf '%s\n' "${packages[@]}"
  exit 0
fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "install_deps: not a Debian system; nothing installed. Needed: ${packages[*]}" >&2
  exit 0
fi

installed=$(dpkg-query --show --showformat='${Package} ${db:Status-Status}\n' |
  sed -n 's/ installed$//p')
missing=()
for package in "${packages[@]}"; do
  grep -qx -- "$package" <<<"$installed" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "install_deps: needs root or sudo; run as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "install_deps: installing ${#missing[@]} packages: ${missing[*]}"
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -q --yes --no-install-recommends "${missing[@]}"

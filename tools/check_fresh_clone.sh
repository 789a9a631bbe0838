#!/usr/bin/env bash
# Proves the README on a bare Debian 12: makes a minimal root folder with debootstrap, clones this
# repository's HEAD into it, installs what the README's first line names, and runs `make run` twice
# and `make test`. Needs root, debootstrap and a network.
#
#   tools/check_fresh_clone.sh [FOLDER] [COMMAND...]
#
# FOLDER (default: a new one under $TMPDIR) keeps the bare system in FOLDER/bare, so that a second
# proof starts at once; the proof runs in FOLDER/root, which is made anew. COMMANDs replace what is
# run in the clone. The mirror, proxy, pip settings and certificates are the host's.
set -euo pipefail

[ "$(id -u)" -eq 0 ] || { echo "check_fresh_clone: needs root (debootstrap, chroot)" >&2; exit 1; }
repository=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$(mktemp -d)}
shift || true
commands=("$@")
[ ${#commands[@]} -gt 0 ] || commands=("make run" "time make run" "make test")
bare=$folder/bare
root=$folder/root

# The first package source of the host, in either of apt's two forms.
mirror() {
  sed -n 's/^URIs: *\([^ ]*\).*/\1/p' /etc/apt/sources.list.d/debian.sources 2>/dev/null
  sed -n 's/^deb \(\[.*\] \)\{0,1\}\([^ ]*\) bookworm .*/\2/p' /etc/apt/sources.list 2>/dev/null
}

make_bare_system() {
  [ -e "$bare/complete" ] && return
  local source
  source=$(mirror | head -n 1)
  [ -n "$source" ] || { echo "check_fresh_clone: no package source in /etc/apt" >&2; exit 1; }
  rm -rf "$bare"
  mkdir -p "$folder"
  debootstrap --variant=minbase bookworm "$bare" "$source"
  touch "$bare/complete"
}

# What makes the network work here: names, certificates, package and pip settings.
copy_host_settings() {
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  mkdir -p "$root/etc/apt/apt.conf.d" "$root/usr/local/share/ca-certificates" "$root/etc/ssl"
  local setting
  for setting in /etc/apt/apt.conf.d/*; do
    ! grep -q -i proxy "$setting" || cp "$setting" "$root/etc/apt/apt.conf.d/"
  done
  cp -r /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
  [ ! -e /etc/pip.conf ] || cp /etc/pip.conf "$root/etc/"
  [ ! -e "$HOME/.config/pip/pip.conf" ] || {
    mkdir -p "$root/root/.config/pip"
    cp "$HOME/.config/pip/pip.conf" "$root/root/.config/pip/"
  }
}

unmount() {
  umount "$root/proc" 2>/dev/null || true
}

in_root() {
  local kept=() name
  while IFS= read -r name; do
    kept+=("$name=${!name}")
  done < <(compgen -e | grep -E -i '^(.*_proxy|PIP_.*|SSL_CERT_.*|.*CA_BUNDLE|.*CAINFO)$' |
    grep -v -x PIP_FIND_LINKS)
  env -i "${kept[@]}" HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
    chroot "$root" bash -euo pipefail -c "$1"
}

make_bare_system
unmount
rm -rf --one-file-system "$root"
cp -a "$bare" "$root"
mount -t proc proc "$root/proc"
trap unmount EXIT
copy_host_settings

first_line=$(grep -m 1 'apt-get update.*apt-get install' "$repository/README.md")
first_line=${first_line//sudo /}
in_root "$first_line"
git clone --quiet "file://$repository" "$root/root/cairn"
for command in "${commands[@]}"; do
  echo "=== $command"
  in_root "cd && cd cairn && $command"
done
echo "check_fresh_clone: passed"

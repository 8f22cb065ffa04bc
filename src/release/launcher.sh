#!/bin/sh
# Becomes the build for this system, which a package manager installed near this package.

name=mini-claude

self=$0
while [ -h "$self" ]; do
  link=$(readlink "$self")
  case $link in
    /*) self=$link ;;
    *) self=${self%/*}/$link ;;
  esac
done
folder=$(CDPATH= cd -- "${self%/*}/.." && pwd -P)

system=$(uname -sm)
case $system in
  "Linux x86_64") builds="linux-x64 linux-x64-musl" ;;
  "Linux aarch64") builds="linux-arm64 linux-arm64-musl" ;;
  # Where Node is for Intel, an Apple silicon Mac has the build for Intel.
  "Darwin x86_64") builds="darwin-x64 darwin-arm64" ;;
  Darwin*) builds="darwin-arm64 darwin-x64" ;;
  *) builds= ;;
esac

# Where Node would look for a package: here, and in every folder above.
while :; do
  program=
  for build in $builds; do
    found=$folder/node_modules/$name-$build/bin/$name
    # Some package managers install both for Linux, and the wrong one cannot start.
    if [ -x "$found" ]; then
      if [ -z "$program" ] || ldd /bin/sh 2>&1 | grep -q musl; then program=$found; fi
    fi
  done
  [ -z "$program" ] || exec "$program" "$@"
  [ -n "$folder" ] || break
  folder=${folder%/*}
done

echo "$name: there is no build for $system, or it was not installed: install again with optional packages." >&2
exit 1

#!/usr/bin/env sh
# Starts the build for this system, which a package manager installed near this package. A shell is
# there with Node or Bun alone, and starts sooner than either. On Windows it is that of Git.

name=mini-claude

self=$0
while [ -h "$self" ]; do
  link=$(readlink "$self")
  case $link in
    /*) self=$link ;;
    *) self=${self%/*}/$link ;;
  esac
done
# Windows hands over a path with backslashes.
folder=$(CDPATH= cd -- "${self%[/\\]*}/.." && pwd -P)

system=$(uname -sm)
suffix=
case $system in
  "Linux x86_64") builds="linux-x64 linux-x64-musl" ;;
  "Linux aarch64") builds="linux-arm64 linux-arm64-musl" ;;
  # A Node for Intel on Apple silicon installs the build for Intel.
  Darwin*) builds="darwin-arm64 darwin-x64" ;;
  MINGW* | MSYS* | CYGWIN*) builds=windows-x64 suffix=.exe ;;
  *) builds= ;;
esac

# Where Node would look for a package: here, and in every folder above.
while :; do
  program=
  for build in $builds; do
    found=$folder/node_modules/$name-$build/bin/$name$suffix
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

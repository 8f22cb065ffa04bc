#!/bin/sh
# Becomes the build for this system, which a package manager installed near this package. It starts no
# other program if it can: each takes a good part of the time.

name=mini-claude

self=$0
while [ -h "$self" ]; do
  link=$(readlink "$self")
  case $link in
    /*) self=$link ;;
    *) self=${self%/*}/$link ;;
  esac
done
folder=${self%/?*}
[ "$folder" != "$self" ] || folder=.

# Takes builds with the loader without which the system cannot start them.
look() {
  count=0
  while [ $# -gt 0 ]; do
    found=$folder/node_modules/$name-$1/bin/$name
    if [ -x "$found" ] && [ -e "$2" ]; then
      count=$((count + 1))
      [ $count -gt 1 ] || program=$found
      last=$found
    fi
    shift 2
  done
}

# Where Node would look for a package: here, and in every folder above.
level=0
while [ $level -lt 64 ]; do
  look linux-x64 /lib64/ld-linux-x86-64.so.2 linux-x64-musl /lib/ld-musl-x86_64.so.1 \
    linux-arm64 /lib/ld-linux-aarch64.so.1 linux-arm64-musl /lib/ld-musl-aarch64.so.1 \
    darwin-arm64 /usr/lib/dyld darwin-x64 /usr/lib/dyld
  # Some package managers install several, and a system may have the loaders of two.
  if [ $count -gt 1 ]; then
    case $(uname -sm; ldd /bin/sh 2>&1) in
      *musl* | "Linux aarch64"* | "Darwin x86_64"*) program=$last ;;
    esac
  fi
  [ $count -eq 0 ] || exec "$program" "$@"
  folder=$folder/..
  level=$((level + 1))
done

echo "$name: there is no build for $(uname -sm), or it was not installed: install again with optional packages." >&2
exit 1

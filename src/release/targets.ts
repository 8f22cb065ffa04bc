/** The systems that a release has a build for. */

export type ReleaseTarget = {
  /** Ends the name of its package. */
  name: string;
  /** As `bun build --compile --target` takes it. */
  compiler: string;
  /** As npm matches them with the machine that installs. */
  os: "linux" | "darwin" | "win32";
  cpu: "x64" | "arm64";
  libc?: "glibc" | "musl";
};

export const releaseTargets: readonly ReleaseTarget[] = [
  { name: "linux-x64", compiler: "bun-linux-x64", os: "linux", cpu: "x64", libc: "glibc" },
  { name: "linux-arm64", compiler: "bun-linux-arm64", os: "linux", cpu: "arm64", libc: "glibc" },
  { name: "linux-x64-musl", compiler: "bun-linux-x64-musl", os: "linux", cpu: "x64", libc: "musl" },
  {
    name: "linux-arm64-musl",
    compiler: "bun-linux-arm64-musl",
    os: "linux",
    cpu: "arm64",
    libc: "musl",
  },
  { name: "darwin-arm64", compiler: "bun-darwin-arm64", os: "darwin", cpu: "arm64" },
  { name: "darwin-x64", compiler: "bun-darwin-x64", os: "darwin", cpu: "x64" },
  { name: "windows-x64", compiler: "bun-windows-x64", os: "win32", cpu: "x64" },
];

/** The target of the machine that this runs on. Throws when there is none. */
export function hostTarget(): ReleaseTarget {
  const { platform, arch } = process;
  const found = releaseTargets.find(({ os, cpu }) => os === platform && cpu === arch);
  if (!found) throw new Error(`There is no release for ${platform} ${arch}.`);
  return found;
}

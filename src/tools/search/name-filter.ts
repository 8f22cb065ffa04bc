/** A glob as the tools understand it: without a slash it matches names in any folder. */

type NameFilter = {
  /** For a path relative to the folder of the search, with forward slashes. */
  matches(path: string): boolean;
  /** Whether it names hidden files or folders. */
  hidden: boolean;
};

export function nameFilter(pattern: string): NameFilter {
  const plain = pattern.replace(/^\.\//, "").replace(/^\//, "");
  const deep = plain.includes("/") ? plain : `**/${plain}`;
  const glob = new Bun.Glob(deep);
  return {
    matches: (path) => glob.match(path),
    hidden: /(?:^|[/{,])\.[^./]/.test(plain),
  };
}

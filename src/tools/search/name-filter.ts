/** A glob as the tools understand it: without a slash it matches names in any folder. */

export function nameFilter(pattern: string, { isAnchored = false } = {}) {
  const plain = pattern.replace(/^\.\//, "").replace(/^\//, "");
  const deep = isAnchored || plain.includes("/") ? plain : `**/${plain}`;
  const glob = new Bun.Glob(deep);
  return {
    /** For a path relative to the folder of the search, with forward slashes. */
    matches: (path: string) => glob.match(path),
    /** Whether it names hidden files or folders. */
    hidden: /(?:^|[/{,])\.[^./]/.test(plain),
  };
}

/** Files of a type, where its name is not simply the extension. Others are searched by extension. */
const types: Readonly<Record<string, string>> = {
  c: "*.{c,h}",
  cpp: "*.{cpp,cc,cxx,hpp,hh,hxx,h}",
  csharp: "*.cs",
  css: "*.{css,scss}",
  elixir: "*.{ex,exs}",
  haskell: "*.{hs,lhs}",
  html: "*.{html,htm}",
  js: "*.{js,jsx,mjs,cjs}",
  json: "*.{json,jsonc,jsonl}",
  kotlin: "*.{kt,kts}",
  make: "{Makefile,makefile,GNUmakefile,*.mk}",
  markdown: "*.{md,mdx,markdown}",
  md: "*.{md,mdx,markdown}",
  objc: "*.{m,h}",
  perl: "*.{pl,pm}",
  py: "*.{py,pyi}",
  python: "*.{py,pyi}",
  ruby: "*.{rb,gemspec}",
  rust: "*.rs",
  sh: "*.{sh,bash,zsh}",
  ts: "*.{ts,tsx,mts,cts}",
  typescript: "*.{ts,tsx,mts,cts}",
  yaml: "*.{yaml,yml}",
};

/** A glob for the files of a type, as `rg --type` names them. */
export const globOfType = (type: string): string =>
  Object.hasOwn(types, type) ? (types[type] ?? "") : `*.${type.replace(/[^\w+-]/g, "?")}`;

import { fileURLToPath } from "node:url";
import { z } from "zod";
import { attempt } from "../../base/guards.ts";
import { holds } from "../../tools/workspace.ts";
import { problemsIn, type Problem } from "./problems.ts";

const publishedSchema = z.object({
  uri: z.string().max(8_192),
  version: z.number().nullish(),
  diagnostics: z.array(z.unknown()),
});

/** Files with errors that are remembered. */
const maxFiles = 500;

type Waiting = { path: string; version: number; done(isReported: boolean): void };

/** What a server has published about the files of a folder. */
export function reportsOn(root: string, unversioned: boolean) {
  const all = new Map<string, readonly Problem[]>();
  const waiting = new Set<Waiting>();

  function resolve(isMeant: (one: Waiting) => boolean, isReported: boolean): void {
    for (const one of [...waiting].filter(isMeant)) {
      waiting.delete(one);
      one.done(isReported);
    }
  }

  return {
    all,

    of: (path: string): readonly Problem[] => all.get(path) ?? [],

    take(params: unknown): void {
      const { data } = publishedSchema.safeParse(params);
      const path = data && pathOf(data.uri);
      if (!path || !holds(root, path)) return;
      const problems = problemsIn(data.diagnostics);
      if (problems.length === 0) all.delete(path);
      else if (all.has(path) || all.size < maxFiles) all.set(path, problems);
      // Without a version, the reports of other servers are about the file on disk.
      const version = data.version ?? (unversioned ? Infinity : 0);
      resolve((one) => one.path === path && one.version <= version, true);
    },

    /** Whether the server reports about this version of a file, or a later one, in that time. */
    next(path: string, version: number, ms: number): Promise<boolean> {
      const { promise, resolve: done } = Promise.withResolvers<boolean>();
      const one = { path, version, done };
      waiting.add(one);
      const timer = setTimeout(() => resolve((other) => other === one, false), ms);
      return promise.finally(() => clearTimeout(timer));
    },

    /** Nothing more will come. */
    close: (): void => resolve(() => true, false),
  };
}

const pathOf = (uri: string): string | null => attempt(() => fileURLToPath(uri), null);

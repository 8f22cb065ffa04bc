import { fileURLToPath } from "node:url";
import { z } from "zod";
import { attempt } from "../protocol/attempt.ts";
import { holds } from "../tools/workspace.ts";
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
export class Reports {
  readonly #root: string;
  readonly #unversioned: boolean;
  readonly #problems = new Map<string, Problem[]>();
  #waiting: Waiting[] = [];

  constructor(root: string, unversioned: boolean) {
    this.#root = root;
    this.#unversioned = unversioned;
  }

  get all(): ReadonlyMap<string, readonly Problem[]> {
    return this.#problems;
  }

  of(path: string): readonly Problem[] {
    return this.#problems.get(path) ?? [];
  }

  take(params: unknown): void {
    const { data } = publishedSchema.safeParse(params);
    const path = data && pathOf(data.uri);
    if (!path || !holds(this.#root, path)) return;
    const problems = problemsIn(data.diagnostics);
    if (problems.length === 0) this.#problems.delete(path);
    else if (this.#problems.has(path) || this.#problems.size < maxFiles)
      this.#problems.set(path, problems);
    // Without a version, the reports of other servers are about the file on disk.
    const version = data.version ?? (this.#unversioned ? Infinity : 0);
    this.#resolve((one) => one.path === path && one.version <= version, true);
  }

  /** Whether the server reports about this version of a file, or a later one, in that time. */
  next(path: string, version: number, ms: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiting = { path, version, done: resolve };
    this.#waiting.push(waiting);
    const timer = setTimeout(() => this.#resolve((one) => one === waiting, false), ms);
    return promise.finally(() => clearTimeout(timer));
  }

  /** Nothing more will come. */
  close(): void {
    this.#resolve(() => true, false);
  }

  #resolve(isMeant: (one: Waiting) => boolean, isReported: boolean): void {
    const meant = this.#waiting.filter(isMeant);
    this.#waiting = this.#waiting.filter((one) => !isMeant(one));
    for (const { done } of meant) done(isReported);
  }
}

const pathOf = (uri: string): string | null => attempt(() => fileURLToPath(uri), null);

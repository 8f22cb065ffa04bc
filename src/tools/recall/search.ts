import { relative } from "node:path";
import type { Progress } from "../../base/progress.ts";
import { changedSince } from "../files/changed-files.ts";
import { hitsIn, type Memory } from "./recall.ts";

/** Hits that the user is shown. */
const maxShown = 30;

type UserSearch = {
  query: string;
  where: "session" | "project";
  cwd: string;
  progress?: Progress;
};

/**
 * Searches this session or the project's others for the user, best hits first. `stale`: files in a
 * hit that have changed since, a few words each.
 */
export async function searchForUser(
  memory: Pick<Memory, "search" | "searchProject">,
  { query, where, cwd, progress }: UserSearch,
) {
  const hits = await hitsIn(memory, where, query, maxShown, { progress });
  return Promise.all(
    hits.map(async ({ source, session, snippet }) => {
      const changes = source.type === "result" ? await changedSince(source.stamps ?? []) : [];
      const stale = changes.map(({ path, how }) => `${relative(cwd, path)} ${how} since`);
      return { entry: source, session, snippet, stale };
    }),
  );
}

/** What the screen needs of the disk and of other programs. */

import { saveSetting } from "../config/save-setting.ts";
import { relative } from "node:path";
import { childEnv } from "../config/credentials.ts";
import type { Paths } from "../config/paths.ts";
import type { Settings } from "../config/settings.ts";
import type { Archive } from "../log/archive.ts";
import { listAllSessions, listSessions } from "../log/catalog.ts";
import type { ModelClient } from "../model/client.ts";
import { detectLocalServers } from "../model/detect.ts";
import { textOf } from "../protocol/block.ts";
import type { Entry } from "../protocol/entry.ts";
import { changedSince } from "../tools/files/freshness.ts";
import { isEcho } from "../tools/recall/recall.ts";
import type { Recalled, Services } from "../tui/types.ts";
import { completeFiles } from "../tui/services/complete-files.ts";
import { PromptHistory } from "../tui/services/history.ts";
import { readImage } from "../tui/services/images.ts";
import { walkFiles } from "../tools/search/walk.ts";
import { openPages, pagesOf } from "../log/paged-text.ts";
import { editText, pageText } from "../tui/services/external-programs.ts";

/** Hits that a person is shown. */
const foundAtMost = 30;

export type ServiceOptions = {
  cwd: string;
  env: Record<string, string | undefined>;
  settings: Settings;
  paths: Paths;
  model: Pick<ModelClient, "models">;
  archive: Archive;
};

export function createServices({
  cwd,
  env,
  settings,
  paths,
  model,
  archive,
}: ServiceOptions): Services {
  const clean = childEnv(env);
  const history = new PromptHistory(paths.history);
  return {
    openOriginal: (entry) => openOriginal(entry),
    files: completeFiles(cwd, (signal) => walkFiles(cwd, { hidden: false, signal })),
    loadHistory: () => history.load(),
    saveHistory: (prompt) => history.save(prompt),
    edit: (text) => editText(text, settings.editor, clean),
    page: (text) => pageText(text, clean),
    readImage,
    recall: (query, where) => recall(archive, query, where, cwd),
    models: () => model.models(),
    servers: () => detectLocalServers(),
    saveSetting: async (name, value) => saveSetting(paths.settings, name, value),
    sessions: async (where) => {
      const found = await (where === "here"
        ? listSessions(paths.projectSessions)
        : listAllSessions(paths.sessions));
      return found.map(({ changedMs, entries, ...info }) => ({
        ...info,
        at: new Date(changedMs).toISOString(),
        messages: entries,
      }));
    },
  };
}

async function recall(
  archive: Archive,
  query: string,
  where: "session" | "project",
  cwd: string,
): Promise<Recalled[]> {
  const most = foundAtMost * 2;
  const found = await (where === "session"
    ? archive.search(query, most)
    : archive.searchProject(query, most));
  return Promise.all(
    found
      .filter(({ source }) => !isEcho(source))
      .slice(0, foundAtMost)
      .map(async ({ source, session, snippet }) => {
        const changes = source.type === "result" ? await changedSince(source.stamps ?? []) : [];
        const stale = changes.map(({ path, how }) => `${relative(cwd, path)} ${how} since`);
        return { entry: source, session, snippet, stale };
      }),
  );
}

async function openOriginal(entry: Entry) {
  if (entry.type === "result") {
    return entry.file === undefined ? pagesOf(textOf(entry.content)) : openPages(entry.file);
  }
  if (entry.type === "user" || entry.type === "context" || entry.type === "assistant") {
    return pagesOf(textOf(entry.content));
  }
  return pagesOf(JSON.stringify(entry, null, 2));
}

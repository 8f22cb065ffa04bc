/** Sessions of folders that are gone, renamed or moved: they can go on in another folder. */

import { existsSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { makeFolder } from "../base/durable.ts";
import { isOfUser, listAllSessions, type SessionInfo } from "./catalog.ts";
import { LogError } from "./log-error.ts";

/** The user's, latest first. `root` has one folder per project. */
export async function homelessSessions(root: string): Promise<SessionInfo[]> {
  const all = await listAllSessions(root);
  return all.filter((session) => isOfUser(session) && !existsSync(session.cwd));
}

/** Sessions of a folder from before it was renamed, or moved under the same name; latest first. */
export async function sessionsBefore(root: string, cwd: string): Promise<SessionInfo[]> {
  return (await homelessSessions(root)).filter(
    ({ cwd: gone }) => dirname(gone) === dirname(cwd) || basename(gone) === basename(cwd),
  );
}

/** Moves a session, and those that its agent began, into a project's folder. Returns its file. */
export async function moveSession(session: SessionInfo, folder: string): Promise<string> {
  if (session.busy) throw new LogError(`The session ${session.session} is open elsewhere.`);
  const all = await listAllSessions(dirname(dirname(session.file)));
  const beside = all.filter(
    ({ file, startedBy }) =>
      startedBy === session.session && dirname(file) === dirname(session.file),
  );
  makeFolder(folder);
  const to = (file: string): string => join(folder, basename(file));
  for (const { file } of [...beside, session]) {
    if (existsSync(to(file))) throw new LogError(`There is already a file ${to(file)}.`);
    renameSync(file, to(file));
  }
  return to(session.file);
}

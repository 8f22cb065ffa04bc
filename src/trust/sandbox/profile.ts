import type { HostProxy } from "./network/host-proxy.ts";

/** The files that a confined command may see and change. */
export type Profile = {
  /** The roots are writable. */
  write: boolean;
  /** The workspace, added folders, and repositories of theirs that lie elsewhere. */
  roots: readonly string[];
  /** The same with the rest of a repository around the workspace. */
  shows: readonly string[];
  home: string;
  /** Result files of this session, which may be read. */
  results: readonly string[];
  /**
   * The one other file that a command may write: the shell records there which folder it ended in.
   */
  cwdFile?: string;
  cwd: string;
  /** The session's folders that are shown as /tmp and as the home. */
  temporary: string;
  ownHome: string;
  /** A folder with an empty git `config`. */
  noGit: string;
  /** It joins the session's network, and its processes if it writes. */
  joined: boolean;
  /** Files and folders that are hidden. */
  hidden: readonly string[];
  /** An empty, unreadable file, mounted over hidden files. */
  sealed: string;
  /** Those of programs outside, anywhere: they are hidden where they would be seen. */
  sockets: readonly string[];
  /** Files, and what is shown in their place. */
  replaced: readonly (readonly [path: string, source: string])[];
  /** Folders of the roots that cannot be moved away. */
  kept: readonly string[];
  /** Files and folders of the roots that cannot be written. */
  fixed: readonly string[];
  /** Folders in fixed ones that can be written all the same. */
  open: readonly string[];
  /** Folders for hooks that do not exist: nothing can be made there. */
  noHooks: readonly string[];
  /** The folder of the project's own caches; null: there are none. */
  caches: string | null;
  /** Packages may be downloaded into them. */
  downloads: boolean;
  /** A proxy is the only way to the network. */
  network: "off" | "any" | HostProxy;
  /** Writable paths outside of the roots. */
  writable: readonly string[];
  /** Hidden folders that hold programs, which may be read. */
  programs: readonly string[];
};

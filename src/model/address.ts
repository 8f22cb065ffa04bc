/** The address of a model server, as a setting gives it. */

import { takeStart } from "../base/clip.ts";
import { ModelError } from "./model-error.ts";

/** Throws `ModelError` "unreachable" when it is not an http or https address. */
export function parseAddress(text: string) {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new ModelError(
      "unreachable",
      `"${takeStart(text, 200)}" is not a server address; use one like http://localhost:11434.`,
    );
  const path = url.pathname.replace(/\/+$/, "");
  const name = url.username === "" ? "" : `${url.username}:${url.password}@`;
  return {
    /** For calls; without a trailing slash. */
    url: `${url.protocol}//${name}${url.host}${path}`,
    /** For the screen: without user name and password. */
    shown: `${url.protocol}//${url.host}${path}`,
    hostname: url.hostname,
  };
}

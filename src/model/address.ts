/** The address of a server, from a setting. */

import { ModelError } from "./model-error.ts";

export type Address = {
  /** To call; without a slash at its end. */
  url: string;
  /** To show: without a name and password that the address may hold. */
  shown: string;
  hostname: string;
};

/** Throws `ModelError` "unreachable" when it is no address of a web server. */
export function parseAddress(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new ModelError(
      "unreachable",
      `"${text.slice(0, 200)}" is not the address of a model server; give one like http://localhost:11434.`,
    );
  const path = url.pathname.replace(/\/+$/, "");
  const name = url.username === "" ? "" : `${url.username}:${url.password}@`;
  return {
    url: `${url.protocol}//${name}${url.host}${path}`,
    shown: `${url.protocol}//${url.host}${path}`,
    hostname: url.hostname,
  };
}

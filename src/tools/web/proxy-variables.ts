import type { Environment } from "../../base/environment.ts";

/** Variables that programs take the address of a proxy from; most also read them in lower case. */
export const proxyVariables = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];

/** The user has a proxy, which may be the only way out. */
export const namesProxy = (env: Environment): boolean =>
  proxyVariables.some((name) => (env[name] || env[name.toLowerCase()] || "") !== "");

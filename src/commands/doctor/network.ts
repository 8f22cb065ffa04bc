/** What the environment says about proxies and certificates. */

import { readFileSync } from "node:fs";
import type { Environment } from "../../base/environment.ts";
import { attempt } from "../../base/guards.ts";
import { counted } from "../../base/format.ts";
import { proxyVariables } from "../../tools/web/address.ts";
import { type Check, ok, problem } from "./check.ts";

/** Files with certificate authorities, beside those of the system. */
const fileVariables = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"];

/** Empty when the environment says nothing. */
export function checkNetwork(env: Environment): Check[] {
  const proxies = proxyVariables
    .flatMap((name) => [name, name.toLowerCase()])
    .flatMap((name) => (env[name] ? [checkProxy(name, env[name])] : []));
  const files = fileVariables.flatMap((name) => (env[name] ? [checkFile(name, env[name])] : []));
  const { NODE_USE_SYSTEM_CA: system, NODE_TLS_REJECT_UNAUTHORIZED: rejects } = env;
  return [
    ...proxies,
    ...files,
    ...(system ? [ok("Certificates", "also those of the system (NODE_USE_SYSTEM_CA)")] : []),
    ...(rejects === "0"
      ? [
          problem(
            "Certificates",
            "not checked at all (NODE_TLS_REJECT_UNAUTHORIZED=0), so anyone on the way can read the key",
            "name the file of your certificate authority in NODE_EXTRA_CA_CERTS instead",
          ),
        ]
      : []),
  ];
}

function checkProxy(name: string, value: string): Check {
  const url = URL.parse(value);
  if (!url || url.host === "")
    return problem("Proxy", `${name} is not an address`, `write it like http://host:port`);
  // Without the password.
  const who = url.username === "" ? "" : ", with a user name";
  return ok("Proxy", `${url.protocol}//${url.host}${who} (${name})`);
}

function checkFile(name: string, file: string): Check {
  const text = attempt(() => readFileSync(file, "utf8"), null);
  if (text === null)
    return problem(
      "Certificates",
      `${name} names ${file}, which cannot be read`,
      `correct ${name}`,
    );
  const count = text.split("-----BEGIN CERTIFICATE-----").length - 1;
  return count === 0
    ? problem(
        "Certificates",
        `${file} (${name}) holds no certificate in PEM form`,
        "convert it: openssl x509 -inform der -in FILE -out ca.pem",
      )
    : ok("Certificates", `${counted(count, "authority")} in ${file} (${name})`);
}

/** Why a connection was not made, and what the user can set. */

import { errorCode } from "./guards.ts";

/** Variables that add certificate authorities to the built-in ones. */
export const certificateVariables = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "NODE_USE_SYSTEM_CA"];

/** An error of `fetch` and its causes: they differ by runtime and nest several levels deep. */
export function listCauses(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let at = error; at instanceof Error && causes.length < 6; at = at.cause) causes.push(at);
  return causes;
}

const certificateFault =
  /certificate|UNABLE_TO_(?:VERIFY|GET_ISSUER)|SELF_SIGNED|DEPTH_ZERO|CERT_(?:HAS_EXPIRED|NOT_YET_VALID|UNTRUSTED)|ALTNAME_INVALID/i;

/** An answer of the proxy that another attempt would bring again: no password, not allowed. */
const proxyRefusal = /\bproxy\b.*: (?:401|403|407)\b/is;

/** A sentence for a fault that another attempt would meet again; null for any other. */
export function connectionAdvice(error: unknown): string | null {
  const texts = listCauses(error).map((cause) => `${errorCode(cause)} ${cause.message}`);
  if (texts.some((text) => certificateFault.test(text)))
    return "If your network has a certificate authority of its own, name its file in NODE_EXTRA_CA_CERTS; mini-claude doctor checks it.";
  if (texts.some((text) => proxyRefusal.test(text)))
    return "Check the user name and password in HTTPS_PROXY (http://user:password@host:port, special characters as %40), or name the host in NO_PROXY.";
  return null;
}

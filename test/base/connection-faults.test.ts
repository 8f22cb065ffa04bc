import { expect, test } from "bun:test";
import { connectionAdvice } from "../../src/base/connection-faults.ts";

const failed = (message: string, code = "", cause?: Error): Error =>
  Object.assign(new Error(message, { cause }), { code });

test.each([
  [failed("fetch failed", "", failed("no", "SELF_SIGNED_CERT_IN_CHAIN")), "NODE_EXTRA_CA_CERTS"],
  [failed("unable to get local issuer certificate"), "NODE_EXTRA_CA_CERTS"],
  [failed("a", "", failed("the proxy answered: 407")), "HTTPS_PROXY"],
  [failed("the proxy answered: 502"), null],
  [failed("no", "ECONNREFUSED"), null],
  ["certificate", null],
])("%p: the advice is %p", (error, advice) => {
  if (advice === null) expect(connectionAdvice(error)).toBeNull();
  else expect(connectionAdvice(error)).toContain(advice);
});

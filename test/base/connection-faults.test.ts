import { expect, test } from "bun:test";
import { connectionAdvice } from "../../src/base/connection-faults.ts";

/** An error with these messages, each the cause of the one before. */
const failure = (texts: readonly string[]): Error | undefined =>
  texts
    .toReversed()
    .reduce<Error | undefined>((cause, text) => new Error(text, { cause }), undefined);

test.each<[messages: string[], advice: string]>([
  [["fetch failed", "SELF_SIGNED_CERT_IN_CHAIN"], "NODE_EXTRA_CA_CERTS"],
  [["unable to verify the first certificate"], "NODE_EXTRA_CA_CERTS"],
  [["fetch failed", "the proxy answered: 407"], "HTTPS_PROXY"],
  [["the proxy answered: 502"], "null"],
  [[], "null"],
])("%j: the advice has %s", (messages, advice) => {
  expect(String(connectionAdvice(failure(messages)))).toContain(advice);
});

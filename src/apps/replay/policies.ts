/** Every policy that can be replayed, by the name that the command line knows it by. */

import { lessons, none } from "./lesson-policies.ts";
import type { ReplayPolicy } from "./policy.ts";
import { product } from "./product.ts";
import { rivals } from "./rival-policies.ts";

export const policies = {
  none,
  thresholds: product({ policy: "thresholds" }, "each tier at its threshold"),
  keep: product({ balance: "keep" }, "ours, cost versus memory: keep"),
  balanced: product({}, "ours, cost versus memory: balanced, the default"),
  save: product({ balance: "save" }, "ours, cost versus memory: save"),
  ...lessons,
  ...rivals,
} satisfies Record<string, ReplayPolicy>;

export type PolicyName = keyof typeof policies;

const isPolicy = (name: string): name is PolicyName => Object.hasOwn(policies, name);

export const policyNames = Object.keys(policies).filter(isPolicy);

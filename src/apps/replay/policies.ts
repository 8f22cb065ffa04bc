/** Every policy that can be replayed, by the name that the command line knows it by. */

import { lessonFourTiers, lessonThreeLayers, lessonThreshold, none } from "./lesson-policies.ts";
import type { ReplayPolicy } from "./policy.ts";
import { product } from "./product.ts";
import * as rivals from "./rival-policies.ts";

export const policies = {
  none,
  thresholds: product("thresholds", { policy: "thresholds" }, "each tier at its threshold"),
  keep: product("keep", { balance: "keep" }, "ours, cost versus memory: keep"),
  balanced: product("balanced", {}, "ours, cost versus memory: balanced, the default"),
  save: product("save", { balance: "save" }, "ours, cost versus memory: save"),
  "lesson-a": lessonThreeLayers,
  "lesson-b": lessonThreshold,
  "lesson-c": lessonFourTiers,
  "window-33k": rivals.windowLess33k,
  "window-33k-1h": rivals.windowLess33kHour,
  "at-100k": rivals.at100k,
  "at-130k": rivals.at130k,
  codex: rivals.codex,
  gemini: rivals.gemini,
  opencode: rivals.opencode,
} satisfies Record<string, ReplayPolicy>;

export type PolicyName = keyof typeof policies;

const isPolicy = (name: string): name is PolicyName => Object.hasOwn(policies, name);

export const policyNames = Object.keys(policies).filter(isPolicy);

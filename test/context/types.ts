/** Types of the context, by the functions that give and take them. */

import type { nextPlan } from "../../src/context/ladder.ts";
import type { Projection } from "../../src/context/view/view.ts";

export type View = Projection["view"];
export type Row = View["rows"][number];
export type Moment = Parameters<typeof nextPlan>[0];
export type Signals = Parameters<typeof nextPlan>[1];
export type MeterReading = Signals["reading"];
export type Plan = NonNullable<ReturnType<typeof nextPlan>>;

/**
 * fast-check with a fixed seed: the suite checks the same cases every time. `PROPERTY_SEED=random`
 * checks other cases, and a failure prints its seed; `PROPERTY_SEED=12345` repeats it.
 */

import fc from "fast-check";

const seed = process.env.PROPERTY_SEED;
if (seed !== "random") fc.configureGlobal({ seed: Number(seed ?? 20_261_122) });

export default fc;

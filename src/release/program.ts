/**
 * The entry of the compiled program. The engine compiles hot code twenty times later than usual: on few
 * processors its compiler competes with the first frame.
 */

Bun.unsafe.setJITPolicy(20);
export default await import("../cli.tsx");

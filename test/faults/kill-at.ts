/** Kills this process before one of its changes to the file system. */

let made = 0;

export const changes = (): number => made;

const changing =
  /^(?:rename|unlink|rm|rmdir|mkdir|mkdtemp|symlink|link|chmod|fchmod|write|writeFile|appendFile|copyFile|utimes|fdatasync|fsync)(?:Sync)?$/;

/** Before other modules take their functions from there. `killAt`: the number of the change; 0: none. */
export function countChanges(killAt: number): void {
  for (const module of [
    process.getBuiltinModule("node:fs"),
    process.getBuiltinModule("node:fs/promises"),
  ]) {
    for (const [name, real] of Object.entries(module)) {
      if (!changing.test(name) || typeof real !== "function") continue;
      const counted = (...given: unknown[]): unknown => {
        made += 1;
        if (made === killAt) process.kill(process.pid, "SIGKILL");
        return Reflect.apply(real, module, given);
      };
      Reflect.set(module, name, Object.assign(counted, real));
    }
  }
}

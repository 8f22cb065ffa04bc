/** Whether a module is compiled into a program and not on the disk, by the path that Bun gives it. */
export const isCompiled = (module: string): boolean =>
  /^(?:\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/.test(module);

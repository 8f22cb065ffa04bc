/** The variables of a process, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A copy of the variables of this process. Windows calls one Path, whose copy is not found as PATH. */
export function currentEnvironment(
  variables: Environment = process.env,
  platform: string = process.platform,
): Environment {
  const path = Object.keys(variables).find((name) => /^path$/i.test(name));
  if (platform !== "win32" || path === undefined) return { ...variables };
  const { [path]: PATH, ...others } = variables;
  return { ...others, PATH };
}

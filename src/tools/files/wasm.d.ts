/** Imported as a file: its path. */
declare module "*.wasm" {
  const path: string;
  export default path;
}

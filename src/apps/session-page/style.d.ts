/** A style sheet, imported as text. */
declare module "*.css" {
  const source: string;
  export default source;
}

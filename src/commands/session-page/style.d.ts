/** Style sheets are imported as text. */
declare module "*.css" {
  const source: string;
  export default source;
}

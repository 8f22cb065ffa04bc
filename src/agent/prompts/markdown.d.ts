/** A prompt is a file of Markdown, which the code that sends it imports as text. */

declare module "*.md" {
  const text: string;
  export default text;
}

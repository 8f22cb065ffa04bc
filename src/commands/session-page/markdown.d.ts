/** The script itself, imported as text. */
declare const source: string;
export default source;

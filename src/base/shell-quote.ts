/** Text as one word of a shell command. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Quotes text only if a shell would not take it literally. */
export const quoteWhereNeeded = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : shellQuote(text);

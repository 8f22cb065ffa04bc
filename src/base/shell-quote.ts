/** Text as one word of a shell command. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The same, but left alone where a shell takes it as it is. */
export const quoteWhereNeeded = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : shellQuote(text);

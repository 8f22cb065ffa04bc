/** Untrusted text in a page. */

/** Control characters, and those that turn text around, become visible. */
export const withoutControls = (text: string): string =>
  text.toWellFormed().replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, "\u{fffd}");

/** For an element or a quoted attribute. */
export const escapeHtml = (text: string): string =>
  withoutControls(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

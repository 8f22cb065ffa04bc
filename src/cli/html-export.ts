import type { Export } from "../log/export/export-session.ts";
import { rulesOf } from "../model/catalog.ts";

/** Makes a page of a session. Loaded when one is made. */
export async function htmlExport(): Promise<Export> {
  const { sessionPage } = await import("../apps/session-page/page.ts");
  return (path) => sessionPage(path, rulesOf);
}

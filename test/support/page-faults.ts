/** What a checker of accessibility finds on a page, and by how much the page is wider than its screen. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

const AXE = fileURLToPath(import.meta.resolve("axe-core/axe.min.js"));
const RUN = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 160)).join(" | ")))`;

/** None: []. By the browser's own tools, because the page's policy would refuse a script that is not of its server. */
export async function pageFaults(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: readFileSync(AXE, "utf8") });
  const { result } = await session.send("Runtime.evaluate", { expression: RUN, awaitPromise: true, returnByValue: true });
  await session.detach();
  const overflow = (await page.evaluate("document.documentElement.scrollWidth - innerWidth")) as number;
  return [...(result.value as string[]), ...(overflow > 0 ? [`wider than its screen by ${overflow} px`] : [])];
}

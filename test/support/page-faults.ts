/**
 * What a checker of accessibility finds on a page, and by how much the page is wider than its
 * screen.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

const AXE = fileURLToPath(import.meta.resolve("axe-core/axe.min.js"));
const RUN = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 160)).join(" | ")))`;

/** What fades in or out is looked at when it is there: half-seen text has too little contrast. */
const STILL = `(async () => {
  const moving = () => document.getAnimations().filter((animation) => animation.playState === "running" && animation.effect?.getComputedTiming().iterations !== Infinity);
  while (moving().length > 0) await Promise.all(moving().map((animation) => animation.finished.catch(() => undefined)));
})()`;

/**
 * None: []. By the browser's own tools, because the page's policy would refuse a script that is not
 * of its server.
 */
export async function pageFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(STILL);
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: readFileSync(AXE, "utf8") });
  const { result } = await session.send("Runtime.evaluate", {
    expression: RUN,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  const overflow = (await page.evaluate(
    "document.documentElement.scrollWidth - innerWidth",
  )) as number;
  return [
    ...(result.value as string[]),
    ...(overflow > 0 ? [`wider than its screen by ${overflow} px`] : []),
  ];
}

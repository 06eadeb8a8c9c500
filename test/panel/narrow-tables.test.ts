/**
 * Guarantee: on every width a list of requests shows the sum of each without scrolling sideways,
 * and breaks no word.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "../support/until.ts";
import { openAccountPagesScene, type AccountPagesScene } from "./account-pages-scene.ts";

const WIDTHS = [390, 720, 768, 859, 860, 900, 1024, 1280, 1680, 2560];

/**
 * Words of cells that stand on two lines, and by how much the rows are wider than what shows them.
 */
const LOOK = `(() => {
  const broken = [];
  for (const cell of document.querySelectorAll("tbody td")) {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      for (const { 0: word, index } of text.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word);
      }
    }
  }
  const box = document.querySelector(".table-scroll");
  return { broken, hidden: box.scrollWidth - box.clientWidth };
})()`;

let scene: AccountPagesScene;
before(async () => {
  scene = await openAccountPagesScene();
});
after(() => scene[Symbol.asyncDispose]());

for (const language of ["ru", "en"] as const) {
  test(
    `requests at every width, ${language}: no word is broken, no sum is hidden`,
    { timeout: 120_000 },
    async () => {
      const person = await scene.newMember();
      const { secret } = await scene.newKey(person, "dev-dasha-2");
      for (const model of ["claude-sonnet-9", "sandbox-large"]) await scene.chat(secret, model);
      const tab = await scene.openTab(person, { language });
      const { page } = tab;
      await tab.open("/requests");
      await until("both are settled", async () => {
        await page.reload();
        await page.locator("tbody tr").nth(1).waitFor();
        return (
          (await page
            .locator("tbody .figure[title^='0,0'], tbody .figure[title*='₽0.0']")
            .count()) > 1
        );
      });
      const seen: unknown[] = [];
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        const look: object = await page.evaluate(LOOK);
        seen.push({ width, ...look });
        await tab.screenshot(`requests-${width}-${language}`);
      }
      assert.deepEqual(
        seen,
        WIDTHS.map((width) => ({ width, broken: [], hidden: 0 })),
      );
      await tab.close();
    },
  );
}

/** Guarantee: what the tour looks for by itself is found where it is, and nowhere else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openBrowser } from "../support/browser.ts";
import { layoutFaults } from "../support/layout-faults.ts";

const LONG = "A-long-name-without-any-place-to-break-it-in-two";
const CUT = "width: 80px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap";

const PAGE = `<!doctype html><title>Planted</title><body style="font: 14px sans-serif">
  <p id="cut" style="${CUT}">${LONG}</p>
  <p style="${CUT}" title="${LONG}">${LONG}</p>
  <dl><dd id="over" style="margin: 0; width: 80px; white-space: nowrap">${LONG}</dd></dl>
  <div class="table-scroll" aria-label="Rows" style="width: 200px; overflow-x: auto">
    <table style="width: 400px"><tr><td>One</td></tr></table>
  </div>
  <button style="width: 20px; height: 20px; padding: 0">x</button>
  <button style="width: 44px; height: 44px">y</button>
  <label style="display: block; height: 44px"><input type="checkbox" /> Box</label>
</body>`;

for (const [width, alone] of [
  [1280, ["a table scrolls sideways by 200 px: Rows"]],
  [390, ["too small for a finger (20×20): button «x»"]],
] as const) {
  test(`planted faults are found at ${width} px, and no others`, async () => {
    const browser = await openBrowser();
    const page = await browser.newPage({ viewport: { width, height: 800 } });
    await page.setContent(PAGE);
    assert.deepEqual(await layoutFaults(page), [
      `cut off, and told nowhere: p «${LONG}»`,
      `runs out of its box: dd «${LONG}»`,
      ...alone,
    ]);
    await browser.close();
  });
}

/**
 * Protects: calls of the upstream's own tools raise a hold as far as they are charged, and no
 * further.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AskedTool } from "../../contract/price/asked-raises.ts";
import { askedSoFar } from "./used-of-run.ts";

function mostCalls(
  tool: Pick<AskedTool, "mostCalls" | "maxUses">,
  searches: number,
): number | undefined {
  const asked = {
    variants: [],
    media: [],
    tools: [{ tool: "web_search", silentCalls: 0, ...tool }],
  };
  const reported = { used: { variants: {}, toolCalls: { web_search: searches }, costText: null } };
  return askedSoFar({ asked }, { reported })?.tools[0]?.mostCalls;
}

test("calls beyond what was held for are held for, those beyond the caller's own bound are not", () => {
  assert.deepEqual(
    [1, 2, 3].map((searches) => mostCalls({ mostCalls: 2, maxUses: null }, searches)),
    [2, 2, 3],
  );
  assert.equal(mostCalls({ mostCalls: 2, maxUses: 2 }, 30), 2);
});

/**
 * Guarantee: only a refusal of the request that names the option is worth a call without it, and
 * each upstream is remembered apart.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { UpstreamConfig } from "../../catalogue/catalogue.ts";
import { failureOfStatus } from "../routing/upstream-failure.ts";
import { createUsageRefusals } from "./usage-refusals.ts";

const reported = (status: number, message: string) =>
  failureOfStatus(status, { message, param: null, code: null }, null);

test("what may be a refusal of the option, and whose it was", () => {
  const refusals = createUsageRefusals();
  assert.equal(
    refusals.mayBe(reported(422, "stream_options.include_usage: Extra inputs are not permitted")),
    true,
  );
  for (const failure of [
    reported(422, "messages.3: bad"),
    reported(503, "stream_options"),
    reported(429, "include_usage"),
  ])
    assert.equal(refusals.mayBe(failure), false, failure.reason);
  const [one, other] = [{}, {}] as [UpstreamConfig, UpstreamConfig];
  refusals.add(one);
  assert.deepEqual([refusals.has(one), refusals.has(other)], [true, false]);
});

/**
 * Reports of providers: a flood about one submission costs little and drowns no other one's word.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { queryableThrough } from "../../../test/support/queryable-through.ts";
import { createCallbackDesk, type ProviderReport } from "./accept-callback.ts";

const UPSTREAM = { name: "there", protocol: "kie" } as const;

test("a thousand copies of one report are looked at a few times, and every other submission's report is heard", async () => {
  const heard: string[] = [];
  const errors: unknown[] = [];
  const readCallback = (): { upstreamTaskId: string } => ({ upstreamTaskId: "there-1" });
  const adapter = { readCallback };
  const desk = createCallbackDesk({
    db: queryableThrough(async (_text, parameters) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      heard.push(String(parameters[1]));
      return [];
    }),
    catalogue: {
      current: () => ({ catalogue: { upstreams: new Map([["there", UPSTREAM as never]]) } }),
    },
    adapters: { kie: adapter, fal: adapter, replicate: adapter, "http-task": adapter },
    onHeard: () => undefined,
    onError: (_what, error) => errors.push(error),
  });
  const report = (token: string): ProviderReport => ({
    upstream: "there",
    token,
    headers: {},
    body: Buffer.alloc(0),
  });
  const flood = crypto.randomUUID();
  const others = Array.from({ length: 200 }, () => crypto.randomUUID());
  for (let copy = 0; copy < 500; copy++) desk.hear(report(flood));
  for (const token of others) desk.hear(report(token));
  for (let copy = 0; copy < 500; copy++) desk.hear(report(flood));
  await desk.settled();
  assert.deepEqual(errors, []);
  assert.deepEqual(heard.filter((token) => token !== flood).toSorted(), others.toSorted());
  assert.ok(
    heard.length - others.length <= 10,
    `${heard.length - others.length} looks for one submission`,
  );
});

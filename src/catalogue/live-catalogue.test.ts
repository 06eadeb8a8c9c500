/**
 * Guards the catalogue in force: it follows the newest version, compiles each once, and never gives
 * a good one up for a bad one.
 */
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import type { LiveCatalogue, LiveCatalogueDeps } from "./live-catalogue.ts";
import { createLiveCatalogue } from "./live-catalogue.ts";
import type { StoredVersion } from "./store.ts";

function source(price: string): string {
  return `
upstreams: { up: { protocol: openai, baseUrl: "\${URL}", apiKeyEnv: KEY } }
models: { m: { type: chat, endpoints: [messages], contextTokens: 9, maxOutputTokens: 9, price: { input: ${price}, output: 1 }, routes: [ { upstream: up, model: m } ] } }
`;
}

const open: LiveCatalogue[] = [];
afterEach(() => {
  for (const live of open.splice(0)) live.close();
});

/** A store in memory; `told` collects what the live catalogue reports. */
function stage(...sources: string[]) {
  const versions = [...sources];
  const reported: string[] = [];
  const loads: number[] = [];
  const deps: LiveCatalogueDeps = {
    async load(above) {
      loads.push(above);
      const newest = versions.at(-1);
      if (newest === undefined || versions.length <= above) return null;
      const stored: StoredVersion = {
        version: versions.length,
        source: newest,
        digest: "",
        origin: "apply",
        appliedBy: "",
        appliedAt: new Date(),
        note: null,
      };
      return stored;
    },
    env: { URL: "https://up.example", KEY: "x" },
    onRejected: (version, mistakes) =>
      reported.push(`rejected ${version}: ${mistakes.map(({ path }) => path).join()}`),
    onChanged: (version) => reported.push(`changed ${version}`),
    onError: (error) => reported.push(`error ${String(error)}`),
  };
  return { versions, reported, loads, deps };
}

async function start(deps: LiveCatalogueDeps): Promise<LiveCatalogue> {
  const live = await createLiveCatalogue(deps);
  open.push(live);
  return live;
}

function inputOf(live: LiveCatalogue): bigint | undefined {
  const model = live.current().catalogue.models.get("m");
  return model?.type === "chat" ? model.price.input : undefined;
}

test("a new version is taken over at a refresh, and the same version is compiled once", async () => {
  const { versions, reported, deps } = stage(source("1"));
  const live = await start(deps);
  const compiled = live.current();
  await live.refresh();
  assert.equal(live.current(), compiled);
  versions.push(source("2"), source("3"));
  await live.refresh();
  assert.deepEqual([live.current().version, inputOf(live)], [3, 3_000_000_000n]);
  assert.deepEqual(reported, ["changed 3"]);
});

test("a stored version that cannot be used is reported once and leaves the good one in force; the next good one is taken", async () => {
  const { versions, reported, deps } = stage(source("1"));
  const live = await start(deps);
  versions.push(source("-1"));
  await live.refresh();
  await live.refresh();
  assert.deepEqual([live.current().version, inputOf(live)], [1, 1_000_000_000n]);
  assert.deepEqual(reported, ["rejected 2: models.m.price.input"]);
  versions.push(source("3"));
  await live.refresh();
  assert.deepEqual([live.current().version, inputOf(live)], [3, 3_000_000_000n]);
});

test("a database that cannot be asked changes nothing, and the next refresh asks again", async () => {
  const { versions, reported, deps } = stage(source("1"));
  let broken = false;
  const live = await start({
    ...deps,
    load: async (above) => {
      if (broken) throw new Error("down");
      return deps.load(above);
    },
  });
  versions.push(source("2"));
  broken = true;
  await live.refresh();
  assert.equal(live.current().version, 1);
  broken = false;
  await live.refresh();
  assert.equal(live.current().version, 2);
  assert.deepEqual(reported, ["error Error: down", "changed 2"]);
});

test("refreshes at the same time share one question, and one more is asked for what came meanwhile", async () => {
  const { versions, loads, deps } = stage(source("1"));
  const gates: (() => void)[] = [];
  let gated = false;
  const live = await start({
    ...deps,
    load: async (above) => {
      const answer = await deps.load(above);
      if (gated) await new Promise<void>((resolve) => gates.push(resolve));
      return answer;
    },
  });
  gated = true;
  const first = live.refresh(); // asks before the new version is there
  await new Promise((resolve) => setImmediate(resolve));
  versions.push(source("2"));
  const rest = [live.refresh(), live.refresh(), live.refresh()];
  gated = false;
  gates.shift()?.();
  await Promise.all([first, ...rest]);
  assert.equal(live.current().version, 2);
  assert.deepEqual(loads, [0, 1, 1]);
});

test("the poll finds a version that no notification told of", async () => {
  const { versions, deps } = stage(source("1"));
  const changed = Promise.withResolvers<number>();
  await start({ ...deps, pollMs: 5, onChanged: changed.resolve });
  versions.push(source("2"));
  assert.equal(await changed.promise, 2);
});

test("a version that was compiled a moment ago is not compiled again, unless a newer one has come since", async () => {
  const { versions, deps } = stage(source("1"));
  const compiled = (await start(deps)).current();
  assert.equal((await start({ ...deps, compiled })).current(), compiled);
  versions.push(source("2"));
  const live = await start({ ...deps, compiled });
  assert.deepEqual([live.current().version, inputOf(live)], [2, 2_000_000_000n]);
  assert.equal((await start({ ...deps, compiled: null })).current().version, 2);
});

test("without a usable version there is no start: prices that no operator set are never sold at", async () => {
  await assert.rejects(createLiveCatalogue(stage().deps), /no catalogue was ever applied/);
  await assert.rejects(
    createLiveCatalogue(stage(source("1"), source("-1")).deps),
    /version 2, cannot be used:\nline 3: models\.m\.price\.input/,
  );
  await assert.rejects(
    createLiveCatalogue({ ...stage(source("1")).deps, env: {} }),
    /environment variable URL is not set/,
  );
});

/**
 * An upstream that takes so many tasks in a time is given no more, by all processes together; who
 * has no turn waits, or goes elsewhere.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { modelOf, upstreamOf } from "../../../test/support/engine-scene.ts";
import { engineSuite } from "../../../test/support/engine-suite.ts";
import { until } from "../../../test/support/until.ts";
import { wakeTasks } from "../../tasks/tasks.store.ts";

const suite = engineSuite();
const HOUR = { count: 3, seconds: 3_600 };

test("two engines give an upstream what its rate allows and not one task more; the others are submitted when their turn comes", async () => {
  const { scene } = suite;
  scene.catalogue.upstreams.set(
    "there",
    upstreamOf("there", scene.provider.host, { submitRate: HOUR }),
  );
  const engines = [suite.start(), suite.start()];
  const tasks = await Promise.all(Array.from({ length: 8 }, () => scene.order()));
  const waiting = (): number =>
    engines
      .flatMap(({ steps }) => steps)
      .filter(({ step, outcome }) => step === "submit" && outcome === "busy").length;
  await until(
    "the others were told to wait",
    async () => waiting() >= 5 && scene.provider.submissions.length >= 3,
  );
  // Woken as by their owners, they still have no turn.
  const before = waiting();
  await wakeTasks(scene.db, tasks);
  await until("they asked again", async () => waiting() >= before + 5);
  assert.equal(scene.provider.submissions.length, 3);
  for (const given of [6, 8]) {
    await scene.db.query(
      "UPDATE tasks.submit_turns SET taken = ARRAY (SELECT at - interval '2 hours' FROM unnest(taken) AS at ORDER BY at)",
    );
    await wakeTasks(scene.db, tasks);
    await until(`${given} are given`, async () => scene.provider.submissions.length >= given);
    assert.equal(scene.provider.submissions.length, given);
  }
  await Promise.all(tasks.map((taskId) => scene.end(taskId)));
  assert.deepEqual(
    engines.flatMap(({ alerts, errors }) => [...alerts, ...errors]),
    [],
  );
  await scene.assertSettled(tasks);
});

test("who has no turn at one upstream is given to the next one", async () => {
  const { scene } = suite;
  const { host } = scene.provider;
  scene.catalogue.upstreams.set(
    "first",
    upstreamOf("first", host, { submitRate: { count: 1, seconds: 3_600 } }),
  );
  scene.catalogue.models.set(
    "picture",
    modelOf("picture", "T19", [{ upstream: "first" }, { order: 2 }]),
  );
  suite.start();
  const tasks = await Promise.all(Array.from({ length: 4 }, () => scene.order()));
  await Promise.all(tasks.map((taskId) => scene.end(taskId)));
  assert.deepEqual(scene.provider.submissions.map(({ upstream }) => upstream).toSorted(), [
    "first",
    "there",
    "there",
    "there",
  ]);
  await scene.assertSettled(tasks);
});

/**
 * Guarantee: two gateways on one database behind HAProxy are brought to a version with a migration,
 * back, there again, and on to a version that takes something away, one after the other under chats
 * and tasks; no request fails, every answer is charged once, and a version that cannot live with the
 * database, or with which its migrations cannot, is refused before it changes anything.
 */
// Runs beside the others: most of it waits for gateways that let their customers go.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRequestId } from "../../src/kernel/ids.ts";
import { endings, liveHolds, totals } from "../money/books.ts";
import { startHaProxy } from "../proxies/haproxy.ts";
import { findProgram, missingProgram } from "../support/find-program.ts";
import { freePort } from "../support/free-port.ts";
import type { Gateway } from "../support/gateway-process.ts";
import { createTollgateCommand } from "../support/tollgate-command.ts";
import { until } from "../support/until.ts";
import { openTasksScene } from "../tasks/tasks-scene.ts";
import { startLoad } from "./load.ts";
import { FORMER_ORDERER, NEXT_ORDERER, openNextVersion, VERSIONS } from "./next-version.ts";

const NAMES = ["a", "b"] as const;
/** Passed within two seconds; the documented pair is `inter 2s fall 3` and ten seconds. */
const CHECKS = "inter 500ms fall 3 rise 2";
const GRACE_SECONDS = "4";
/** Between two versions, as many answers as prove that it serves. */
const CHATS = 20;
const TASKS = 3;
const escaped = (version: string): string => version.replaceAll(".", "\\.");

test(
  "an upgrade with an expanding migration, the way back, and a contraction lose no request and no money",
  { skip: missingProgram("haproxy"), timeout: 600_000 },
  async (t) => {
    using next = openNextVersion();
    await using scene = await openTasksScene();
    const ports = { a: await freePort(), b: await freePort() };
    /** With a port of its own where it is not to come up. */
    const start = (version: "today" | "next", port: number): Promise<Gateway> =>
      scene.start({
        env: { PORT: String(port), SHUTDOWN_GRACE_SECONDS: GRACE_SECONDS },
        ...(version === "today" ? {} : { launch: next.launch }),
      });
    const gateways = { a: await start("today", ports.a), b: await start("today", ports.b) };
    await using proxy = await startHaProxy(findProgram("haproxy") ?? "", ports, CHECKS);
    const isUp = (name: string): Promise<unknown> => until(`${name} is up`, () => proxy.isUp(name));
    await Promise.all(NAMES.map(isUp));
    const { accountId, secret } = await scene.customer("1000000");
    const applied = async (): Promise<number> =>
      (await scene.db.query("SELECT number FROM migrations.applied")).length;
    const before = await applied();

    const load = startLoad(proxy.url, secret);
    const begun = performance.now();
    async function roll(version: "today" | "next"): Promise<void> {
      for (const name of NAMES) {
        gateways[name].signal("SIGTERM");
        assert.deepEqual(await gateways[name].ended, { code: 0, signal: null });
        gateways[name] = await start(version, ports[name]);
        await isUp(name);
        await load.moreOfEach(CHATS, TASKS);
        // A test that is silent for long is taken for one that hangs.
        process.stderr.write(`${name} serves as the version ${version}\n`);
      }
    }
    try {
      await load.moreOfEach(CHATS, TASKS);

      // Too far at once: the version of today serves, and cannot live with what would be taken away.
      next.become("contracted");
      await assert.rejects(
        start("next", 0),
        new RegExp(`no process older than version ${escaped(VERSIONS.expanded)} runs`),
      );
      assert.equal(await applied(), before, "nothing was changed");

      next.become("expanded");
      await roll("next");
      assert.equal(await applied(), before + 2);

      await roll("today");
      assert.equal(await applied(), before + 2, "what was expanded stays");
      for (const name of NAMES)
        await gateways[name].logged(({ msg }) =>
          String(msg).includes(`beside which ${VERSIONS.today} may run`),
        );

      await roll("next");
      next.become("contracted");
      await roll("next");
      assert.equal(await applied(), before + 4);
      await assert.rejects(
        start("today", 0),
        new RegExp(
          `no version older than ${escaped(VERSIONS.expanded)} may run, and this is ${escaped(VERSIONS.today)}`,
        ),
      );
      await load.moreOfEach(CHATS, TASKS);
    } finally {
      await load.stop();
    }

    const counts = Object.fromEntries(load.outcomes);
    const seconds = Math.round((performance.now() - begun) / 1000);
    t.diagnostic(JSON.stringify({ ...counts, seconds }));
    assert.deepEqual(
      Object.keys(counts).toSorted(),
      ["order 200", "streamed 200", "wait 200", "whole 200"],
      JSON.stringify(counts),
    );
    assert.deepEqual(
      [...new Set(load.tasks.map(({ ended }) => ended))],
      ["completed charged"],
      "every task came to its end",
    );

    await until("nothing is held", async () => (await liveHolds(scene.db)).length === 0);
    const ended = await endings(scene.db, accountId);
    const charges = ended.filter(({ kind }) => kind === "charge");
    assert.deepEqual(
      charges.map(({ id }) => id).toSorted(),
      [
        ...load.chats.map((id) => parseRequestId(id) ?? id),
        ...load.tasks.map(({ taskId }) => taskId),
      ].toSorted(),
      "every answer is charged once, and nothing else",
    );
    assert.ok(charges.every(({ chargedNano }) => chargedNano > 0n));
    const { chargedNano, heldNano, lossNano } = await totals(scene.db, accountId);
    assert.equal(
      chargedNano,
      charges.reduce((sum, charge) => sum + charge.chargedNano, 0n),
    );
    assert.equal(heldNano, 0n);
    assert.equal(lossNano, 0n);
    const orderers = await scene.db.query<{ orderer: string }>(
      "SELECT DISTINCT ordered_by AS orderer FROM tasks.tasks ORDER BY 1",
    );
    assert.deepEqual(
      orderers.map(({ orderer }) => orderer),
      [FORMER_ORDERER, NEXT_ORDERER],
      "both versions took orders",
    );

    const command = createTollgateCommand(gateways.a.env, next.cli);
    await command.verifyLedger();
    const { mistakes } = (await command.json("tasks", "reconcile")) as { mistakes: unknown };
    assert.deepEqual(mistakes, []);
  },
);

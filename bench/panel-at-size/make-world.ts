/**
 * Makes a data directory of a gateway that was in use for three months: its first start as it is,
 * then everything else by SQL while no gateway runs.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startEmbedded } from "#embedded-postgres/start-embedded.ts";
import type { AlertList } from "../../src/contract/panel/alert.ts";
import type { LedgerStatus } from "../../src/contract/panel/operator-ledger.ts";
import {
  logInAtPanel,
  openPanelBrowser,
  PASSWORD,
  signUpAtPanel,
} from "../../test/support/panel-session.ts";
import { startTollgate } from "../../test/support/start-tollgate.ts";
import { until } from "../../test/support/until.ts";
import { fillWorld, type Size } from "./fill-world.ts";

/** Both log in with PASSWORD. */
export interface World {
  readonly size: Size;
  readonly accountId: string;
  readonly ownerEmail: string;
  readonly operatorEmail: string;
}

const NOTE = "panel-at-size.json";
const LOOKED_AT_WITHIN_MS = 60_000;

/** What is in the folder of an earlier run, else a new one. */
export async function makeWorld(
  folder: string,
  size: Size,
  say: (what: string) => void,
): Promise<World> {
  const note = join(folder, NOTE);
  if (existsSync(note)) {
    say("the database is filled already");
    return JSON.parse(readFileSync(note, "utf8")) as World;
  }
  if (existsSync(join(folder, "data")))
    throw new Error(`what is in ${folder} was not filled to the end: remove it`);
  const people = await beginWorld(folder);
  const server = await startEmbedded({
    dataDir: join(folder, "data"),
    purpose: "serve",
    log: () => undefined,
    onFatal: (error) => say(String(error)),
  });
  try {
    await fillWorld(server.url, people.accountId, size, say);
  } finally {
    await server.stop();
  }
  const world = { size, ...people };
  writeFileSync(note, JSON.stringify(world));
  return world;
}

/** The first start, an operator with a password of its own, and a customer. */
async function beginWorld(folder: string): Promise<Omit<World, "size">> {
  const tollgate = await startTollgate(folder, {});
  try {
    const [, operatorEmail = "", current = ""] =
      /log in as (\S+), one-time password (\S+?)[;)\s]/.exec(tollgate.text) ?? [];
    const operator = openPanelBrowser(tollgate.url);
    await operator.ask("POST", "log-in", { email: operatorEmail, password: current });
    const changed = await operator.ask("POST", "password", { current, next: PASSWORD });
    assert.ok(changed.status < 300, changed.text);
    // The books are checked once an hour: not while answers are timed.
    await logInAtPanel(operator, operatorEmail, PASSWORD);
    await operator.ask("POST", "operator/ledger/verify");
    await until("the books to be checked", async () => {
      const answer = await operator.ask("GET", "operator/ledger");
      return answer.status === 200 && answer.json<LedgerStatus>().last?.state === "done";
    });
    const owner = await signUpAtPanel(
      { url: tollgate.url, env: { DATA_DIR: join(folder, "data") } },
      "Большая компания",
    );
    // Those that an account begins with: the filled entries are behind the first look.
    await until(
      "the alerts of the account",
      async () => {
        const answer = await owner.ask("GET", "alerts");
        return answer.status === 200 && answer.json<AlertList>().data.length > 0;
      },
      LOOKED_AT_WITHIN_MS,
    );
    return { accountId: owner.accountId, ownerEmail: owner.email, operatorEmail };
  } finally {
    await tollgate.stop();
  }
}

/**
 * Guarantee: a member who has just changed something reads what was changed, at whichever process,
 * while a standby that is read from has not replayed it; keys and balances are never read there.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { AccountLog } from "../../src/contract/panel/account-log.ts";
import type { PanelKeyList } from "../../src/contract/panel/panel-key.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { PANEL_CATALOGUE } from "../support/panel-catalogue.ts";
import { signUpAtPanel, type PanelPerson } from "../support/panel-session.ts";
import { startStreamingPair, type StreamingPair } from "../support/streaming-pair.ts";
import { until } from "../support/until.ts";
import { untilReadThere } from "./until-read-there.ts";

let pair: StreamingPair;
let first: Gateway;
let second: Gateway;
let person: PanelPerson;
before(async () => {
  pair = await startStreamingPair();
  first = await start();
  // Its mails are in the first one's folder.
  second = await start({ roles: "api" });
  person = await signUpAtPanel(first);
  await untilReadThere(first);
  await untilReadThere(second);
});
after(async () => {
  await first?.stop();
  await second?.stop();
  await pair?.[Symbol.asyncDispose]();
});

function start(more: { readonly roles?: string } = {}): Promise<Gateway> {
  return startGateway({
    ...more,
    databaseUrl: pair.primary.url,
    catalogue: PANEL_CATALOGUE,
    env: {
      NOBODY_KEY: "none",
      SESSION_SECRET: "a secret of at least thirty-two characters",
      DATABASE_REPLICA_URL: pair.standby.url,
      // So that a standby whose replay is held is read from for as long as the test lasts.
      DATABASE_REPLICA_LAG_SECONDS: "300",
    },
  });
}

/** What the log of the account says was done, asked at that gateway. */
async function actionsAt(url: string, changed: string | null): Promise<string[]> {
  const cookie = [person.cookie, changed].filter((each) => each !== null).join("; ");
  const answer = await fetch(`${url}/panel/api/log`, { headers: { cookie } });
  assert.equal(answer.status, 200);
  return ((await answer.json()) as AccountLog).data.map(({ action }) => action);
}

test("what was just changed is read where it was written, by every process, and later from the standby", async () => {
  await pair.standby.ask("SELECT pg_wal_replay_pause()");
  await until("replay is held", async () => {
    const state = await pair.standby.ask("SELECT pg_get_wal_replay_pause_state()");
    return state === "paused";
  });
  const made = await person.ask("POST", "keys", { name: "new" });
  assert.equal(made.status, 201, made.text);
  const { changed } = person;
  assert.equal(changed, "tollgate_changed=1");
  for (const { url } of [first, second]) {
    assert.ok((await actionsAt(url, changed)).includes("key.create"), "with the cookie");
    assert.ok(!(await actionsAt(url, null)).includes("key.create"), "from the standby");
  }
  person.changed = null;
  const keys = (await person.ask("GET", "keys")).json<PanelKeyList>();
  assert.ok(
    keys.data.some(({ name }) => name === "new"),
    "keys are the primary's",
  );
  await pair.standby.ask("SELECT pg_wal_replay_resume()");
  await until("the standby has it, too", async () =>
    (await actionsAt(second.url, null)).includes("key.create"),
  );
});

/**
 * Guarantee: of all that the panel shows, a standby is asked for lists and exports alone; balances,
 * holds, keys, members and payments are never read there, by what the standby itself counts.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { PANEL_CATALOGUE } from "../support/panel-catalogue.ts";
import { signUpAtPanel, type PanelPerson } from "../support/panel-session.ts";
import { startStreamingPair, type StreamingPair } from "../support/streaming-pair.ts";
import { untilReadThere } from "./until-read-there.ts";

const LISTS = [
  ...["requests", "requests.csv", "requests/totals", "ledger", "ledger.csv", "log", "log.csv"],
  ...["operator/requests", "operator/tasks", "operator/audit"],
];
const OTHERS = [
  ...["overview", "usage", "spend", "keys", "groups", "members", "session", "sessions", "billing"],
  ...["top-ups", "tasks", "files", "batches", "alerts", "ledger/turnover", "ledger/days"],
  ...["operator/overview", "operator/accounts", "operator/payments", "operator/ledger"],
  ...["operator/upstreams", "operator/settings"],
];
/** What lists are made of, with their totals and the names of accounts; months are tables of their own. */
const OF_LISTS =
  /^(ledger\.(entries|seals)|tasks\.tasks|audit\.(account_)?actions|usage\.(hourly|daily|account_daily)|accounts\.accounts)(_\w+)?$/;

let pair: StreamingPair;
let gateway: Gateway;
let person: PanelPerson;
before(async () => {
  pair = await startStreamingPair();
  gateway = await startGateway({
    databaseUrl: pair.primary.url,
    catalogue: PANEL_CATALOGUE,
    env: { NOBODY_KEY: "none", DATABASE_REPLICA_URL: pair.standby.url },
  });
  person = await signUpAtPanel(gateway);
  await pair.primary.ask(
    `UPDATE accounts.members SET operator = true WHERE member_id = '${person.memberId}'`,
  );
  await untilReadThere(gateway);
  // It has changed something just now, and would read from the primary for that.
  person.changed = null;
});
after(async () => {
  await gateway?.stop();
  await pair?.[Symbol.asyncDispose]();
});

test("lists and exports alone are read from the standby", async () => {
  const ledger = `operator/accounts/${person.accountId}/ledger`;
  for (const path of [...OTHERS, ...LISTS, ledger])
    assert.equal((await person.ask("GET", path)).status, 200, path);
  // What its connections read is counted at their end at the latest.
  await gateway.stop();
  const read = await pair.standby.ask(
    "SELECT json_agg(relid::regclass::text ORDER BY 1) FROM pg_stat_user_tables WHERE seq_scan > 0 OR idx_scan > 0",
  );
  assert.ok(Array.isArray(read));
  const tables = read.map(String);
  assert.deepEqual(
    tables.filter((table) => !OF_LISTS.test(table)),
    [],
  );
  for (const part of ["ledger.entries_", "tasks.tasks", "audit.actions_", "audit.account_actions_"])
    assert.ok(
      tables.some((table) => table.startsWith(part)),
      `${part} in ${tables.join(", ")}`,
    );
});

/**
 * Guarantee: whatever the overview's figure is split by, each part has what the entries of its key,
 * owner, group, model or kind add up to, and all parts together are the whole of each point.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { insertMember } from "../../../accounts/store.ts";
import {
  ADDED_FIGURES,
  USAGE_FIGURES,
  USAGE_PARTS,
  type UsageFigure,
} from "../../../contract/enums/usage-range.ts";
import type { Usage, UsagePart } from "../../../contract/panel/usage.ts";
import { systemClock } from "../../../kernel/clock.ts";
import { newUuid, type Uuid } from "../../../kernel/ids.ts";
import { formatRoubles, nano, parseRoubles } from "../../../kernel/money.ts";
import { NO_USAGE } from "../../../kernel/token-usage.ts";
import type { KeyRecord } from "../../../keys/key-record.ts";
import { openAccountScene, type AccountScene } from "../../../../test/support/account-scene.ts";
import { fillReceipts } from "../../../../test/support/fill-receipts.ts";
import { changeAccountKey } from "./change-account-key.ts";
import { createAccountGroup } from "./create-account-group.ts";
import { keepDays } from "./keep-days.ts";
import { readUsage, type UsageWish } from "./read-usage.ts";

let scene: AccountScene;
before(async () => {
  scene = await openAccountScene();
});
after(() => scene.close());

const WISH: UsageWish = {
  range: "7d",
  from: null,
  to: null,
  by: "model",
  figure: "spent",
  keyHash: null,
  model: null,
  kind: null,
};

interface Entry {
  readonly key: string;
  readonly member: string | null;
  readonly group: string | null;
  readonly model: string;
  readonly kind: string;
  readonly chargedNano: bigint;
  readonly failed: boolean;
  readonly input: bigint | null;
  readonly cached: bigint | null;
  readonly output: bigint | null;
  readonly lastedMs: number;
  readonly firstMs: number | null;
}

interface Lived {
  readonly accountId: Uuid;
  readonly keys: readonly KeyRecord[];
  readonly members: ReadonlyMap<string, string>;
}

/** Two keys of one member, one of another, one of the account; one of the first's in a group. */
async function lived(): Promise<Lived> {
  const accountId = await scene.account("1000000");
  const keys = await Promise.all([1, 2, 3, 4].map(async () => (await scene.key(accountId)).key));
  const members = new Map<string, string>();
  for (const name of ["Анна", "Борис"]) {
    const memberId = newUuid();
    const email = `${memberId}@example.com`;
    await insertMember(scene.db, {
      memberId,
      accountId,
      email,
      passwordHash: "$argon2id$x",
      mustChangePassword: false,
      operator: false,
      role: "developer",
      language: "ru",
      verified: true,
    });
    await scene.db.query("UPDATE accounts.members SET name = $2 WHERE member_id = $1", [
      memberId,
      name,
    ]);
    members.set(name, memberId);
  }
  const [one, two, three] = keys.map(({ hash }) => hash);
  const change = (hash: string | undefined, wishes: Parameters<typeof changeAccountKey>[4]) =>
    changeAccountKey(scene.db, systemClock, accountId, hash ?? "", wishes);
  await change(one, { ownerId: members.get("Анна") ?? null });
  await change(two, { ownerId: members.get("Анна") ?? null });
  await change(three, { ownerId: members.get("Борис") ?? null });
  await fillReceipts(scene.url, {
    accountId,
    keyIds: keys.map(({ keyId }) => keyId),
    models: ["sandbox-large", "b", "c", "d", "e", "f", "g"],
    count: 700,
    apart: "13 minutes",
  });
  const group = { accountId, name: "Отдел", limit: null, models: null, once: null };
  const { id: groupId } = await createAccountGroup(scene.db, group);
  await change(one, { groupId });
  for (const key of keys) {
    const usage = { ...NO_USAGE, inputTokens: 31, cachedInputTokens: 9, outputTokens: 4 };
    await scene.chat(key, { chargeNano: 7_000_003n, usage });
    await scene.chat(key, { chargeNano: 0n, state: "failed" });
    await scene.task(key, 3_000_000_000n, "completed");
  }
  return { accountId, keys, members };
}

/** Of the last seven days of Moscow, one by one. */
async function entriesOf(accountId: string): Promise<readonly Entry[]> {
  return scene.db.query<Entry & Record<string, unknown>>(
    `SELECT k.hash AS key, k.owner_id::text AS member, g.name AS "group", e.model, e.amount_nano AS "chargedNano", e.state = 'failed' AS failed,
       CASE WHEN e.reference LIKE 'task:%' THEN 'task' ELSE 'chat' END AS kind, e.input_tokens::bigint AS input, e.cached_tokens::bigint AS cached,
       e.output_tokens::bigint AS output, coalesce(e.duration_ms, 0) AS "lastedMs", e.first_ms AS "firstMs"
     FROM ledger.entries e JOIN keys.keys k ON k.key_id = e.budget_id LEFT JOIN keys.groups g ON g.group_id = e.budget3_id
     WHERE e.account_id = $1 AND e.kind IN ('charge', 'release') AND (e.at AT TIME ZONE 'Europe/Moscow')::date > (now() AT TIME ZONE 'Europe/Moscow')::date - 7`,
    [accountId],
  );
}

/** By plain arithmetic; null: of nothing. */
function plain(figure: UsageFigure, entries: readonly Entry[]): bigint | number | null {
  const sum = (of: (entry: Entry) => bigint | null): bigint =>
    entries.reduce((all, entry) => all + (of(entry) ?? 0n), 0n);
  const chats = entries.filter(({ kind }) => kind === "chat");
  const firsts = entries.flatMap(({ firstMs }) => firstMs ?? []);
  const mean = (of: readonly number[]): number | null =>
    of.length === 0 ? null : Math.floor(of.reduce((all, one) => all + one, 0) / of.length);
  switch (figure) {
    case "spent":
      return sum(({ chargedNano }) => chargedNano);
    case "requests":
      return BigInt(entries.length);
    case "tokens":
      return sum(({ input, output }) => (input ?? 0n) + (output ?? 0n));
    case "errors":
      return BigInt(entries.filter(({ failed }) => failed).length);
    case "firstToken":
      return mean(firsts);
    case "duration":
      return mean(chats.map(({ lastedMs }) => lastedMs));
    case "cache":
      return Number(sum(({ cached }) => cached)) / Number(sum(({ input }) => input));
  }
}

function reported(figure: UsageFigure, { sums }: Pick<UsagePart, "sums">): bigint | number | null {
  switch (figure) {
    case "spent":
      return parseRoubles(sums.charged);
    case "requests":
      return BigInt(sums.requests + sums.tasks);
    case "tokens":
      return BigInt(sums.inputTokens + sums.outputTokens);
    case "errors":
      return BigInt(sums.errors);
    case "firstToken":
      return sums.timeToFirstTokenMs;
    case "duration":
      return sums.durationMs;
    case "cache":
      return sums.cachedTokens / sums.inputTokens;
  }
}

function nameOf(by: Usage["by"], part: UsagePart): string {
  const name = {
    key: part.key?.hash,
    member: part.member?.memberId,
    group: part.group?.name,
    model: part.model,
    kind: part.kind,
  }[by];
  return name ?? "";
}

const weighedBy = (figure: UsageFigure, entries: readonly Entry[]): bigint => {
  if (figure === "cache") return entries.reduce((all, { input }) => all + (input ?? 0n), 0n);
  if (figure === "firstToken" || figure === "duration")
    return BigInt(entries.filter(({ kind }) => kind === "chat").length);
  return plain(figure, entries) as bigint;
};

test("each figure, split by each thing: the entries', part by part and point by point", async () => {
  const { accountId, members } = await lived();
  await keepDays(scene.db);
  const entries = await entriesOf(accountId);
  assert.ok(entries.length > 500);
  for (const by of USAGE_PARTS) {
    const groups = Map.groupBy(entries, (entry) => entry[by] ?? "");
    for (const figure of USAGE_FIGURES) {
      const usage = await readUsage(scene.db, accountId, { ...WISH, by, figure });
      const where = `${figure} by ${by}`;
      const ranked = [...groups]
        .map(([name, own]) => ({ name, own, weight: weighedBy(figure, own) }))
        .filter(({ weight }) => weight > 0n)
        .toSorted((a, b) => (a.weight < b.weight ? 1 : -1));
      assert.deepEqual(
        [usage.parts.length, usage.others],
        [Math.min(ranked.length, 5), Math.max(0, ranked.length - 5)],
        where,
      );
      for (const [at, part] of usage.parts.entries()) {
        const own = groups.get(nameOf(by, part)) ?? [];
        assert.equal(reported(figure, part), plain(figure, own), `${where}: ${nameOf(by, part)}`);
        // Of equals the figure does not say which comes first.
        assert.equal(weighedBy(figure, own), ranked[at]?.weight, where);
      }
      assert.equal(reported(figure, { sums: usage.total }), plain(figure, entries), where);
      const added = ADDED_FIGURES.some((one) => one === figure);
      if (!added) {
        assert.deepEqual([usage.rest, ...usage.parts.map(({ points }) => points)].flat(), []);
        continue;
      }
      const exact = (text = "0"): bigint =>
        figure === "spent" ? (parseRoubles(text) ?? -1n) : BigInt(text);
      for (const [at, { sums }] of usage.points.entries())
        assert.equal(
          usage.parts.reduce((all, { points }) => all + exact(points[at]), exact(usage.rest[at])),
          reported(figure, { sums }),
          `${where} at ${at}`,
        );
    }
  }
  const { parts } = await readUsage(scene.db, accountId, { ...WISH, by: "member" });
  assert.deepEqual(
    new Set(parts.map(({ member }) => member?.name)),
    new Set([...members.keys(), undefined]),
  );
});

test("a member who sees only its own keys gets no part of another's, whatever it is split by", async () => {
  const { accountId, keys, members } = await lived();
  const own = new Set(keys.slice(0, 2).map(({ hash }) => hash));
  const entries = (await entriesOf(accountId)).filter(({ key }) => own.has(key));
  const sum = entries.reduce((all, { chargedNano }) => all + chargedNano, 0n);
  const anna = members.get("Анна") ?? null;
  for (const by of USAGE_PARTS) {
    const usage = await readUsage(scene.db, accountId, { ...WISH, by, ownerId: anna });
    assert.equal(usage.total.charged, formatRoubles(nano(sum)));
    const names = usage.parts.map((part) => nameOf(by, part));
    if (by === "member") assert.deepEqual(names, [anna]);
    if (by === "key") assert.deepEqual(new Set(names), own);
    assert.ok(names.every((name) => entries.some((entry) => (entry[by] ?? "") === name)));
  }
});

test("days that are kept have the same parts as their hours, by member and by group", async () => {
  const { accountId } = await lived();
  await keepDays(scene.db);
  const now = (await readUsage(scene.db, accountId, WISH)).points.map(({ at }) => at);
  for (const by of ["member", "group"] as const) {
    const week = await readUsage(scene.db, accountId, { ...WISH, by, figure: "requests" });
    const month = await readUsage(scene.db, accountId, {
      ...WISH,
      range: "30d",
      by,
      figure: "requests",
    });
    for (const part of week.parts) {
      const same = month.parts.find((one) => nameOf(by, one) === nameOf(by, part));
      assert.deepEqual(same?.points.slice(-now.length), part.points);
    }
  }
});

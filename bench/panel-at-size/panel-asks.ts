/** What the pages of the panel ask, each list with and without its filters. */
import type { PanelPerson } from "../../test/support/panel-session.ts";

export interface PanelAsk {
  readonly page: string;
  readonly by: "member" | "operator";
  /** Below /panel/api/, with its query. */
  readonly path: string;
  /** Of the answer's list: the page behind it is asked for. */
  readonly next?: true;
  /** Of a file: only its first piece is waited for. */
  readonly file?: true;
}

/** What addresses need, of the filled database. */
interface Named {
  readonly accountId: string;
  readonly smallId: string;
  /** Of the key that was used least. */
  readonly keyHash: string;
  /** Of the one that was used most. */
  readonly busyHash: string;
  readonly keyMask: string;
  readonly groupId: string;
  readonly memberId: string;
  readonly chatId: string;
  /** Null: there is none. */
  readonly taskId: string | null;
}

type Query = Readonly<Record<string, string>>;

const DAY_MS = 86_400_000;
const MOSCOW_MS = 3 * 3_600_000;

/** A day of Moscow, so many days ago. */
const day = (ago: number): string =>
  new Date(Date.now() + MOSCOW_MS - ago * DAY_MS).toISOString().slice(0, 10);
const midnight = (ago: number): string => new Date(`${day(ago)}T00:00:00+03:00`).toISOString();
const days = (from: number, to: number): Query => ({ from: day(from), to: day(to) });
/** From the beginning of a day up to that of another. */
const moments = (from: number, to: number): Query => ({ from: midnight(from), to: midnight(to) });

function address(path: string, query: Query = {}): string {
  const text = new URLSearchParams(query).toString();
  return text === "" ? path : `${path}?${text}`;
}

/** Finds what is to be asked for, and lists what is asked. */
export async function panelAsks(member: PanelPerson, operator: PanelPerson): Promise<PanelAsk[]> {
  const named = await readNamed(member, operator);
  return [...memberAsks(named), ...operatorAsks(named)];
}

async function readNamed(member: PanelPerson, operator: PanelPerson): Promise<Named> {
  /** A list that cannot be read shows as such when it is asked for. */
  async function list<T>(person: PanelPerson, path: string): Promise<readonly T[]> {
    const answer = await person.ask("GET", path);
    return answer.status === 200 ? answer.json<{ readonly data: readonly T[] }>().data : [];
  }
  const keys = await list<{ hash: string; mask: string }>(member, "keys?limit=1000");
  const [, group] = await list<{ id: string }>(member, "groups");
  const [chat] = await list<{ id: string }>(member, "requests?kind=chat&limit=1");
  const [task] = await list<{ taskId: string }>(member, "tasks?limit=1");
  const [small] = await list<{ accountId: string }>(
    operator,
    address("operator/accounts", { search: "Компания № 7", limit: "1" }),
  );
  return {
    accountId: member.accountId,
    memberId: member.memberId,
    smallId: small?.accountId ?? member.accountId,
    keyHash: keys[0]?.hash ?? "",
    busyHash: keys.at(-1)?.hash ?? "",
    keyMask: keys[0]?.mask ?? "",
    groupId: group?.id ?? "",
    chatId: chat?.id ?? "",
    taskId: task?.taskId ?? null,
  };
}

function memberAsks({ keyHash, busyHash, groupId, memberId, chatId, taskId }: Named): PanelAsk[] {
  const asks: PanelAsk[] = [];
  function ask(page: string, path: string, ...queries: readonly Query[]): void {
    for (const query of queries.length === 0 ? [{}] : queries)
      asks.push({ page, by: "member", path: address(path, query) });
  }
  const list = (page: string, path: string, ...queries: readonly Query[]): void => {
    ask(page, path, {}, ...queries);
    asks.push({ page, by: "member", path, next: true });
  };
  const file = (page: string, path: string, query: Query = {}): void =>
    void asks.push({ page, by: "member", path: address(path, query), file: true });

  for (const path of ["visitor", "session", "installation", "account/block"])
    ask("every page", path);
  ask("overview", "overview");
  for (const by of ["model", "key", "kind"])
    ask(
      "overview",
      "usage",
      ...["24h", "7d", "30d"].map((range) => ({ range, by })),
      { ...days(89, 0), by },
      { range: "30d", by, keyHash: busyHash },
      { range: "30d", by, model: "sandbox-large" },
    );
  for (const by of ["day", "key", "model", "group", "member"])
    ask("spend", "spend", { by }, { ...days(89, 0), by });

  const filters: Query[] = [
    { keyHash },
    { keyHash: busyHash },
    { model: "sandbox-large" },
    { state: "failed" },
    { state: "client_gone" },
    { state: "stopped_by_balance" },
    { kind: "chat" },
    moments(1, 0),
    moments(60, 59),
    { keyHash, state: "failed" },
  ];
  list(
    "requests",
    "requests",
    ...filters,
    { kind: "task" },
    { model: "never-called" },
    { ...moments(30, 0), model: "sandbox-small", state: "client_gone" },
    { ...moments(2, 1), order: "charged" },
    { ...moments(2, 1), order: "duration" },
    { limit: "1000" },
  );
  ask("requests", "requests/totals", {}, ...filters, { from: midnight(0) }, moments(30, 0), {
    ...moments(30, 0),
    keyHash,
  });
  file("requests", "requests.csv");
  file("requests", "requests.csv", { state: "failed", language: "ru" });
  ask("request", `requests/${chatId}`);
  if (taskId !== null) ask("request", `requests/${taskId}`);
  list("tasks", "tasks", { state: "failed" }, { model: "flux-2" });
  if (taskId !== null) ask("task", `tasks/${taskId}`);
  list("keys", "keys", { limit: "1000", deleted: "true" });
  ask("key", `keys/${keyHash}`);
  ask("groups", "groups");
  ask("groups", `groups/${groupId}`);
  list(
    "ledger",
    "ledger",
    { kind: "topup" },
    { kind: "charge" },
    { holds: "true" },
    moments(60, 59),
    { ...moments(30, 0), kind: "release" },
  );
  ask("ledger", "ledger/turnover", {}, moments(30, 0), moments(89, 0));
  ask("ledger by day", "ledger/days", {}, { ...days(89, 0), limit: "92" });
  file("ledger", "ledger.csv");
  ask("billing", "billing");
  ask("billing", "top-ups");
  ask("alerts", "alerts");
  list("alerts", "alerts/deliveries");
  ask("alerts", "alerts/webhook-secret");
  ask("members", "members");
  list("account log", "log", { member: memberId }, { action: "key.freeze" }, moments(30, 0));
  file("account log", "log.csv");
  for (const path of ["models", "batches", "files", "sessions", "webhook-secret"]) ask(path, path);
  return asks;
}

function operatorAsks({ accountId, smallId, keyHash, keyMask, chatId, taskId }: Named): PanelAsk[] {
  const asks: PanelAsk[] = [];
  function ask(page: string, path: string, ...queries: readonly Query[]): void {
    for (const query of queries.length === 0 ? [{}] : queries)
      asks.push({ page, by: "operator", path: address(`operator/${path}`, query) });
  }
  const list = (page: string, path: string, ...queries: readonly Query[]): void => {
    ask(page, path, {}, ...queries);
    asks.push({ page, by: "operator", path: `operator/${path}`, next: true });
  };

  ask("today", "overview");
  const sorts = ["newest", "spent", "balance", "seen"];
  list(
    "accounts",
    "accounts",
    ...sorts.map((sort) => ({ sort })),
    { search: "№ 77" },
    { search: "owner-77" },
    { search: keyMask.slice(-4) },
    { search: keyHash.slice(0, 12) },
    { search: "no such account" },
    { sort: "spent", search: "№ 7" },
    { state: "blocked" },
    { tag: "vip" },
  );
  for (const sort of sorts)
    asks.push({
      page: "accounts",
      by: "operator",
      path: address("operator/accounts", { sort }),
      next: true,
    });
  asks.push({ page: "accounts", by: "operator", path: "operator/accounts.csv", file: true });
  for (const id of [accountId, smallId]) {
    ask("account", `accounts/${id}`);
    list("account", `accounts/${id}/ledger`, { kind: "topup" });
  }
  const payments: Query[] = [{ state: "succeeded" }, { state: "failed" }, { account: accountId }];
  list("payments", "payments", ...payments);
  ask("payments", "payments/totals", {}, ...payments);
  list(
    "all requests",
    "requests",
    { account: accountId },
    { account: smallId },
    { account: accountId, key: keyHash },
    { model: "sandbox-large" },
    { state: "failed" },
    { state: "client_gone" },
    { state: "stopped_by_balance" },
    { upstream: "upstream-1" },
    { upstream: "never-called" },
    moments(60, 59),
  );
  ask("request", `requests/${chatId}`);
  list("all tasks", "tasks", { account: accountId }, { state: "failed" }, { model: "flux-2" });
  ask("all tasks", "tasks/stuck");
  if (taskId !== null) ask("task", `tasks/${taskId}`);
  ask("upstreams", "upstreams", { window: "15m" }, { window: "24h" });
  ask("upstreams", "upstreams/errors", { upstream: "upstream-1", window: "24h" });
  for (const by of ["day", "model", "upstream"])
    ask("margin", "margin", { ...days(29, 0), by }, { ...days(91, 0), by });
  ask("ledger check", "ledger");
  list("audit log", "audit", { account: smallId }, { action: "account.block" }, moments(60, 30), {
    member: "01890000-0000-7000-8000-0000000000aa",
  });
  ask("catalogue", "catalogue");
  ask("catalogue", "catalogue/versions");
  ask("settings", "settings");
  ask("settings", "sign-up-codes");
  return asks;
}

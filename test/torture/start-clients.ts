/** Who takes part in a run: accounts, their keys, and a client for each thing that can be done. */
import { openAndClose, orderPictures, payIn } from "./account-clients.ts";
import { chatOn, drainAccounts, streamUntilBroke } from "./chat-clients.ts";
import { openAccount, openKey, type Key } from "./customers.ts";
import { regroup } from "./group-clients.ts";
import type { Stage } from "./stage.ts";

export interface Clients {
  /** Of the accounts that stay from beginning to end. */
  readonly keys: readonly Key[];
  /** Resolves when each has come to its end. */
  readonly done: Promise<unknown>;
  /** Rejects with the first fault of a client itself. */
  readonly failed: Promise<never>;
}

const RICH_NANO = 100_000_000_000_000n;
const ACCOUNTS = 3;
const KEYS = 3;

export async function startClients(stage: Stage, patienceMs: number): Promise<Clients> {
  const keys: Key[] = [];
  for (let account = 1; account <= ACCOUNTS; account++) {
    const accountId = await openAccount(stage, `rich-${account}`, RICH_NANO);
    for (let number = 1; number <= KEYS && accountId !== null; number++) {
      const key = await openKey(stage, accountId);
      if (key !== null) keys.push(key);
    }
  }
  const open = async (name: string): Promise<Key> => {
    const accountId = await openAccount(stage, name, RICH_NANO);
    const key = accountId === null ? null : await openKey(stage, accountId);
    if (key === null) throw new Error("the database is away before the run begins");
    keys.push(key);
    return key;
  };
  const painter = await open("painter");
  const payer = await open("payer");
  const grouped: Key[] = [];
  const grouper = await openAccount(stage, "grouper", RICH_NANO);
  for (let number = 1; number <= KEYS && grouper !== null; number++) {
    const key = await openKey(stage, grouper);
    if (key !== null) grouped.push(key);
  }
  keys.push(...grouped);
  const closer = await openAccount(stage, "closer", RICH_NANO);
  const working = [
    ...keys.slice(0, ACCOUNTS * KEYS).map((key, index) => chatOn(stage, `chat-${index + 1}`, key)),
    orderPictures(stage, "painter", painter),
    payIn(stage, "payer", payer.accountId),
    chatOn(stage, "payer-chat", payer),
    ...grouped.map((key, index) => chatOn(stage, `grouped-${index + 1}`, key)),
    ...(grouper === null ? [] : [regroup(stage, "grouper", grouper, grouped)]),
    ...(closer === null ? [] : [openAndClose(stage, "closer", closer)]),
    drainAccounts(stage, "dry-1", patienceMs),
    drainAccounts(stage, "dry-2", patienceMs),
    streamUntilBroke(stage, "broke"),
  ];
  const done = Promise.all(working);
  const failed = Promise.withResolvers<never>();
  done.catch((error: unknown) => failed.reject(error as Error));
  failed.promise.catch(() => undefined);
  return { keys, done, failed: failed.promise };
}

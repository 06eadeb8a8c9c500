/** Accounts, groups, keys and top-ups of a run, made as commands and the panel make them. */
import { topUp } from "../../src/business/accounts/top-up.ts";
import { createAccountGroup } from "../../src/business/panel/account/create-account-group.ts";
import { createAccount } from "../../src/business/accounts/create-account.ts";
import type { SpendLimit } from "../../src/business/keys/read-key-settings.ts";
import { nano } from "../../src/kernel/money.ts";
import { newKey } from "../support/new-customer.ts";
import type { Stage } from "./stage.ts";

export interface Key {
  readonly accountId: string;
  readonly keyId: string;
  readonly hash: string;
  readonly secret: string;
}

const PAUSE_MS = 300;

/** While the database is away nothing can be done; each of these may be done twice. */
export async function insist<T>(stage: Stage, work: () => Promise<T>): Promise<T | null> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!stage.running) return null;
      if (!/overloaded|terminat|connect|ECONN|closed|room|recovery|shutting/i.test(wordsOf(error)))
        throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? `${error.name} ${error.message} ${JSON.stringify(error)}` : "";
}

/** Credits an account; the reference makes sure that a repeated try counts once. */
export async function credit(
  stage: Stage,
  accountId: string,
  amountNano: bigint,
  reference: string,
): Promise<void> {
  const traced = { accountId, reference, amountNano, known: false };
  stage.trace.topUps.push(traced);
  const done = await insist(stage, () =>
    topUp(stage.db, { accountId, amountNano: nano(amountNano), reference }),
  );
  traced.known = done !== null;
}

/** Null: the run was over before the database was back. */
export async function openAccount(
  stage: Stage,
  name: string,
  amountNano: bigint,
): Promise<string | null> {
  const made = await insist(stage, () =>
    createAccount(stage.db, { name, email: null, operator: false }),
  );
  if (made === null) return null;
  if (made.kind !== "created") throw new Error(`no account was made: ${made.kind}`);
  if (amountNano > 0n) await credit(stage, made.accountId, amountNano, `torture-${name}`);
  return made.accountId;
}

export async function openKey(
  stage: Stage,
  accountId: string,
  limitNano: bigint | null = null,
  groupId: string | null = null,
): Promise<Key | null> {
  const limit = limitOf(limitNano);
  const made = await insist(stage, () => newKey(stage.db, accountId, { limit, groupId }));
  if (made === null) return null;
  return { accountId, keyId: made.key.keyId, hash: made.key.hash, secret: made.secret };
}

/** The id of a new group of keys; one whose making had no answer stays, and no key is in it. */
export async function openGroup(
  stage: Stage,
  accountId: string,
  limitNano: bigint | null = null,
): Promise<string | null> {
  const wishes = { name: "torture", models: null, limit: limitOf(limitNano), once: null };
  const made = await insist(stage, () => createAccountGroup(stage.db, { accountId, ...wishes }));
  return made?.id ?? null;
}

export function limitOf(limitNano: bigint | null): SpendLimit | null {
  return limitNano === null ? null : { amountNano: nano(limitNano), period: "total" };
}

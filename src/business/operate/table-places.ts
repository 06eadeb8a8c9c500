/**
 * Where each table lies once accounts are spread over servers: the one list of it, which the schema is
 * held against and a plan of distribution is made of.
 */
import type { TableShape } from "./tables.store.ts";

export type TableKind =
  /** Spread by its account. */
  | "distributed"
  /** Whole on every server: small, seldom written, referred to from everywhere. */
  | "reference"
  /** In one place, on the coordinator. */
  | "local";

export interface TablePlace {
  readonly kind: TableKind;
  readonly why: string;
}

/** Tables that belong to no account, each with what keeps it in one place. */
export const LOCAL_TABLES: Readonly<Record<string, string>> = {
  "migrations.applied": "of the database itself",
  "directory.attempts": "finds the account of what an upstream reports on",
  "directory.files": "finds the account of a name that is fetched",
  "directory.payments": "finds the account of what a provider of payments reports on",
  "directory.keys": "finds the account of a key that is shown",
  "directory.transfers": "money from outside, known by its reference over all accounts",
  "catalogue.versions": "one catalogue for all",
  "accounts.members": "people: found by e-mail, before any account is known",
  "accounts.totp": "of a person",
  "accounts.recovery_codes": "of a person",
  "accounts.passkeys": "of a person: found by the credential that its browser shows",
  "accounts.sessions": "of a person: found by the cookie",
  "accounts.devices": "of a person",
  "accounts.tokens": "of a person: found by the link in a mail",
  "accounts.invitations": "of people to be: found by the link in a mail",
  "accounts.attempts": "of strangers",
  "accounts.consents": "of a person",
  "installation.settings": "of the operator",
  "installation.images": "of the operator",
  "installation.sign_up_codes": "of the operator: found by strangers",
  "ledger.owners": "processes",
  "ledger.journals": "processes",
  "ledger.pages": "what processes said, of many accounts, until it is posted",
  "ledger.months": "which months of all accounts are closed: a row each",
  "limits.owners": "processes",
  "limits.subjects": "counts of the last minute, unlogged, of keys and accounts alike",
  "limits.running": "as limits.subjects",
  "files.removals": "objects of the storage that are nobody's any more",
  "tasks.submit_turns": "an upstream's turns, taken by all accounts",
  "mail.outbox": "mails, to whoever it is",
  "telegram.bots": "of the operator",
  "telegram.codes": "of a person: found by what is written to the bot",
  "telegram.chats": "of a person",
  "telegram.messages": "messages, to whatever chat it is",
  "alerts.operator_rules": "of the operator",
  "audit.actions":
    "what operators did, in one order, about accounts and about what is no account's",
  "operate.processes": "processes",
  "operate.verifications": "of the operator",
  "operate.routes_out": "of the operator: upstreams, read by every process",
  "operate.upstream_balances": "of the operator: upstreams",
  "operate.margin_days": "of the operator: sums over all accounts",
  "operate.margin": "of the operator: sums over all accounts",
  "usage.daily_through": "one day for all",
  "usage.account_daily_through": "one day for all",
  "usage.parked": "receipts that could not be read: not even their account",
  "usage.count_samples": "of upstreams: the newest of each, whoever asked",
};

/** Tables of accounts that are looked into from everywhere. */
export const REFERENCE_TABLES: Readonly<Record<string, string>> = {
  "accounts.accounts":
    "members and invitations refer to it, and what lies in one place may not refer to what is spread",
};

/** Whatever is listed nowhere is an account's. */
export function placeOf(name: string): TablePlace {
  const local = Object.hasOwn(LOCAL_TABLES, name) ? LOCAL_TABLES[name] : undefined;
  if (local !== undefined) return { kind: "local", why: local };
  const reference = Object.hasOwn(REFERENCE_TABLES, name) ? REFERENCE_TABLES[name] : undefined;
  if (reference !== undefined) return { kind: "reference", why: reference };
  return { kind: "distributed", why: "of an account" };
}

/** What stands in the way of spreading a table that is an account's. */
export function tableFaults(table: TableShape): string[] {
  const { name, columns, keys, references } = table;
  if (placeOf(name).kind === "local") return [];
  if (!columns.includes("account_id")) return [`${name} has no account_id`];
  return [
    ...(keys.length > 0 ? [] : [`${name} has no key`]),
    ...keys
      .filter(
        (key) => (key.primary ? key.columns[0] : key.columns.find(isAccountId)) !== "account_id",
      )
      .map(
        (key) =>
          `${key.name} of ${name} does not ${key.primary ? "begin with" : "hold"} account_id`,
      ),
    ...references
      .filter(({ pairs }) => !pairs.some(([from, to]) => isAccountId(from) && isAccountId(to)))
      .map((reference) => `${reference.name} of ${name} may lead to another account`),
  ];
}

const isAccountId = (column: string): boolean => column === "account_id";

/**
 * Who is asking: finds the key behind a request's headers, and says what was sent when there is
 * none (contract §3).
 */
import type { Clock } from "../../kernel/clock.ts";
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import { Fault, type FaultDetails } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { hashKeySecret } from "../../kernel/secrets.ts";
import { ipAllowed } from "../../keys/ip-ranges.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import type { CredentialHeaders } from "./read-credentials.ts";
import { readCredentials, soleCredential } from "./read-credentials.ts";
import { createRecentHashes } from "./recent-hashes.ts";

/** A key, and whether its account is blocked, which `findCaller` adds to it. */
type KnownKey = KeyRecord & { readonly accountBlocked?: boolean };

/** `Key` is what `findKey` gives, so that callers get back what they put in. */
export interface Authenticator<Key extends KeyRecord = KeyRecord> {
  /**
   * May answer from memory. Only for requests that then hold money: a key deleted a moment ago
   * still passes here, and its closed budget refuses the hold, as the ledger does for a blocked
   * account; then there is no promise either. Rejects with a Fault: `invalid_api_key`,
   * `permission_denied` where the account is blocked, or `invalid_request` when two valid keys
   * differ.
   */
  authenticate(headers: CredentialHeaders): Key | Promise<Key>;
  /** Reads the database every time: exact without a hold. Rejects as `authenticate` does. */
  authenticateFresh(headers: CredentialHeaders): Promise<Key>;
  /**
   * The key that a member of this account chose by its hash, for the panel alone: its session is
   * what authorises, a hash never does. Reads the database every time. Rejects with a Fault:
   * `not_found` for whatever is no key of the account, `permission_denied` for one that no request
   * may be made with.
   */
  choose(hash: string, accountId: Uuid): Promise<Key>;
  /** The key behind this hash was deleted or changed. */
  forget(hash: string): void;
  /** What is remembered with the keys of this account was changed. */
  forgetAccount(accountId: Uuid): void;
  /** Notifications may have been missed. */
  forgetAll(): void;
  /**
   * Reads anew, all with one question, what was used lately and will soon be too old, so that no
   * request waits for a key that is known; to be called every second or so. `findKeys` gives those of
   * these hashes that there are. Rejects as `findKeys` does; then nothing has changed.
   */
  refresh(findKeys: (hashes: readonly string[]) => Promise<readonly Key[]>): Promise<void>;
}

export interface AuthenticatorDeps<Key extends KnownKey> {
  /** The key of this hash, deleted and expired ones too; null when there is none. */
  findKey(hash: string): Promise<Key | null>;
  readonly clock: Clock;
  /** Keys kept in memory at most. */
  readonly cacheLimit?: number;
}

interface Cached<Key> {
  readonly key: Key;
  readonly readAtMs: number;
  usedAtMs: number;
}

type Refusal = "unknown" | "deleted" | "frozen" | "expired" | "blocked" | "group-frozen";

const DEFAULT_CACHE_LIMIT = 50_000;
/** How old a key from memory may be when every notification about it was lost. */
const CACHE_MS = 60_000;
/** A key that was used within the last ten minutes is read anew when it is as old as this, */
const REFRESH_AFTER_MS = 20_000;
const USED_WITHIN_MS = 10 * 60_000;
/** so many at once. */
const REFRESHED_AT_ONCE = 500;

export function createAuthenticator<Key extends KnownKey>(
  deps: AuthenticatorDeps<Key>,
): Authenticator<Key> {
  const { clock } = deps;
  const cacheLimit = deps.cacheLimit ?? DEFAULT_CACHE_LIMIT;
  /** Those that were read first come first. */
  const cache = new Map<string, Cached<Key>>();
  const reading = new Map<string, Promise<Key | null>>();
  const hashOf = createRecentHashes();

  async function read(hash: string): Promise<Key | null> {
    const promise = deps.findKey(hash);
    reading.set(hash, promise);
    try {
      const key = await promise;
      // A key forgotten while it was being read is not remembered: what was read may be what made
      // it forgotten. Nor is one that is stopped, so that it is served as soon as it is let go on.
      const current = reading.get(hash) === promise;
      if (current && key !== null && !isStopped(key)) remember(key, clock.monotonicMs());
      return key;
    } finally {
      if (reading.get(hash) === promise) reading.delete(hash);
    }
  }

  function remember(key: Key, usedAtMs: number): void {
    cache.delete(key.hash);
    for (const oldest of cache.keys()) {
      if (cache.size < cacheLimit) break;
      cache.delete(oldest);
    }
    cache.set(key.hash, { key, readAtMs: clock.monotonicMs(), usedAtMs });
  }

  function remembered(hash: string): Key | null {
    const cached = cache.get(hash);
    const nowMs = clock.monotonicMs();
    if (cached === undefined || nowMs - cached.readAtMs >= CACHE_MS) return null;
    cached.usedAtMs = nowMs;
    return cached.key;
  }

  /** What is to be read anew; what was not used for long goes when it is too old for any use. */
  function oldOnes(): Map<string, Cached<Key>> {
    const nowMs = clock.monotonicMs();
    const old = new Map<string, Cached<Key>>();
    for (const [hash, cached] of cache) {
      const ageMs = nowMs - cached.readAtMs;
      if (ageMs < REFRESH_AFTER_MS || old.size === REFRESHED_AT_ONCE) break;
      if (nowMs - cached.usedAtMs <= USED_WITHIN_MS) old.set(hash, cached);
      else if (ageMs >= CACHE_MS) cache.delete(hash);
    }
    return old;
  }

  /**
   * Unknown keys are asked for anew each time, so that a new key works at once everywhere; callers
   * at the same time share one question.
   */
  async function fromMemory(hash: string): Promise<Key | null> {
    return remembered(hash) ?? (await (reading.get(hash) ?? read(hash)));
  }

  function refusalOf(key: Key | null): Refusal | null {
    if (key === null) return "unknown";
    if (key.deletedAt !== null) return "deleted";
    if ((key.frozenAt ?? null) !== null) return "frozen";
    if (key.expiresAt !== null && key.expiresAt <= clock.now()) return "expired";
    if (key.accountBlocked === true) return "blocked";
    return key.groupFrozen ? "group-frozen" : null;
  }

  async function identify(
    headers: CredentialHeaders,
    find: (hash: string) => Promise<Key | null>,
  ): Promise<Key> {
    const sent = readCredentials(headers);
    if (sent.secrets.length === 0) throw new Fault("invalid_api_key", { message: sent.complaint });
    const found = await Promise.all(sent.secrets.map((secret) => find(hashKeySecret(secret))));
    const valid = found.filter((each) => refusalOf(each) === null);
    if (valid.length > 1) {
      throw new Fault("invalid_request", {
        message:
          "The headers x-api-key and authorization carry two different API keys. Send one of them.",
        param: "x-api-key",
      });
    }
    const key = valid[0] ?? null;
    if (key !== null) return key;
    const refused = found.find((each) => each !== null) ?? null;
    const refusal = refusalOf(refused) ?? "unknown";
    throw new Fault(OF_MORE_KEYS.has(refusal) ? "permission_denied" : "invalid_api_key", {
      ...REFUSALS[refusal],
      ...(refused === null
        ? {}
        : { refusedKey: { mask: refused.mask, accountId: refused.accountId } }),
    });
  }

  return {
    authenticate(headers) {
      const secret = soleCredential(headers);
      const key = secret === null ? null : remembered(hashOf(secret));
      return key !== null && refusalOf(key) === null ? key : identify(headers, fromMemory);
    },
    // Not shared with reads under way: they may have begun before what this caller must see.
    authenticateFresh: (headers) => identify(headers, (hash) => deps.findKey(hash)),
    async choose(hash, accountId) {
      const key = await deps.findKey(hash);
      if (key === null || key.accountId !== accountId)
        throw new Fault("not_found", { message: "This account has no such key." });
      const refusal = refusalOf(key);
      if (refusal !== null)
        throw new Fault("permission_denied", {
          ...REFUSALS[refusal],
          param: "x-tollgate-key",
        });
      return key;
    },
    forget(hash) {
      cache.delete(hash);
      reading.delete(hash);
    },
    forgetAccount(accountId) {
      for (const [hash, { key }] of cache) if (key.accountId === accountId) cache.delete(hash);
      // Whose keys are being read is not known yet.
      reading.clear();
    },
    forgetAll() {
      cache.clear();
      reading.clear();
    },
    async refresh(findKeys) {
      const old = oldOnes();
      if (old.size === 0) return;
      const found = new Map((await findKeys([...old.keys()])).map((key) => [key.hash, key]));
      for (const [hash, before] of old) {
        // Forgotten or read meanwhile: this answer may be older.
        if (cache.get(hash) !== before) continue;
        const key = found.get(hash);
        if (key === undefined || isStopped(key)) cache.delete(hash);
        else remember(key, before.usedAtMs);
      }
    },
  };
}

function isStopped({
  deletedAt,
  frozenAt = null,
  accountBlocked = false,
  groupFrozen,
}: KnownKey): boolean {
  return deletedAt !== null || frozenAt !== null || accountBlocked || groupFrozen;
}

/** Not the key itself is at fault. */
const OF_MORE_KEYS: ReadonlySet<Refusal> = new Set(["blocked", "group-frozen"]);

const REFUSALS: Record<Refusal, Pick<FaultDetails, "message" | "reason" | "params">> = {
  unknown: {
    message: "There is no such API key. Create one, or check that it belongs to this gateway.",
  },
  deleted: sayRefusal("api_key_deleted"),
  frozen: sayRefusal("api_key_frozen"),
  expired: sayRefusal("api_key_expired"),
  // As the ledger's refusal of a hold is told.
  blocked: sayRefusal("account_blocked"),
  "group-frozen": sayRefusal("group_frozen"),
};

export interface KeyAccess {
  /** The model that would serve and be charged. */
  readonly model?: string;
  /**
   * The id that was asked for, where it is another: a family id. A key may call it when its list
   * has either of the two.
   */
  readonly modelRequested?: string;
  readonly ip: string;
}

/**
 * Throws Fault("permission_denied") when the lists of the key, or of its group, do not allow this
 * model or this caller's address.
 */
export function checkKeyAccess(
  key: Pick<KeyRecord, "ips" | "models" | "groupModels">,
  { model, modelRequested = model, ip }: KeyAccess,
): void {
  if (key.ips !== null && !ipAllowed(key.ips, ip)) {
    throw new Fault("permission_denied", sayRefusal("address_not_allowed", { address: ip }));
  }
  if (model === undefined || modelRequested === undefined) return;
  if (mayUseModel(key, model, modelRequested)) return;
  const ofKey = !isListed(key.models, model, modelRequested);
  throw new Fault("permission_denied", {
    ...sayRefusal(ofKey ? "model_not_allowed" : "model_not_in_group", { model: modelRequested }),
    param: "model",
  });
}

/**
 * Whether the key's list of models has the model itself, or the id that it was asked for by, and
 * its group's list, too.
 */
export function mayUseModel(
  { models, groupModels }: Pick<KeyRecord, "models" | "groupModels">,
  model: string,
  modelRequested: string = model,
): boolean {
  return isListed(models, model, modelRequested) && isListed(groupModels, model, modelRequested);
}

function isListed(
  models: readonly string[] | null,
  model: string,
  modelRequested: string,
): boolean {
  return models === null || models.includes(model) || models.includes(modelRequested);
}

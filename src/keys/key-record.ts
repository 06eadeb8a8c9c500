/**
 * One API key as the program knows it: never its secret, and not its spend limit, which is a budget
 * in the ledger.
 */
import type { Uuid } from "../kernel/ids.ts";
import type { RateLimits } from "../kernel/rate-limits.ts";

export interface KeyRecord extends RateLimits {
  /** Also the id of the key's budget in the ledger. */
  readonly keyId: Uuid;
  readonly accountId: Uuid;
  /** SHA-256 of the secret, hex; how a key is named from outside. */
  readonly hash: string;
  readonly mask: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly deletedAt: Date | null;
  /**
   * Since when it is stopped, until a member or the operator lets it go on; absent or null: it is
   * not.
   */
  readonly frozenAt?: Date | null;
  /** The id of the key that took its place. */
  readonly rolledTo?: Uuid | null;
  /** At most once a minute, so it may lag. */
  readonly lastUsedAt: Date | null;
  /** The member whose it is; null: the account's. Absent: not asked for. */
  readonly ownerId?: Uuid | null;
  /** In which it is, also the id of the budget around its own; null: in none. */
  readonly groupId: Uuid | null;
  /** Ids of the only models that keys of its group may call; null: all. */
  readonly groupModels: readonly string[] | null;
  /** Its group is switched off. */
  readonly groupFrozen: boolean;
  /** Ids of the only models that the key may call; null: all. */
  readonly models: readonly string[] | null;
  /** Address ranges (CIDR) that the key may be used from; null: anywhere. */
  readonly ips: readonly string[] | null;
}

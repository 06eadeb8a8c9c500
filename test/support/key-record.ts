/** A key that may do everything, for tests that ask no database. */
import { newUuid } from "../../src/kernel/ids.ts";
import { NO_RATE_LIMITS } from "../../src/kernel/rate-limits.ts";
import type { KeyRecord } from "../../src/keys/key-record.ts";

export function keyRecord(fields: Partial<KeyRecord> = {}): KeyRecord {
  return {
    keyId: newUuid(),
    accountId: newUuid(),
    hash: "0".repeat(64),
    mask: "tg_live_Ab3d…x9Qz",
    name: "test",
    createdAt: new Date(0),
    expiresAt: null,
    deletedAt: null,
    lastUsedAt: null,
    models: null,
    ips: null,
    groupId: null,
    groupModels: null,
    groupFrozen: false,
    ...NO_RATE_LIMITS,
    ...fields,
  };
}

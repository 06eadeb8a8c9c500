/**
 * The least id of a moment: ids begin with their time (UUIDv7), so a moment is a bound on them, and
 * a list needs no index of its own.
 */
import type { Uuid } from "../../kernel/ids.ts";

const LAST_MS = 0xffff_ffff_ffff;

/** 48 bits of time, then the version and the variant. */
export function firstIdAt(moment: Date): Uuid {
  const hex = Math.min(Math.max(moment.getTime(), 0), LAST_MS).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

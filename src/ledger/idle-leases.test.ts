/** Which leases are given back when no request uses them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "../kernel/ids.ts";
import { idleLeases } from "./idle-leases.ts";

const [accountId, otherId] = [newUuid(), newUuid()];
const MINUTE_MS = 60_000;

interface Idle {
  readonly accountId?: string;
  readonly total?: bigint;
  readonly room?: bigint;
  readonly idleMs: number;
  readonly asking?: Promise<void> | null;
}

const NOW_MS = 10 * MINUTE_MS;
const lease = ({ total = 10n, room = 100_000n, idleMs, asking = null, ...of }: Idle) => ({
  accountId: of.accountId ?? accountId,
  totalNano: total,
  roomNano: room,
  asking,
  lastUsedMs: NOW_MS - idleMs,
});

test("what is used, and what the database is asked about, is kept", () => {
  const leases = [
    lease({ idleMs: 4_999, room: 0n }),
    lease({ idleMs: 6_000, room: 0n, asking: Promise.resolve() }),
  ];
  assert.deepEqual(idleLeases(leases, NOW_MS), []);
});

test("a trifle stays for five minutes, anything more for five seconds", () => {
  const [trifle, old, more] = [
    lease({ idleMs: 5 * MINUTE_MS - 1 }),
    lease({ idleMs: 5 * MINUTE_MS }),
    lease({ idleMs: 5_000, total: 11n, room: 1_099n, accountId: otherId }),
  ];
  assert.deepEqual(idleLeases([trifle, old, more], NOW_MS), [old, more]);
});

test("many trifles of one account are none: together they come to a hundredth of what was free at most", () => {
  const idle = { idleMs: 5_000, total: 10n, room: 10_000n };
  const ten = Array.from({ length: 10 }, () => lease(idle));
  assert.deepEqual(idleLeases(ten, NOW_MS), []);
  const used = lease({ idleMs: 0, total: 1n, room: 10_000n });
  assert.deepEqual(idleLeases([...ten, used], NOW_MS), ten);
  const other = lease({ ...idle, accountId: otherId });
  assert.deepEqual(idleLeases([other, ...ten, used], NOW_MS), ten, "of that account alone");
});

test("where one lease of the account was granted out of little, or it is not known of how much, none is a trifle", () => {
  for (const room of [999n, 0n]) {
    const leases = [lease({ idleMs: 5_000 }), lease({ idleMs: 0, room })];
    assert.deepEqual(idleLeases(leases, NOW_MS), leases.slice(0, 1));
  }
});

test("a process has ten thousand at most that are idle or not: those that were used longest ago go first", () => {
  const leases = Array.from({ length: 10_003 }, (_, nth) =>
    lease({ idleMs: 5_000 + ((nth * 11) % 10_003), total: 0n, accountId: newUuid() }),
  );
  const given = idleLeases(leases, NOW_MS);
  assert.deepEqual(
    given.map(({ lastUsedMs }) => NOW_MS - lastUsedMs).toSorted((a, b) => b - a),
    [15_002, 15_001, 15_000],
  );
});

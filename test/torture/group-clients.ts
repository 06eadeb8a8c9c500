/**
 * What an account does to its groups while their keys are used: keys change their group, groups are
 * switched off, limited and deleted.
 */
import { setTimeout as sleep } from "node:timers/promises";
import {
  changeAccountGroup,
  setAccountGroupFrozen,
} from "../../src/business/panel/account/change-account-group.ts";
import { changeAccountKey } from "../../src/business/panel/account/change-account-key.ts";
import { deleteAccountGroup } from "../../src/business/panel/account/delete-account-group.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { close } from "./account-clients.ts";
import { insist, limitOf, openGroup, type Key } from "./customers.ts";
import type { Stage } from "./stage.ts";
import type { Placement } from "./trace.ts";

const GROUPS = 2;

/** The keys begin in no group. */
export async function regroup(
  stage: Stage,
  client: string,
  accountId: string,
  keys: readonly Key[],
): Promise<void> {
  const chance = stage.chance(client);
  const { db } = stage;
  const groups: string[] = [];
  const places = new Map(keys.map((key) => [key, place(key, null)]));

  function place({ keyId }: Key, groupId: string | null): Placement {
    const placement = { keyId, groupId, fromMs: stage.nowMs(), untilMs: Infinity };
    stage.trace.placements.push(placement);
    return placement;
  }
  const keysIn = (groupId: string): Key[] =>
    keys.filter((key) => places.get(key)?.groupId === groupId);

  /** Where it is while the command runs is not known. False: the run was over before its answer. */
  async function move(
    moved: readonly Key[],
    groupId: string | null,
    work: () => Promise<unknown>,
  ): Promise<boolean> {
    for (const key of moved) {
      const before = places.get(key);
      if (before !== undefined) before.untilMs = stage.nowMs();
    }
    if ((await insist(stage, async () => ({ done: await work() }))) === null) return false;
    for (const key of moved) places.set(key, place(key, groupId));
    return true;
  }

  async function shut(groupId: string, how: "switch off" | "limit", forMs: number): Promise<void> {
    const name = { accountId, groupId };
    const turn = (on: boolean): Promise<unknown> =>
      how === "limit"
        ? changeAccountGroup(db, name, { limit: limitOf(on ? 1n : null) })
        : setAccountGroupFrozen(db, name, on);
    const what = how === "limit" ? "lowered limit" : "group switched off";
    const keyIds = keysIn(groupId).map(({ keyId }) => keyId);
    const closure = await close(stage, { what, accountId, keyIds }, () => turn(true));
    await sleep(forMs);
    if (closure !== null) closure.untilMs = stage.nowMs();
    await insist(stage, () => turn(false));
  }

  while (stage.running) {
    while (groups.length < GROUPS) {
      const made = await openGroup(stage, accountId);
      if (made === null) return;
      groups.push(made);
    }
    const [group, other] = chance.percent(50) ? groups : groups.toReversed();
    const turn = chance.between(1, 10);
    if (group === undefined || other === undefined) return;
    if (turn <= 6) {
      const key = keys[chance.between(0, keys.length - 1)];
      if (key === undefined) return;
      const goal = chance.oneOf([group, other, null]);
      const isMoved = await move([key], goal, () =>
        changeAccountKey(db, systemClock, accountId, key.hash, { groupId: goal }),
      );
      if (!isMoved) return;
    } else if (turn <= 9) {
      await shut(group, turn === 9 ? "limit" : "switch off", chance.between(200, 1_000));
    } else {
      const isDeleted = await move(keysIn(group), null, () =>
        deleteAccountGroup(db, { accountId, groupId: group }),
      );
      if (!isDeleted) return;
      groups.splice(groups.indexOf(group), 1);
    }
    await sleep(chance.between(50, 800));
  }
}

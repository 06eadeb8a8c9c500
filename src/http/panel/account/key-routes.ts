/**
 * API keys: listed, made, changed, rolled, frozen and deleted by members of their account;
 * developers find their own and no others.
 */
import Type from "typebox";
import type { MemberCaller } from "../../../accounts/member-caller.ts";
import { NewPanelKey, PanelKeyChange } from "../../../contract/panel/panel-key.ts";
import { systemClock } from "../../../kernel/clock.ts";
import { NO_RATE_LIMITS } from "../../../kernel/rate-limits.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { firstOwner, ownWishes } from "./own-wishes.ts";
import { inTheFuture, readKeyWishes } from "./read-key-wishes.ts";
import {
  freezeAccountKeys,
  setAccountKeyFrozen,
} from "../../../business/panel/account/freeze-account-keys.ts";
import {
  listAccountKeys,
  readAccountKey,
} from "../../../business/panel/account/list-account-keys.ts";
import { checkKeySeen, keyScopeOf } from "../../../business/panel/account/key-scope.ts";
import { groupOfNewKey } from "../../../business/panel/account/group-of-new-key.ts";
import {
  recordedFreezeDb,
  recordedKeyDb,
  recordNewKey,
} from "../../../business/panel/account/recorded-keys.ts";
import { createAccountKey } from "../../../business/panel/account/create-account-key.ts";
import { changeAccountKey } from "../../../business/panel/account/change-account-key.ts";
import { rollAccountKey } from "../../../business/panel/account/roll-account-key.ts";
import { deleteAccountKey } from "../../../business/panel/account/delete-account-key.ts";
import type { Db } from "../../../db/database.ts";
import type { Clock } from "../../../kernel/clock.ts";

export interface KeyRouteDeps {
  readonly db: Db;
  readonly clock: Clock;
}

const UNRESTRICTED = { limit: null, expiresAt: null, models: null, ips: null, ...NO_RATE_LIMITS };

const expiresAt = Type.Optional(inTheFuture(systemClock));
const NewKeyBody = Type.Object({ ...NewPanelKey.properties, expiresAt });
const KeyChangeBody = Type.Object({ ...PanelKeyChange.properties, expiresAt });

export function keyRoutes({ db, clock }: KeyRouteDeps): Route[] {
  /** For a command on a key that the member sees. */
  const commandDb = async (
    member: MemberCaller,
    action: Parameters<typeof recordedKeyDb>[2],
    hash: string,
  ): Promise<Db> => {
    const scope = keyScopeOf(member);
    await checkKeySeen(db, scope, hash);
    return recordedKeyDb(db, member, action, { hash, ownerId: scope.ownerId });
  };
  const frozenRoute = (
    name: "POST /keys/{hash}/freeze" | "POST /keys/{hash}/unfreeze",
    frozen: boolean,
  ): Route =>
    memberRoute(name, {
      needs: "keyholder",
      async handle({ member, params: { hash } }) {
        const recorded = await commandDb(member, frozen ? "key.freeze" : "key.unfreeze", hash);
        return { json: await setAccountKeyFrozen(recorded, clock, member.accountId, hash, frozen) };
      },
    });
  return [
    memberRoute("GET /keys", {
      needs: "developer",
      seen: true,
      async handle({ member, query: { deleted = false, ...page } }) {
        const { accountId, ownerId } = keyScopeOf(member);
        return { json: await listAccountKeys(db, clock, accountId, { ...page, deleted, ownerId }) };
      },
    }),
    memberRoute("POST /keys", {
      needs: "keyholder",
      strictBody: NewKeyBody,
      async handle({ member, body: { once = null, name, ...body } }) {
        const { accountId } = member;
        const asked = { ownerId: firstOwner(member), ...readKeyWishes(body) };
        const wishes = ownWishes(member, asked, false);
        const group = await groupOfNewKey(db, member, wishes.groupId);
        const request = { ...UNRESTRICTED, ...wishes, ...group, name, once, accountId };
        return {
          json: await createAccountKey(db, clock, request, (tx, key) =>
            recordNewKey(tx, member, key),
          ),
        };
      },
    }),
    memberRoute("POST /keys/freeze-all", {
      needs: "manager",
      handle: async ({ member }) => ({
        json: {
          frozen: await freezeAccountKeys(recordedFreezeDb(db, member), member.accountId),
        },
      }),
    }),
    memberRoute("GET /keys/{hash}", {
      needs: "developer",
      seen: true,
      async handle({ member, params }) {
        await checkKeySeen(db, keyScopeOf(member), params.hash);
        return { json: await readAccountKey(db, clock, member.accountId, params.hash) };
      },
    }),
    memberRoute("POST /keys/{hash}", {
      needs: "keyholder",
      strictBody: KeyChangeBody,
      async handle({ member, params: { hash }, body }) {
        const recorded = await commandDb(member, "key.change", hash);
        const wishes = ownWishes(member, readKeyWishes(body), true);
        return { json: await changeAccountKey(recorded, clock, member.accountId, hash, wishes) };
      },
    }),
    memberRoute("POST /keys/{hash}/roll", {
      needs: "keyholder",
      async handle({ member, params: { hash }, body: { overlapHours } }) {
        const recorded = await commandDb(member, "key.roll", hash);
        const roll = { hash, overlapHours };
        return { json: await rollAccountKey(recorded, clock, member.accountId, roll) };
      },
    }),
    frozenRoute("POST /keys/{hash}/freeze", true),
    frozenRoute("POST /keys/{hash}/unfreeze", false),
    memberRoute("DELETE /keys/{hash}", {
      needs: "keyholder",
      async handle({ member, params: { hash } }) {
        const recorded = await commandDb(member, "key.delete", hash);
        await deleteAccountKey(recorded, member.accountId, hash);
        return { json: {} };
      },
    }),
  ];
}

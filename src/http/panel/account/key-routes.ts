/** API keys: listed, made, changed, rolled, frozen and deleted by members of their account. */
import Type from "typebox";
import { NewPanelKey, PanelKeyChange } from "../../../contract/panel/panel-key.ts";
import { systemClock } from "../../../kernel/clock.ts";
import { NO_RATE_LIMITS } from "../../../kernel/rate-limits.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { inTheFuture, readKeyWishes } from "./read-key-wishes.ts";
import {
  freezeAccountKeys,
  setAccountKeyFrozen,
} from "../../../business/panel/account/freeze-account-keys.ts";
import {
  listAccountKeys,
  readAccountKey,
} from "../../../business/panel/account/list-account-keys.ts";
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
  const frozenRoute = (
    name: "POST /keys/{hash}/freeze" | "POST /keys/{hash}/unfreeze",
    frozen: boolean,
  ): Route =>
    memberRoute(name, {
      needs: "manager",
      handle: async ({ member, params }) => ({
        json: await setAccountKeyFrozen(db, clock, member.accountId, params.hash, frozen),
      }),
    });
  return [
    memberRoute("GET /keys", {
      needs: "viewer",
      handle: async ({ member, query: { deleted = false, ...page } }) => ({
        json: await listAccountKeys(db, clock, member.accountId, { ...page, deleted }),
      }),
    }),
    memberRoute("POST /keys", {
      needs: "manager",
      strictBody: NewKeyBody,
      async handle({ member: { accountId }, body: { once = null, name, ...body } }) {
        const request = { ...UNRESTRICTED, ...readKeyWishes(body), name, once, accountId };
        return { json: await createAccountKey(db, clock, request) };
      },
    }),
    memberRoute("POST /keys/freeze-all", {
      needs: "manager",
      handle: async ({ member }) => ({
        json: { frozen: await freezeAccountKeys(db, member.accountId) },
      }),
    }),
    memberRoute("GET /keys/{hash}", {
      needs: "viewer",
      handle: async ({ member, params }) => ({
        json: await readAccountKey(db, clock, member.accountId, params.hash),
      }),
    }),
    memberRoute("POST /keys/{hash}", {
      needs: "manager",
      strictBody: KeyChangeBody,
      handle: async ({ member, params, body }) => ({
        json: await changeAccountKey(db, clock, member.accountId, params.hash, readKeyWishes(body)),
      }),
    }),
    memberRoute("POST /keys/{hash}/roll", {
      needs: "manager",
      handle: async ({ member, params: { hash }, body: { overlapHours } }) => ({
        json: await rollAccountKey(db, clock, member.accountId, { hash, overlapHours }),
      }),
    }),
    frozenRoute("POST /keys/{hash}/freeze", true),
    frozenRoute("POST /keys/{hash}/unfreeze", false),
    memberRoute("DELETE /keys/{hash}", {
      needs: "manager",
      async handle({ member, params }) {
        await deleteAccountKey(db, member.accountId, params.hash);
        return { json: {} };
      },
    }),
  ];
}

/** API keys: listed, made, changed, rolled, frozen and deleted by members of their account. */
import Type from "typebox";
import {
  NewPanelKey,
  PanelKeyChange,
  type PanelKey,
  type PanelKeyList,
  type PanelKeyMade,
} from "../../../contract/panel/panel-key.ts";
import type { NewKeyRequest } from "../../../business/keys/create-key.ts";
import type { KeySettings } from "../../../business/keys/read-key-settings.ts";
import type { PageRequest } from "../../../serving/read-page.ts";
import { systemClock } from "../../../kernel/clock.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { NO_RATE_LIMITS } from "../../../kernel/rate-limits.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { inTheFuture } from "./in-the-future.ts";
import { readKeyWishes } from "./read-key-wishes.ts";

export interface KeyUseCases {
  listKeys(
    accountId: Uuid,
    request: PageRequest & { readonly deleted: boolean },
  ): Promise<PanelKeyList>;
  readKey(accountId: Uuid, hash: string): Promise<PanelKey>;
  createKey(request: NewKeyRequest): Promise<PanelKeyMade>;
  changeKey(accountId: Uuid, hash: string, wishes: Partial<KeySettings>): Promise<PanelKey>;
  rollKey(
    accountId: Uuid,
    roll: { readonly hash: string; readonly overlapHours: number },
  ): Promise<PanelKeyMade>;
  setKeyFrozen(accountId: Uuid, hash: string, frozen: boolean): Promise<PanelKey>;
  freezeKeys(accountId: Uuid): Promise<number>;
  deleteKey(accountId: Uuid, hash: string): Promise<void>;
}

const UNRESTRICTED = { limit: null, expiresAt: null, models: null, ips: null, ...NO_RATE_LIMITS };

const expiresAt = Type.Optional(inTheFuture(systemClock));
const NewKeyBody = Type.Object({ ...NewPanelKey.properties, expiresAt });
const KeyChangeBody = Type.Object({ ...PanelKeyChange.properties, expiresAt });

export function keyRoutes(useCases: KeyUseCases): Route[] {
  const frozenRoute = (
    name: "POST /keys/{hash}/freeze" | "POST /keys/{hash}/unfreeze",
    frozen: boolean,
  ): Route =>
    memberRoute(name, {
      needs: "manager",
      handle: async ({ member, params }) => ({
        json: await useCases.setKeyFrozen(member.accountId, params.hash, frozen),
      }),
    });
  return [
    memberRoute("GET /keys", {
      needs: "viewer",
      handle: async ({ member, query: { deleted = false, ...page } }) => ({
        json: await useCases.listKeys(member.accountId, { ...page, deleted }),
      }),
    }),
    memberRoute("POST /keys", {
      needs: "manager",
      strictBody: NewKeyBody,
      async handle({ member: { accountId }, body: { once = null, name, ...body } }) {
        const request = { ...UNRESTRICTED, ...readKeyWishes(body), name, once, accountId };
        return { json: await useCases.createKey(request) };
      },
    }),
    memberRoute("POST /keys/freeze-all", {
      needs: "manager",
      handle: async ({ member }) => ({
        json: { frozen: await useCases.freezeKeys(member.accountId) },
      }),
    }),
    memberRoute("GET /keys/{hash}", {
      needs: "viewer",
      handle: async ({ member, params }) => ({
        json: await useCases.readKey(member.accountId, params.hash),
      }),
    }),
    memberRoute("POST /keys/{hash}", {
      needs: "manager",
      strictBody: KeyChangeBody,
      handle: async ({ member, params, body }) => ({
        json: await useCases.changeKey(member.accountId, params.hash, readKeyWishes(body)),
      }),
    }),
    memberRoute("POST /keys/{hash}/roll", {
      needs: "manager",
      handle: async ({ member, params: { hash }, body: { overlapHours } }) => ({
        json: await useCases.rollKey(member.accountId, { hash, overlapHours }),
      }),
    }),
    frozenRoute("POST /keys/{hash}/freeze", true),
    frozenRoute("POST /keys/{hash}/unfreeze", false),
    memberRoute("DELETE /keys/{hash}", {
      needs: "manager",
      async handle({ member, params }) {
        await useCases.deleteKey(member.accountId, params.hash);
        return { json: {} };
      },
    }),
  ];
}

/** API keys: listed, made, changed, rolled, frozen and deleted by members of their account. */
import Type from "typebox";
import {
  NewPanelKey,
  PanelKeyChange,
  PanelKeyQuery,
  PanelKeyRoll,
  type PanelKey,
  type PanelKeyList,
  type PanelKeyMade,
  type PanelKeysFrozen,
} from "../../../contract/panel/panel-key.ts";
import type { NewKeyRequest } from "../../../business/keys/create-key.ts";
import type { KeySettings } from "../../../business/keys/read-key-settings.ts";
import type { PageRequest } from "../../../serving/read-page.ts";
import { systemClock } from "../../../kernel/clock.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { NO_RATE_LIMITS } from "../../../kernel/rate-limits.ts";
import type { Answer, Route } from "../../route.ts";
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
  const frozenRoute = (path: string, frozen: boolean): Route =>
    memberRoute({
      method: "POST",
      path,
      needs: "manager",
      handle: async ({ member, params }) =>
        ok(await useCases.setKeyFrozen(member.accountId, params["hash"] ?? "", frozen)),
    });
  return [
    memberRoute({
      method: "GET",
      path: "/panel/api/keys",
      needs: "viewer",
      query: PanelKeyQuery,
      handle: async ({ member, query: { deleted = false, ...page } }) =>
        ok(await useCases.listKeys(member.accountId, { ...page, deleted })),
    }),
    memberRoute({
      method: "POST",
      path: "/panel/api/keys",
      needs: "manager",
      body: NewKeyBody,
      async handle({ member: { accountId }, body: { once = null, name, ...body } }) {
        const request = { ...UNRESTRICTED, ...readKeyWishes(body), name, once, accountId };
        return { status: 201, content: { json: await useCases.createKey(request) } };
      },
    }),
    memberRoute({
      method: "POST",
      path: "/panel/api/keys/freeze-all",
      needs: "manager",
      async handle({ member }) {
        const json: PanelKeysFrozen = { frozen: await useCases.freezeKeys(member.accountId) };
        return ok(json);
      },
    }),
    memberRoute({
      method: "GET",
      path: "/panel/api/keys/{hash}",
      needs: "viewer",
      handle: async ({ member, params }) =>
        ok(await useCases.readKey(member.accountId, params["hash"] ?? "")),
    }),
    memberRoute({
      method: "POST",
      path: "/panel/api/keys/{hash}",
      needs: "manager",
      body: KeyChangeBody,
      handle: async ({ member, params, body }) =>
        ok(await useCases.changeKey(member.accountId, params["hash"] ?? "", readKeyWishes(body))),
    }),
    memberRoute({
      method: "POST",
      path: "/panel/api/keys/{hash}/roll",
      needs: "manager",
      body: PanelKeyRoll,
      async handle({ member, params, body: { overlapHours } }) {
        return {
          status: 201,
          content: {
            json: await useCases.rollKey(member.accountId, {
              hash: params["hash"] ?? "",
              overlapHours,
            }),
          },
        };
      },
    }),
    frozenRoute("/panel/api/keys/{hash}/freeze", true),
    frozenRoute("/panel/api/keys/{hash}/unfreeze", false),
    memberRoute({
      method: "DELETE",
      path: "/panel/api/keys/{hash}",
      needs: "manager",
      async handle({ member, params }) {
        await useCases.deleteKey(member.accountId, params["hash"] ?? "");
        return ok({});
      },
    }),
  ];
}

function ok(json: unknown): Answer {
  return { content: { json } };
}

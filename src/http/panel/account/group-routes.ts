/** Groups of keys: listed, made, changed, switched off and on, deleted by members of their account. */
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { readLimitWish } from "./read-key-wishes.ts";
import {
  changeAccountGroup,
  setAccountGroupFrozen,
} from "../../../business/panel/account/change-account-group.ts";
import { createAccountGroup } from "../../../business/panel/account/create-account-group.ts";
import { recordedGroupDb } from "../../../business/panel/account/recorded-groups.ts";
import { deleteAccountGroup } from "../../../business/panel/account/delete-account-group.ts";
import {
  listAccountGroups,
  readAccountGroup,
} from "../../../business/panel/account/list-account-groups.ts";
import type { Db } from "../../../db/database.ts";

export interface GroupRouteDeps {
  readonly db: Db;
}

export function groupRoutes({ db }: GroupRouteDeps): Route[] {
  const frozenRoute = (
    name: "POST /groups/{id}/freeze" | "POST /groups/{id}/unfreeze",
    frozen: boolean,
  ): Route =>
    memberRoute(name, {
      needs: "manager",
      async handle({ member, params: { id: groupId } }) {
        const { accountId } = member;
        const action = frozen ? "group.freeze" : "group.unfreeze";
        const recorded = recordedGroupDb(db, member, action, groupId);
        return { json: await setAccountGroupFrozen(recorded, { accountId, groupId }, frozen) };
      },
    });
  return [
    memberRoute("GET /groups", {
      needs: "viewer",
      seen: true,
      handle: async ({ member }) => ({ json: await listAccountGroups(db, member.accountId) }),
    }),
    memberRoute("POST /groups", {
      needs: "manager",
      async handle({ member, body: { once = null, name, models = null, ...wishes } }) {
        const { accountId } = member;
        const { limit = null } = readLimitWish(wishes);
        const recorded = recordedGroupDb(db, member, "group.create", null);
        const request = { accountId, once, name, models, limit };
        return { json: await createAccountGroup(recorded, request) };
      },
    }),
    memberRoute("GET /groups/{id}", {
      needs: "viewer",
      seen: true,
      handle: async ({ member, params }) => ({
        json: await readAccountGroup(db, member.accountId, params.id),
      }),
    }),
    memberRoute("POST /groups/{id}", {
      needs: "manager",
      async handle({ member, params: { id: groupId }, body: { limit, ...rest } }) {
        const { accountId } = member;
        const wishes = { ...rest, ...readLimitWish({ limit }) };
        const recorded = recordedGroupDb(db, member, "group.change", groupId);
        return { json: await changeAccountGroup(recorded, { accountId, groupId }, wishes) };
      },
    }),
    frozenRoute("POST /groups/{id}/freeze", true),
    frozenRoute("POST /groups/{id}/unfreeze", false),
    memberRoute("DELETE /groups/{id}", {
      needs: "manager",
      async handle({ member, params: { id: groupId } }) {
        const { accountId } = member;
        const recorded = recordedGroupDb(db, member, "group.delete", groupId);
        await deleteAccountGroup(recorded, { accountId, groupId });
        return { json: {} };
      },
    }),
  ];
}

/** The roles of members, each with more than the one before. */
import type { RoleBody } from "../../../../src/contract/panel/members.ts";

export const ROLES: readonly RoleBody["role"][] = ["viewer", "manager", "owner"];

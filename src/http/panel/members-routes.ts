/** Members and their sessions: the panel's routes for it. */
import type { Route } from "../route.ts";

export type MembersUseCases = Readonly<Record<never, never>>;

export function membersRoutes(_useCases: MembersUseCases): Route[] {
  return [];
}

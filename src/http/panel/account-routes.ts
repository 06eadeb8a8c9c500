/** An account: its money, keys, requests and models: the panel's routes for it. */
import type { Route } from "../route.ts";

export type AccountUseCases = Readonly<Record<never, never>>;

export function accountRoutes(_useCases: AccountUseCases): Route[] {
  return [];
}

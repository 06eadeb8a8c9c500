/** What the business itself sees and does: the panel's routes for it. */
import type { Route } from "../route.ts";

export type OperatorUseCases = Readonly<Record<never, never>>;

export function operatorRoutes(_useCases: OperatorUseCases): Route[] {
  return [];
}

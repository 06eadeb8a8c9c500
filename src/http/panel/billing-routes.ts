/** Top-ups: the panel's routes for it. */
import type { Route } from "../route.ts";

export type BillingUseCases = Readonly<Record<never, never>>;

export function billingRoutes(_useCases: BillingUseCases): Route[] {
  return [];
}

/**
 * Top-ups: the panel's routes for them, and what payment providers call. GET billing; POST and GET top-ups; GET top-ups/{id};
 * POST /payments/notify/{provider}.
 */
import type { Route } from "../route.ts";

export type BillingUseCases = Readonly<Record<never, never>>;

export function billingRoutes(_useCases: BillingUseCases): Route[] {
  return [];
}

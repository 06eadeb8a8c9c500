/**
 * Spend alerts: the panel's routes for them. GET and POST alerts; POST and DELETE alerts/{id}; POST alerts/{id}/test; GET alerts/deliveries;
 * GET and POST alerts/webhook-secret.
 */
import type { Route } from "../route.ts";

export type AlertsUseCases = Readonly<Record<never, never>>;

export function alertsRoutes(_useCases: AlertsUseCases): Route[] {
  return [];
}

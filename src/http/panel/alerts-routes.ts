/** Spend alerts: the panel's routes for it. */
import type { Route } from "../route.ts";

export type AlertsUseCases = Readonly<Record<never, never>>;

export function alertsRoutes(_useCases: AlertsUseCases): Route[] {
  return [];
}

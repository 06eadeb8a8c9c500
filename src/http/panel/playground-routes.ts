/** The playground, tasks and files: the panel's routes for it. */
import type { Route } from "../route.ts";

export type PlaygroundUseCases = Readonly<Record<never, never>>;

export function playgroundRoutes(_useCases: PlaygroundUseCases): Route[] {
  return [];
}

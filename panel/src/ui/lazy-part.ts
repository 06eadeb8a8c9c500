/**
 * A component whose module is fetched when it is drawn for the first time. Without a network it
 * waits for one: React keeps what failed once for as long as the page is there.
 */
import { lazy } from "react";
import type { LazyExoticComponent, ReactNode } from "react";

type Component<Props> = (props: Props) => ReactNode;

export function lazyPart<Props>(
  load: () => Promise<Component<Props>>,
): LazyExoticComponent<Component<Props>> {
  return lazy(async () => {
    await online();
    return { default: await load() };
  });
}

/** At once, where the browser has a network. */
async function online(): Promise<void> {
  if (navigator.onLine) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  addEventListener("online", () => resolve(), { once: true });
  await promise;
}

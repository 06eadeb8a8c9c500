/**
 * Who did something on the server instead of in the panel, in words; the exact id, by which the log
 * keeps it, is at hand.
 */
import type { ReactNode } from "react";
import { useOperatorTexts } from "./use-operator-texts.ts";

/** `actor`: what did it, a colon, and the name of the system's user. */
export function ServerActor({
  actor,
  id = actor,
}: {
  readonly actor: string;
  readonly id?: string;
}): ReactNode {
  const t = useOperatorTexts();
  const colon = actor.indexOf(":");
  const say = t.actorsOnServer[actor.slice(0, Math.max(colon, 0))];
  return (
    <span title={id}>
      {say === undefined ? `${t.onServer}: ${actor}` : say(actor.slice(colon + 1))}
    </span>
  );
}

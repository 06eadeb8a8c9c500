/** How a chat request ended, in a word. */
import type { ReactNode } from "react";
import type { Tone } from "../badge.tsx";
import { Status } from "../status.tsx";
import { useOperatorTexts } from "./use-operator-texts.ts";

const TONES: Readonly<Record<string, Tone>> = { completed: "good", failed: "bad", running: "live" };

export function RequestState({ state }: { readonly state: string }): ReactNode {
  const t = useOperatorTexts();
  return <Status tone={TONES[state] ?? "warn"}>{t.states[state] ?? state}</Status>;
}

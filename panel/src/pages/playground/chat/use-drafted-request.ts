/**
 * The request that would be sent if the message that is being written were sent now: to be priced,
 * and shown as code.
 */
import { useMemo } from "react";
import { DIALECTS, type SpokenProtocol } from "./chat-dialect.ts";
import type { ChatSettings } from "./chat-settings.ts";
import type { Picture, Turn } from "./conversation.ts";

export interface Draft {
  readonly text: string;
  readonly pictures: readonly Picture[];
}

export const NO_DRAFT: Draft = { text: "", pictures: [] };

export function isEmptyDraft({ text, pictures }: Draft): boolean {
  return text.trim() === "" && pictures.length === 0;
}

interface DraftedRequest {
  readonly protocol: SpokenProtocol;
  readonly model: string;
  readonly settings: ChatSettings;
  readonly turns: readonly Turn[];
  readonly draft: Draft;
}

export function useDraftedRequest({
  protocol,
  model,
  settings,
  turns,
  draft,
}: DraftedRequest): Readonly<Record<string, unknown>> {
  return useMemo(() => {
    const drafted: readonly Turn[] = isEmptyDraft(draft) ? [] : [{ kind: "user", ...draft }];
    return DIALECTS[protocol].writeRequest(model, settings, [...turns.filter(isFinal), ...drafted]);
  }, [protocol, model, settings, turns, draft]);
}

/** An answer that is still coming, or never came, is nothing to send. */
function isFinal(turn: Turn): boolean {
  return (
    turn.kind !== "answer" ||
    (turn.exchange.state !== "running" && turn.exchange.state !== "refused")
  );
}

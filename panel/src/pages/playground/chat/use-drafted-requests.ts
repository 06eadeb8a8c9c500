/**
 * The requests that would be sent if the message that is being written were sent now: to be priced,
 * and shown as code.
 */
import { useMemo } from "react";
import { DIALECTS, type SpokenProtocol } from "./chat-dialect.ts";
import type { ChatSettings } from "./chat-settings.ts";
import type { Lane, Message, Turn } from "./conversation.ts";

export const NO_DRAFT: Message = { text: "", pictures: [] };

export function isEmptyDraft({ text, pictures }: Message): boolean {
  return text.trim() === "" && pictures.length === 0;
}

interface DraftedWish {
  readonly protocol: SpokenProtocol;
  readonly models: readonly string[];
  readonly settings: ChatSettings;
  readonly lanes: readonly Lane[];
  readonly draft: Message;
}

export type DraftedRequest = Readonly<Record<string, unknown>>;

/** One for each model. */
export function useDraftedRequests({
  protocol,
  models,
  settings,
  lanes,
  draft,
}: DraftedWish): readonly DraftedRequest[] {
  return useMemo(() => {
    const drafted: Lane = isEmptyDraft(draft) ? [] : [{ kind: "user", id: "", ...draft }];
    return lanes.map((lane, at) =>
      DIALECTS[protocol].writeRequest(models[at] ?? "", settings, [
        ...lane.filter(isFinal),
        ...drafted,
      ]),
    );
  }, [protocol, models, settings, lanes, draft]);
}

/** An answer that is still coming, or never came, is nothing to send. */
function isFinal(turn: Turn): boolean {
  return (
    turn.kind !== "answer" ||
    (turn.exchange.state !== "running" && turn.exchange.state !== "refused")
  );
}

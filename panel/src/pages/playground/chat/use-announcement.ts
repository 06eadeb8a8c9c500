/**
 * What is said to those who listen to the page: that an answer comes, and once more how it ended;
 * never word by word.
 */
import type { AnswerTurn, Lane } from "./conversation.ts";
import { useChatTexts } from "./use-chat-texts.ts";

/** Empty: nothing to say. */
export function useAnnouncement(lanes: readonly Lane[]): string {
  const t = useChatTexts();
  const last = lanes
    .map((lane) => lane.at(-1))
    .filter((turn): turn is AnswerTurn => turn?.kind === "answer");
  const is = (state: AnswerTurn["exchange"]["state"]): boolean =>
    last.some(({ exchange }) => exchange.state === state);
  if (last.length === 0) return "";
  if (is("running")) return t.tellsWriting;
  if (is("refused") || is("broken")) return t.tellsFailed;
  return is("stopped") ? t.tellsStopped : t.tellsDone;
}

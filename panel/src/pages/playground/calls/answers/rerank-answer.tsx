/** Documents, the best first, with their scores. */
import type { ReactNode } from "react";
import type { AnswerProps } from "../call-kind.ts";
import { rankingIn } from "../read-answer.ts";
import { useCallsTexts } from "../use-calls-texts.ts";
import { ScoreList } from "./score-list.tsx";

export function RerankAnswer({ answer, request }: AnswerProps): ReactNode {
  const t = useCallsTexts();
  const documents = request.fields["documents"] as readonly string[];
  return (
    <ScoreList
      label={t.ranking}
      scores={rankingIn(answer).map(({ index, score }) => ({
        key: String(index),
        label: documents[index] ?? t.documentNumber(index + 1),
        score,
      }))}
    />
  );
}

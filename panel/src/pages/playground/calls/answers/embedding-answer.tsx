/** Vectors: how long they are, how they begin, and how much each text is like the first. */
import type { ReactNode } from "react";
import { useFormats } from "../../../../i18n/locale.tsx";
import type { AnswerProps } from "../call-kind.ts";
import { cosineOf, vectorsIn } from "../read-answer.ts";
import { useCallsTexts } from "../use-calls-texts.ts";
import { ScoreList } from "./score-list.tsx";

/** Shown of each vector. */
const FIRST = 5;
const DIGITS = 4;

export function EmbeddingAnswer({ answer, request }: AnswerProps): ReactNode {
  const t = useCallsTexts();
  const { count, decimal } = useFormats();
  const vectors = vectorsIn(answer);
  const texts = request.fields["input"] as readonly string[];
  const [first = []] = vectors;
  return (
    <>
      {vectors.length < 2 ? null : (
        <>
          <h3 className="small">{t.likeness(texts[0] ?? "")}</h3>
          <ScoreList
            label={t.likeness(texts[0] ?? "")}
            scores={vectors.slice(1).map((vector, at) => ({
              key: String(at),
              label: texts[at + 1],
              score: cosineOf(first, vector),
            }))}
          />
        </>
      )}
      <ol className="call-vectors">
        {vectors.map((vector, at) => (
          <li key={at}>
            <span className="call-score-what">{texts[at]}</span>
            <span className="quiet small">{t.dimensions(vector.length, count(vector.length))}</span>
            <code className="call-numbers">
              {vector
                .slice(0, FIRST)
                .map((value) => decimal(value.toFixed(DIGITS)))
                .join("; ")}
              {vector.length > FIRST ? "; …" : ""}
            </code>
          </li>
        ))}
      </ol>
    </>
  );
}

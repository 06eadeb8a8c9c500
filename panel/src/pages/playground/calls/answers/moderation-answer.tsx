/** Whether a text was flagged, and for what. */
import type { ReactNode } from "react";
import { Badge } from "../../../../ui/badge.tsx";
import type { AnswerProps } from "../call-kind.ts";
import { judgementsIn } from "../read-answer.ts";
import type { Judgement } from "../read-answer.ts";
import { useCallsTexts } from "../use-calls-texts.ts";
import { ScoreList } from "./score-list.tsx";

export function ModerationAnswer({ answer }: AnswerProps): ReactNode {
  return judgementsIn(answer).map((judgement, at) => <Judged key={at} of={judgement} />);
}

function Judged({ of: { flagged, categories } }: { readonly of: Judgement }): ReactNode {
  const t = useCallsTexts();
  const nameOf = (name: string): string => t.categories[name] ?? name;
  const found = categories.filter((category) => category.flagged).map(({ name }) => nameOf(name));
  return (
    <>
      <p className={flagged ? "banner banner-warn" : "banner banner-good"}>
        {flagged ? t.flagged(found.join(", ")) : t.notFlagged}
      </p>
      <ScoreList
        label={t.judged}
        scores={categories.map(({ name, flagged: marked, score }) => ({
          key: name,
          label: (
            <>
              {nameOf(name)} {marked ? <Badge tone="warn">{t.mark}</Badge> : null}
            </>
          ),
          score,
          marked,
        }))}
      />
    </>
  );
}

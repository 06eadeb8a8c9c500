/** What a member with a new account does first; what is done already says so. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Overview } from "../../../../src/contract/panel/overview.ts";
import { modelsQuery } from "../../api/account-models.ts";
import { usableKeysQuery } from "../../api/usable-keys.ts";
import { chatCurl } from "../../ui/api-snippets.ts";
import { Badge } from "../../ui/badge.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { useOverviewTexts } from "./use-overview-texts.ts";

/** Of the shell: the reader's own key. */
const KEY_VARIABLE = "$TOLLGATE_KEY";

export function FirstSteps({ overview }: { readonly overview: Overview }): ReactNode {
  const t = useOverviewTexts();
  const keys = useQuery(usableKeysQuery);
  const models = useQuery(modelsQuery);
  const chat = models.data?.data.find(({ endpoints }) => endpoints.includes("chat.completions"));
  return (
    <Card title={t.steps}>
      <ol className="overview-steps">
        <Step title={t.stepTopUp} text={t.stepTopUpText} done={overview.balance !== "0"}>
          <ButtonLink small to="/billing">
            {t.topUp}
          </ButtonLink>
        </Step>
        <Step title={t.stepKey} text={t.stepKeyText} done={(keys.data ?? []).length > 0}>
          <ButtonLink small to="/keys">
            {t.stepKeyAction}
          </ButtonLink>
        </Step>
        <Step title={t.stepTry} text={t.stepTryText} done={false}>
          <ButtonLink small to="/playground">
            {t.stepTryAction}
          </ButtonLink>
        </Step>
        <Step title={t.stepCall} text={t.stepCallText} done={false}>
          {chat === undefined ? null : (
            <CodeBlock
              code={chatCurl({ origin: location.origin, key: KEY_VARIABLE }, chat.id)}
              label={t.stepCall}
            />
          )}
        </Step>
      </ol>
    </Card>
  );
}

interface StepProps {
  readonly title: string;
  readonly text: string;
  readonly done: boolean;
  readonly children: ReactNode;
}

function Step({ title, text, done, children }: StepProps): ReactNode {
  const t = useOverviewTexts();
  return (
    <li>
      <h3>
        {title} {done ? <Badge tone="good">{t.done}</Badge> : null}
      </h3>
      <p className="quiet">{text}</p>
      {done ? null : children}
    </li>
  );
}

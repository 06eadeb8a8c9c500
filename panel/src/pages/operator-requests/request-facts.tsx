/** The parts of a request's page that only tell: what it cost, what it was, what was counted. */
import type { ReactNode } from "react";
import type { OperatorReceipt } from "../../../../src/contract/panel/operator-requests.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Card } from "../../ui/card.tsx";
import { Money } from "../../ui/money.tsx";
import { CopiedId } from "../../ui/operator/copied-id.tsx";
import { AccountLink } from "../../ui/operator/account-link.tsx";
import { OperatorWords } from "../../ui/operator/operator-words.tsx";
import { useOperatorTexts } from "../../ui/operator/use-operator-texts.ts";
import { useWorkTexts } from "../../ui/operator/use-work-texts.ts";
import { Facts } from "../../ui/stat.tsx";
import { Time } from "../../ui/time.tsx";

interface OfReceipt {
  readonly receipt: OperatorReceipt;
}

export function RequestMoney({ receipt }: OfReceipt): ReactNode {
  const t = useWorkTexts();
  const shared = useOperatorTexts();
  const { upstreamCost, costLacks, priceVersion } = receipt;
  return (
    <Card title={t.money}>
      <Facts
        items={[
          [shared.charged, <Money key="c" amount={receipt.charged} />],
          [
            shared.cost,
            upstreamCost === null ? shared.unknown : <Money key="u" amount={upstreamCost} />,
          ],
          [t.costLacks, costLacks === null ? null : <code key="k">{costLacks}</code>],
          [t.held, <Money key="h" amount={receipt.held} />],
          [t.loss, <Money key="l" amount={receipt.loss} />],
          [t.priceVersion, priceVersion === undefined ? null : String(priceVersion)],
        ]}
      />
    </Card>
  );
}

export function RequestAbout({ receipt }: OfReceipt): ReactNode {
  const t = useWorkTexts();
  const shared = useOperatorTexts();
  const { duration } = useFormats();
  const { timeToFirstTokenMs: first, completedAt } = receipt;
  return (
    <Card title={t.about}>
      <Facts
        items={[
          [
            shared.account,
            <AccountLink key="a" accountId={receipt.accountId} name={receipt.accountName} />,
          ],
          [
            shared.key,
            receipt.keyMask === null || receipt.keyMask === undefined ? null : (
              <code key="k">{receipt.keyMask}</code>
            ),
          ],
          [t.id, <CopiedId key="i" id={receipt.id} label={t.id} />],
          [t.endpoint, receipt.endpoint],
          [t.modelRequested, receipt.modelRequested],
          [t.stream, receipt.stream ? t.yes : t.no],
          [shared.startedAt, <Time key="s" iso={receipt.startedAt} />],
          [t.completedAt, completedAt === undefined ? null : <Time key="e" iso={completedAt} />],
          [t.firstToken, first === null || first === undefined ? null : duration(first)],
          [t.finishReason, receipt.finishReason],
          [
            t.suspicion,
            receipt.suspicion === null || receipt.suspicion === undefined ? null : (
              <OperatorWords key="w" words={receipt.suspicion} coded={receipt.suspicionCoded} />
            ),
          ],
          [
            t.usageNote,
            receipt.usageNote === null || receipt.usageNote === undefined ? null : (
              <span key="n">{receipt.usageNote}</span>
            ),
          ],
        ]}
      />
    </Card>
  );
}

export function RequestUsage({ receipt: { usage, usageSource } }: OfReceipt): ReactNode {
  const t = useWorkTexts();
  const { count } = useFormats();
  if (usage === null || usage === undefined) return null;
  return (
    <Card title={t.usage}>
      <Facts
        items={[
          [t.usageSource, usageSource === undefined ? null : t.sources[usageSource]],
          ...(Object.keys(t.usageNames) as (keyof typeof t.usageNames)[]).map(
            (name) =>
              [
                t.usageNames[name],
                <span key={name} className="figure">
                  {count(usage[name])}
                </span>,
              ] as const,
          ),
        ]}
      />
    </Card>
  );
}

/** What a request was: its id, key, model, times and tokens, and what was charged. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { PanelReceipt } from "../../../../src/contract/panel/panel-request.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Money } from "../../ui/money.tsx";
import { useReceiptTexts } from "../../ui/receipt/use-receipt-texts.ts";
import { Facts } from "../../ui/stat.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import { Time } from "../../ui/time.tsx";
import { RequestKey } from "./request-columns.tsx";

export function ReceiptFacts({ receipt }: { readonly receipt: PanelReceipt }): ReactNode {
  const t = useReceiptTexts();
  const { duration, count } = useFormats();
  const { id, kind, model, modelRequested, durationMs, timeToFirstTokenMs, usageSource } = receipt;
  const isChat = kind !== "task";
  const idLabel = isChat ? t.requestId : t.taskId;
  return (
    <Card title={t.receipt}>
      <div className="receipt-sum">
        <div>
          <p className="quiet small">{t.charged}</p>
          <p className="receipt-figure">
            <Money amount={receipt.charged} />
          </p>
        </div>
        <StatusBadge status={receipt.state} />
      </div>
      <Facts
        items={[
          [
            idLabel,
            <span key="i" className="row">
              <code>{id}</code> <CopyButton text={id} label={idLabel} bare />
            </span>,
          ],
          [t.kind, t.kinds[kind]],
          [t.key, <RequestKey key="k" of={receipt.key} t={t} />],
          [t.modelAsked, modelRequested === model ? null : modelRequested],
          [
            t.batch,
            receipt.batch === null ? null : (
              <span key="a" className="row">
                <Link to="/batches">
                  <code className="breaks">{receipt.batch}</code>
                </Link>{" "}
                <CopyButton text={receipt.batch} label={t.batch} bare />
              </span>
            ),
          ],
          [t.protocol, <code key="p">{receipt.protocol}</code>],
          [t.startedAt, <Time key="b" iso={receipt.startedAt} />],
          [
            t.completedAt,
            receipt.completedAt === null ? null : <Time key="e" iso={receipt.completedAt} />,
          ],
          [t.duration, durationMs === null ? null : duration(durationMs)],
          [t.firstToken, timeToFirstTokenMs === null ? null : duration(timeToFirstTokenMs)],
          [t.stream, isChat ? (receipt.stream ? t.yes : t.no) : null],
          [
            t.finishReason,
            receipt.finishReason === null ? null : <code key="f">{receipt.finishReason}</code>,
          ],
          [
            t.usageSource,
            usageSource === null ? null : (t.usageSources[usageSource] ?? usageSource),
          ],
          // The price has them already.
          ...(receipt.price === null ? tokenFacts(receipt, t, count) : []),
        ]}
      />
    </Card>
  );
}

const KINDS = [
  ["input", "inputTokens"],
  ["cachedInput", "cachedInputTokens"],
  ["cacheWrite5m", "cacheWrite5mTokens"],
  ["cacheWrite1h", "cacheWrite1hTokens"],
  ["output", "outputTokens"],
  ["reasoning", "reasoningTokens"],
  ["image", "images"],
] as const;

function tokenFacts(
  { usage }: PanelReceipt,
  t: ReturnType<typeof useReceiptTexts>,
  count: (count: number) => string,
): readonly (readonly [ReactNode, ReactNode])[] {
  if (usage === null) return [];
  return KINDS.flatMap(([what, name]) =>
    usage[name] === 0 ? [] : [[t.units[what], count(usage[name])] as const],
  );
}

/**
 * The receipt of one request or task: what it was, where its money went, why it cost that, and what
 * went wrong.
 */
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { PanelTask } from "../../../../src/contract/panel/panel-task.ts";
import type { PanelReceipt } from "../../../../src/contract/panel/panel-request.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Attempts } from "../../ui/receipt/attempts.tsx";
import { MoneyTrail } from "../../ui/receipt/money-trail.tsx";
import { useReceiptTexts } from "../../ui/receipt/use-receipt-texts.ts";
import { WhyThisPrice } from "../../ui/receipt/why-this-price.tsx";
import { TaskFailure } from "../../ui/tasks/task-failure.tsx";
import { receiptQuery } from "./receipt-query.ts";
import { ReceiptFacts } from "./receipt-facts.tsx";
import "./requests.css";

export function Component(): ReactNode {
  const t = useReceiptTexts();
  const { id } = useParams({ from: "/inside/requests/$id" });
  const query = useQuery(receiptQuery(id));
  return (
    <>
      <PageHead
        title={query.data?.model ?? t.request}
        back={{ to: "/requests", label: t.title }}
        actions={
          query.data?.kind === "task" ? (
            <ButtonLink icon="film" to="/tasks/$id" params={{ id }}>
              {t.openTask}
            </ButtonLink>
          ) : null
        }
      />
      <Loaded query={query}>
        {(receipt) => (
          <>
            <Trouble receipt={receipt} />
            <div className="requests-columns">
              <ReceiptFacts receipt={receipt} />
              <WhyThisPrice receipt={receipt} />
            </div>
            <MoneyTrail trail={receipt.trail} />
            {receipt.attempts.length === 0 ? null : <Attempts attempts={receipt.attempts} />}
          </>
        )}
      </Loaded>
    </>
  );
}

/** In words, with what to do about it. */
function Trouble({
  receipt: { kind, state, error },
}: {
  readonly receipt: PanelReceipt;
}): ReactNode {
  const t = useReceiptTexts();
  if (error !== null) return <TaskFailure error={error as NonNullable<PanelTask["error"]>} />;
  const trouble = kind !== "task" ? t.troubles[state] : undefined;
  if (trouble === undefined) return null;
  return (
    <p className={state === "failed" ? "banner banner-danger" : "banner banner-warn"} role="status">
      {trouble}
    </p>
  );
}

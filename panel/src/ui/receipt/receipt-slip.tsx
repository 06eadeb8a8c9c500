/**
 * A receipt as narrow as the side of a list: the sum, what it was for, why it is that much, and the
 * way of its money; dotted leaders lead from each reason to its sum.
 */
import type { ReactNode } from "react";
import type { PanelReceipt } from "../../../../src/contract/panel/panel-request.ts";
import { mostPlaces } from "../../i18n/format-money.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { CopyButton } from "../copy-button.tsx";
import { Money } from "../money.tsx";
import { StatusBadge } from "../status-badge.tsx";
import { Time } from "../time.tsx";
import { TrailBar } from "./trail-bar.tsx";
import { useReceiptTexts } from "./use-receipt-texts.ts";

export function ReceiptSlip({ receipt }: { readonly receipt: PanelReceipt }): ReactNode {
  const t = useReceiptTexts();
  const { duration } = useFormats();
  const { id, kind, model, key, state, charged, startedAt, durationMs, error } = receipt;
  const { timeToFirstTokenMs } = receipt;
  const idLabel = kind === "task" ? t.taskId : t.requestId;
  const trouble = error?.message ?? (kind === "task" ? undefined : t.troubles[state]);
  return (
    <div className="slip">
      <div>
        <div className="receipt-sum">
          <p className="receipt-figure">
            <Money amount={charged} />
          </p>
          <StatusBadge status={state} />
        </div>
        <p className="slip-of">
          <b>{model}</b> · {key?.name ?? t.keyGone}
        </p>
        <p className="row slip-id">
          <code title={id}>{id}</code> <CopyButton text={id} label={idLabel} bare />
        </p>
        <p className="quiet small">
          <Time iso={startedAt} />
        </p>
        {durationMs === null ? null : (
          <p className="quiet small">
            {`${t.duration}: ${duration(durationMs)}`}
            {timeToFirstTokenMs === null
              ? null
              : ` · ${t.firstToken}: ${duration(timeToFirstTokenMs)}`}
          </p>
        )}
      </div>
      {trouble === undefined ? null : (
        <p className={state === "failed" ? "banner banner-danger" : "banner banner-warn"}>
          {trouble}
        </p>
      )}
      <Reasons receipt={receipt} />
      <Way trail={receipt.trail} />
      <Tries attempts={receipt.attempts} />
    </div>
  );
}

function Reasons({ receipt }: { readonly receipt: PanelReceipt }): ReactNode {
  const t = useReceiptTexts();
  const { decimal, money } = useFormats();
  const { price, charged, completedAt } = receipt;
  if (price === null)
    return (
      <section className="slip-part">
        <h2>{t.why}</h2>
        <p className="quiet">
          {completedAt === null ? t.stillRuns : charged === "0" ? t.noPrice : t.priceUnknown}
        </p>
      </section>
    );
  const places = mostPlaces([...price.lines.map(({ amount }) => amount), price.charged]);
  return (
    <section className="slip-part">
      <h2>{t.why}</h2>
      <dl className="leaders">
        {price.lines.map(({ what, quantity, unitPrice, per, amount }) => (
          <div key={what}>
            <dt>
              <span className="leaders-what">
                {t.units[what] ?? what}
                <small>
                  {decimal(quantity)} × {money(unitPrice)} {t.per[per]}
                </small>
              </span>
            </dt>
            <dd>
              <Money amount={amount} places={places} />
            </dd>
          </div>
        ))}
        {price.multipliers.map(({ by, when }) => {
          const because = Object.entries(when).map(([name, value]) => `${name} = ${value}`);
          return (
            <div key={because.join()}>
              <dt>{t.multiplied(decimal(by), because.join(", "))}</dt>
              <dd />
            </div>
          );
        })}
        <div className="leaders-sum">
          <dt>{t.taken}</dt>
          <dd>
            <Money amount={price.charged} places={places} />
          </dd>
        </div>
      </dl>
      <p className="quiet small">{`${t.priceVersion} ${price.version}`}</p>
    </section>
  );
}

function Way({ trail }: Pick<PanelReceipt, "trail">): ReactNode {
  const t = useReceiptTexts();
  if (trail.length === 0) return null;
  const places = mostPlaces(trail.map(({ amount }) => amount));
  return (
    <section className="slip-part">
      <h2>{t.trail}</h2>
      <TrailBar trail={trail} />
      <dl className="leaders">
        {trail.map(({ kind, at, amount }, index) => (
          <div key={index}>
            <dt>
              {t.steps[kind]}{" "}
              <span className="quiet">
                <Time iso={at} />
              </span>
            </dt>
            <dd>
              <Money amount={amount} places={places} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Tries({ attempts }: Pick<PanelReceipt, "attempts">): ReactNode {
  const t = useReceiptTexts();
  const { duration } = useFormats();
  if (attempts.length === 0) return null;
  return (
    <section className="slip-part">
      <h2>{t.attempts}</h2>
      <dl className="leaders">
        {attempts.map(({ number, outcome, status, durationMs }) => (
          <div key={number}>
            <dt>
              {number}. {t.outcomes[outcome] ?? outcome}
              {status === null ? null : <span className="quiet"> HTTP {status}</span>}
            </dt>
            <dd className="figure">{durationMs === null ? "—" : duration(durationMs)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

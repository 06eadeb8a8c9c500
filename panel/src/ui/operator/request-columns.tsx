/** What a list of requests of any account tells of each. */
import { Link } from "@tanstack/react-router";
import type { OperatorRequest } from "../../../../src/contract/panel/operator-requests.ts";
import type { Formats } from "../../i18n/locale.tsx";
import type { OperatorTexts } from "../../i18n/texts/operator.ru.ts";
import type { Column } from "../data-table.tsx";
import { Charge } from "../money.tsx";
import { RowTime } from "../time.tsx";
import { TwoLines } from "../two-lines.tsx";
import { AccountLink } from "./account-link.tsx";
import "./operator.css";
import { RequestState } from "./request-state.tsx";

/** @param withAccount false where all of them are one account's. */
export function requestColumns(
  t: OperatorTexts,
  formats: Formats,
  withAccount: boolean,
): readonly Column<OperatorRequest>[] {
  const columns: readonly Column<OperatorRequest>[] = [
    {
      id: "started",
      header: t.startedIn(formats.zone()),
      cell: ({ id, startedAt }) => (
        <Link className="row-link" to="/operator/requests/$id" params={{ id }}>
          <RowTime iso={startedAt} />
        </Link>
      ),
    },
    {
      id: "account",
      header: t.account,
      share: 17,
      cell: ({ accountId, accountName }) => (
        <AccountLink accountId={accountId} name={accountName} />
      ),
    },
    {
      id: "model",
      header: t.modelAndUpstream,
      leads: true,
      share: 17,
      cell: ({ model, upstream }) => (
        <TwoLines title={model} detail={upstream ?? t.nobody}>
          {model}
        </TwoLines>
      ),
    },
    {
      id: "state",
      header: t.state,
      cell: ({ state, failedAttempts }) => (
        <span className="operator-pair">
          <span>
            <RequestState state={state} />
          </span>
          {failedAttempts === 0 ? null : (
            <span className="quiet small nowrap">
              {t.failedAttempts(formats.count(failedAttempts))}
            </span>
          )}
        </span>
      ),
    },
    {
      id: "tokens",
      header: t.tokens,
      align: "end",
      cell: ({ inputTokens, outputTokens }) => (
        <span className="figure">{`${formats.count(inputTokens)} / ${formats.count(outputTokens)}`}</span>
      ),
    },
    {
      id: "duration",
      header: t.duration,
      align: "end",
      cell: ({ durationMs }) => (
        <span className="figure">{durationMs === null ? "—" : formats.duration(durationMs)}</span>
      ),
    },
    {
      id: "charged",
      header: t.chargedAndCost,
      align: "end",
      cell: ({ charged, upstreamCost }) => (
        <span className="operator-pair">
          <Charge amount={charged} />
          <span className="quiet small">
            {upstreamCost === null ? t.unknown : <Charge amount={upstreamCost} />}
          </span>
        </span>
      ),
    },
  ];
  return withAccount ? columns : columns.filter(({ id }) => id !== "account");
}

/** What calls failed with: how often each thing happened, then the last of them one by one. */
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { ReactNode } from "react";
import type {
  UpstreamErrors as Errors,
  UpstreamHealth,
} from "../../../../src/contract/panel/operator-upstreams.ts";
import { useOperatorData } from "../../api/operator.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { AccountLink } from "../../ui/operator/account-link.tsx";
import { OperatorWords } from "../../ui/operator/operator-words.tsx";
import { RowTime } from "../../ui/time.tsx";
import { TwoLines } from "../../ui/two-lines.tsx";
import { useUpstreamTexts } from "./use-upstream-texts.ts";

export interface ErrorsOf {
  readonly upstream: string;
  /** Null: of all its models. */
  readonly upstreamModel: string | null;
  readonly figures: UpstreamHealth["figures"];
}

type Row = Errors["data"][number];

interface UpstreamErrorsProps {
  /** Null: closed. */
  readonly of: ErrorsOf | null;
  readonly window: string;
  close(): void;
}

export function UpstreamErrors({ of, window, close }: UpstreamErrorsProps): ReactNode {
  const t = useUpstreamTexts();
  const parts = of === null ? [] : [of.upstream, of.upstreamModel];
  const name = parts.filter((part) => part !== null).join(" / ");
  return (
    <Dialog
      wide
      title={t.errorsOf(name)}
      description={t.errorsLead}
      open={of !== null}
      onOpenChange={(open) => {
        if (!open) close();
      }}
    >
      {of === null ? null : <Found of={of} window={window} />}
    </Dialog>
  );
}

function Found({ of, window }: { readonly of: ErrorsOf; readonly window: string }): ReactNode {
  const t = useUpstreamTexts();
  const { count, zone } = useFormats();
  const query = useOperatorData("/operator/upstreams/errors", {
    query: {
      upstream: of.upstream,
      window,
      ...(of.upstreamModel === null ? {} : { model: of.upstreamModel }),
    },
  });
  const head = t.at(zone());
  const columns = useMemo(
    (): readonly Column<Row>[] => [
      {
        id: "at",
        header: head,
        cell: ({ at, requestId }) => (
          <Link className="row-link" to="/operator/requests/$id" params={{ id: requestId }}>
            <RowTime iso={at} />
          </Link>
        ),
      },
      {
        id: "what",
        header: t.what,
        share: 50,
        cell: ({ status, reason, coded, upstreamModel }) => (
          <TwoLines title={reason} detail={upstreamModel}>
            <OperatorWords words={reason === "" ? String(status ?? "—") : reason} coded={coded} />
          </TwoLines>
        ),
      },
      {
        id: "account",
        header: t.account,
        share: 20,
        cell: ({ accountId, accountName }) => (
          <AccountLink accountId={accountId} name={accountName} />
        ),
      },
      {
        id: "instead",
        header: t.instead,
        cell: ({ servedBy }) => servedBy ?? <span className="quiet">{t.nobody}</span>,
      },
    ],
    [t, head],
  );
  return (
    <>
      {of.figures.errors.length === 0 ? null : (
        <section aria-label={t.summary}>
          <ul className="operator-upstreams-causes">
            {of.figures.errors.map(({ status, reason, coded, count: times }) => (
              <li key={`${status} ${reason}`}>
                <span className="figure">{`${count(times)} ×`}</span>
                <span>
                  <OperatorWords
                    words={reason === "" ? String(status ?? "—") : reason}
                    coded={coded}
                  />
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Loaded query={query}>
        {({ data }) => (
          <DataTable
            caption={t.errorsCaption}
            columns={columns}
            rows={data}
            rowKey={({ requestId, upstreamModel, at, reason }) =>
              `${requestId} ${upstreamModel} ${at} ${reason}`
            }
            empty={<EmptyState title={t.noErrors} text={t.noErrorsText} />}
          />
        )}
      </Loaded>
    </>
  );
}

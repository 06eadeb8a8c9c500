/** What an answer cost: asked for as soon as it has ended, until it is settled. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import type { ReactNode } from "react";
import { readApi } from "../../api/call-api.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Money } from "../../ui/money.tsx";
import { usePlaygroundTexts } from "./use-playground-texts.ts";

const LOOK_AGAIN_MS = 700;
/** A receipt is there within seconds; after that it can be looked at on its own page. */
const MOST_TRIES = 15;

interface AnswerReceiptProps {
  readonly requestId: string;
  /** Of an answer that was there before its page: nothing of it is news. */
  readonly known?: boolean;
}

export function AnswerReceipt({ requestId, known = false }: AnswerReceiptProps): ReactNode {
  const t = usePlaygroundTexts();
  const { count, duration } = useFormats();
  const client = useQueryClient();
  const query = useQuery({
    queryKey: ["requests", requestId],
    queryFn: ({ signal }) => readApi("/requests/{id}", { params: { id: requestId }, signal }),
    retry: (failures) => failures < MOST_TRIES,
    retryDelay: LOOK_AGAIN_MS,
    refetchInterval: ({ state }) => (state.data?.completedAt === null ? LOOK_AGAIN_MS : false),
  });
  const settled = query.data !== undefined && query.data.completedAt !== null;
  useEffect(() => {
    if (settled && !known) void client.invalidateQueries({ queryKey: ["overview"] });
  }, [client, settled, known]);
  const usage = query.data?.usage ?? null;
  const input =
    usage === null
      ? 0
      : usage.inputTokens +
        usage.cachedInputTokens +
        usage.cacheWrite5mTokens +
        usage.cacheWrite1hTokens;
  const output = usage?.outputTokens ?? 0;
  return (
    <span className="chat-receipt" aria-live={known ? "off" : "polite"}>
      {settled ? (
        <span>
          {t.cost}:{" "}
          <b>
            <Money amount={query.data.charged} />
          </b>
        </span>
      ) : (
        <span className="quiet">{query.isError ? t.receiptLate : t.receiptWaiting}</span>
      )}
      {settled && input + output > 0 ? (
        <span className="quiet">{t.tokens(count(input), output, count(output))}</span>
      ) : null}
      {settled && query.data.durationMs !== null ? (
        <span className="quiet">
          {query.data.timeToFirstTokenMs === null
            ? ""
            : `${t.firstToken(duration(query.data.timeToFirstTokenMs))} · `}
          {duration(query.data.durationMs)}
        </span>
      ) : null}
      <span>
        <span className="chat-receipt-word">{t.request}: </span>
        <Link to="/requests/$id" params={{ id: requestId }}>
          <code>{requestId}</code>
        </Link>
      </span>
    </span>
  );
}

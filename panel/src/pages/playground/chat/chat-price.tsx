/** What the message that is being written would cost at most, and whether it would be let in. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ApiError } from "../../../api/api-error.ts";
import { postRaw } from "../../../api/call-api.ts";
import { useFormats } from "../../../i18n/locale.tsx";
import { useFaults } from "../../../i18n/use-faults.ts";
import { Money } from "../../../ui/money.tsx";
import { useDebounced } from "../../../ui/use-debounced.ts";
import { PAYER_HEADER } from "../payer.tsx";
import { RefusalBanner } from "../refusal-banner.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import type { ChatDialect } from "./chat-dialect.ts";

interface ChatPriceProps {
  readonly path: ChatDialect["path"];
  readonly payerHash: string;
  readonly request: Readonly<Record<string, unknown>>;
}

export function ChatPrice({ path, payerHash, request }: ChatPriceProps): ReactNode {
  const t = usePlaygroundTexts();
  const faults = useFaults();
  const { count } = useFormats();
  const rested = useDebounced(request);
  const { data, error, isFetching } = useQuery({
    queryKey: ["playground", "chat-quote", path, payerHash, rested],
    retry: false,
    gcTime: 0,
    queryFn: ({ signal }) =>
      postRaw(`/playground/quote${path}`, {
        headers: { [PAYER_HEADER]: payerHash },
        body: rested,
        signal,
      }),
  });
  if (error !== null && !isFetching) {
    return error instanceof ApiError ? (
      <RefusalBanner error={error} />
    ) : (
      <p className="quiet small">{t.noPrice}</p>
    );
  }
  return (
    <div className="playground-price-words small" aria-live="polite">
      {data === undefined || rested !== request ? (
        <span className="quiet">{t.priceWaiting}</span>
      ) : (
        <>
          <span title={t.estimateNote}>
            {t.estimate}{" "}
            <b>
              <Money amount={data.estimate} />
            </b>
            <span className="quiet">
              {" "}
              · {t.inputTokens(data.inputTokens.counted, count(data.inputTokens.counted))} ·{" "}
              {t.available}: <Money amount={data.available} />
            </span>
          </span>
          <span className="quiet">{t.estimateNote}</span>
          {data.refusal === null ? null : (
            <p className="banner banner-warn" role="status">
              {t.notAdmitted} {faults.reason(data.refusal)}
            </p>
          )}
        </>
      )}
    </div>
  );
}

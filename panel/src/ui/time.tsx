/** A moment, in the member's time zone; or how long ago it was, with the moment at hand. */
import { useEffect, useReducer } from "react";
import type { ReactNode } from "react";
import { useFormats } from "../i18n/locale.tsx";

const AGE_EVERY_MS = 30_000;

/** @param iso null shows a dash. */
export function Time({
  iso,
  dateOnly = false,
}: {
  readonly iso: string | null;
  readonly dateOnly?: boolean;
}): ReactNode {
  const { time, date } = useFormats();
  if (iso === null) return "—";
  return (
    <time className="figure" dateTime={iso}>
      {dateOnly ? date(iso) : time(iso)}
    </time>
  );
}

/** In a list: the zone stands in the head of its column. */
export function RowTime({ iso }: { readonly iso: string }): ReactNode {
  const { time, listTime } = useFormats();
  const { text, fraction } = listTime(iso);
  return (
    <time className="figure" dateTime={iso} title={time(iso)}>
      {text}
      {fraction === "" ? null : <span className="steps-back">{fraction}</span>}
    </time>
  );
}

export function RelativeTime({ iso }: { readonly iso: string | null }): ReactNode {
  const { time, relative } = useFormats();
  const [, age] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(age, AGE_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  if (iso === null) return "—";
  return (
    <time dateTime={iso} title={time(iso)}>
      {relative(iso)}
    </time>
  );
}

/** The window in equal parts, one bar each: pale where all is well, in colour where it is not. */
import type { ReactNode } from "react";
import { judgeErrors } from "../../../../src/contract/operator/upstream-judgement.ts";
import type { UpstreamHealth } from "../../../../src/contract/panel/operator-upstreams.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { useUpstreamTexts } from "./use-upstream-texts.ts";

interface CallStripProps {
  readonly upstream: Pick<UpstreamHealth, "name" | "parts" | "figures">;
  /** Of the report. */
  readonly from: string;
  readonly to: string;
  readonly partMs: number;
}

export function CallStrip({ upstream, from, to, partMs }: CallStripProps): ReactNode {
  const t = useUpstreamTexts();
  const { count, time } = useFormats();
  const { name, parts, figures } = upstream;
  const begin = Date.parse(from);
  const places = Math.max(1, Math.round((Date.parse(to) - begin) / partMs));
  const placeOf = (at: string): number => Math.round((Date.parse(at) - begin) / partMs);
  return (
    <span
      className="strip"
      role="img"
      aria-label={t.strip(name, count(figures.calls), count(figures.failed))}
    >
      {Array.from({ length: places }, (_, place) => {
        const part = parts.find(({ at }) => placeOf(at) === place);
        if (part === undefined) return <i key={place} className="strip-none" />;
        const { at, calls, failed } = part;
        // In a short part a few calls are all that there is.
        const tone = judgeErrors(calls, failed) ?? (failed === calls && calls > 0 ? "bad" : "good");
        return (
          <i
            key={place}
            className={`strip-${tone}`}
            title={t.part(time(at), count(calls), count(failed))}
          />
        );
      })}
    </span>
  );
}

/** What the account may spend and how long it lasts, at the foot of the menu. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { overviewQuery } from "../api/overview-query.ts";
import { useFormats } from "../i18n/locale.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { Money } from "../ui/money.tsx";
import { useShell } from "./use-shell.ts";

/** Longer than that it is no forecast. */
const FAR_DAYS = 365;

export function SideBalance(): ReactNode {
  const shell = useShell();
  const { count } = useFormats();
  const { data } = useQuery(overviewQuery);
  const days = data?.runsOutInDays ?? null;
  return (
    <section className="side-balance" aria-label={shell.balance}>
      <p className="side-balance-words">
        <span>{shell.available}</span>
        {days === null || days > FAR_DAYS ? null : (
          <span>
            {days < 1 ? shell.lessThanDay : shell.lasts(Math.floor(days), count(Math.floor(days)))}
          </span>
        )}
      </p>
      <p className="side-balance-sum">
        {data === undefined ? "…" : <Money amount={data.available} brief="down" />}
      </p>
      <ButtonLink small icon="plus" to="/billing">
        {shell.topUp}
      </ButtonLink>
    </section>
  );
}

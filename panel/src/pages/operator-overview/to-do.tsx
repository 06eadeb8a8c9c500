/** What the operator should look at, the worst first; or that there is nothing. */
import type { LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { OperatorOverview } from "../../../../src/contract/panel/operator-overview.ts";
import type { Formats } from "../../i18n/locale.tsx";
import { useFormats } from "../../i18n/locale.tsx";
import type { OperatorMorningTexts } from "../../i18n/texts/operator-morning.ru.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { IconName } from "../../ui/icon-paths.ts";
import { useMorningTexts } from "./use-morning-texts.ts";

interface Item {
  readonly tone: "bad" | "warn" | "neutral";
  readonly icon: IconName;
  readonly text: string;
  /** Where it is done; absent: not in the panel. */
  readonly link?: {
    readonly to: NonNullable<LinkProps["to"]>;
    readonly label: string;
    readonly search?: Readonly<Record<string, string>>;
  };
}

export function ToDo({ overview }: { readonly overview: OperatorOverview }): ReactNode {
  const t = useMorningTexts();
  const formats = useFormats();
  const items = itemsOf(overview, t, formats);
  return (
    <section className="morning-to-do" aria-label={t.toDo}>
      {items.length === 0 ? (
        <p className="morning-calm">
          <Icon name="check" size={16} /> {t.nothingToDo}
        </p>
      ) : (
        <ul>
          {items.map(({ tone, icon, text, link }) => (
            <li key={text} className={`morning-item morning-${tone}`}>
              <Icon name={icon} size={16} />
              <span>{text}</span>
              {link === undefined ? null : (
                <ButtonLink small to={link.to as "/"} search={link.search ?? {}}>
                  {link.label}
                </ButtonLink>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function itemsOf(
  overview: OperatorOverview,
  t: OperatorMorningTexts,
  { count, share }: Formats,
): readonly Item[] {
  const { verifier, upstreams, payments, parkedReceipts, tasks, belowCost } = overview;
  const toUpstreams = { to: "/operator/upstreams", label: t.look } as const;
  const toPayments = (state: string) =>
    ({ to: "/operator/payments", label: t.toPayments, search: { state } }) as const;
  const items: readonly (Item | null)[] = [
    verifier.state !== "mismatch"
      ? null
      : {
          tone: "bad",
          icon: "scales",
          text: t.mismatch,
          link: { to: "/operator/ledger", label: t.look },
        },
    upstreams.open.length === 0
      ? null
      : {
          tone: "bad",
          icon: "warning",
          text: t.open(upstreams.open.join(", ")),
          link: toUpstreams,
        },
    ...upstreams.failing.map(({ upstream, calls, failed }): Item => ({
      tone: "bad",
      icon: "pulse",
      text: t.failing(upstream, share(failed / calls), count(calls)),
      link: toUpstreams,
    })),
    payments.unmatched === 0
      ? null
      : {
          tone: "bad",
          icon: "wallet",
          text: t.unmatched(payments.unmatched),
          link: toPayments("failed"),
        },
    belowCost.length === 0
      ? null
      : {
          tone: "warn",
          icon: "tag",
          text: t.belowCost(belowCost.join(", ")),
          link: { to: "/operator/catalogue", label: t.toPrices },
        },
    tasks.doubtful === 0
      ? null
      : {
          tone: "warn",
          icon: "film",
          text: t.stuck(tasks.doubtful),
          link: { to: "/operator/tasks", label: t.look, search: { tab: "stuck" } },
        },
    payments.late === 0
      ? null
      : { tone: "warn", icon: "wallet", text: t.late(payments.late), link: toPayments("pending") },
    parkedReceipts === 0 ? null : { tone: "warn", icon: "list", text: t.parked(parkedReceipts) },
    upstreams.out.length === 0
      ? null
      : {
          tone: "neutral",
          icon: "stop",
          text: t.out(upstreams.out.join(", ")),
          link: toUpstreams,
        },
  ];
  return items.filter((item) => item !== null);
}

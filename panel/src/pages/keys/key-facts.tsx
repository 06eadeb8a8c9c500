/** What a key spent, and what it may. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { PanelKey } from "../../../../src/contract/panel/panel-key.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Card } from "../../ui/card.tsx";
import { Money } from "../../ui/money.tsx";
import { Facts, Stat } from "../../ui/stat.tsx";
import { RelativeTime, Time } from "../../ui/time.tsx";
import { LimitLeft } from "./key-columns.tsx";
import { useKeysTexts } from "./use-keys-texts.ts";

interface OfKey {
  readonly of: PanelKey;
}

export function KeyMoney({ of: key }: OfKey): ReactNode {
  const t = useKeysTexts();
  return (
    <Card title={t.spend}>
      <dl className="stats">
        <Stat label={t.today} value={<Money amount={key.spentToday} brief="up" />} />
        <Stat label={t.month} value={<Money amount={key.spentMonth} brief="up" />} />
        <Stat label={t.total} value={<Money amount={key.spentTotal} brief="up" />} />
        <Stat label={t.held} value={<Money amount={key.held} brief="up" />} note={t.heldNote} />
      </dl>
    </Card>
  );
}

export function KeySettings({ of: key }: OfKey): ReactNode {
  const t = useKeysTexts();
  const formats = useFormats();
  const most = (figure: number | null): string =>
    figure === null ? t.unlimited : formats.count(figure);
  return (
    <Card title={t.settings}>
      <Facts
        items={[
          [t.limit, <LimitLeft key="l" limit={key.limit} t={t} formats={formats} />],
          [
            t.resets,
            (key.limit?.resetsAt ?? null) === null ? null : (
              <Time key="r" iso={key.limit?.resetsAt ?? null} />
            ),
          ],
          [t.owner, key.owner === null ? t.ownedByAccount : key.owner.name],
          [
            t.group,
            key.group === null ? (
              t.noGroup
            ) : (
              <Link key="g" to="/groups">
                {key.group.name}
              </Link>
            ),
          ],
          [t.models, key.models === null ? t.allModels : key.models.join(", ")],
          [t.ips, key.ips === null ? t.anywhere : key.ips.join(", ")],
          [t.requestsPerMinute, most(key.requestsPerMinute)],
          [t.tokensPerMinute, most(key.tokensPerMinute)],
          [t.maxConcurrent, most(key.maxConcurrent)],
          [t.maxTasks, most(key.maxTasks)],
          [t.expires, key.expiresAt === null ? t.never : <Time key="e" iso={key.expiresAt} />],
          [
            t.lastUsed,
            key.lastUsedAt === null ? t.neverUsed : <RelativeTime key="u" iso={key.lastUsedAt} />,
          ],
          [t.createdAt, <Time key="c" iso={key.createdAt} />],
        ]}
      />
    </Card>
  );
}

/** One API key: what it spent and may, and everything that can be done to it. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { ReactNode } from "react";
import type { SpendSplit } from "../../api/spend.ts";
import type { PanelKey, PanelKeyMade } from "../../../../src/contract/panel/panel-key.ts";
import { keyQuery } from "../../api/account-keys.ts";
import { useMayUseKeys } from "../../app/session.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { SpendByDay } from "../../ui/spend/spend-by-day.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import { useFilters } from "../../ui/use-filters.ts";
import { KeyDialogs, mayRoll } from "./key-dialogs.tsx";
import type { KeyDialog } from "./key-dialogs.tsx";
import { KeyMoney, KeySettings } from "./key-facts.tsx";
import "./keys.css";
import { OldKeyBadge } from "./old-key-badge.tsx";
import { ShownSecret } from "./shown-secret.tsx";
import { useKeysTexts } from "./use-keys-texts.ts";
import { useUnfreezeKey } from "./use-unfreeze-key.ts";

const SPLITS = ["none", "model"] as const;

export function Component(): ReactNode {
  const t = useKeysTexts();
  const { hash } = useParams({ from: "/inside/keys/$hash" });
  const query = useQuery(keyQuery(hash));
  const mayChange = useMayUseKeys();
  const filters = useFilters<"split">({ split: "none" });
  const split = SPLITS.find((one) => one === filters.values.split) ?? "none";
  const key = query.data;
  const navigate = useNavigate();
  // Of the key that takes this one's place: kept here only, and only until it was seen.
  const [made, setMade] = useState<PanelKeyMade | null>(null);
  const goToHeir = (): void => {
    setMade(null);
    if (made !== null) void navigate({ to: "/keys/$hash", params: { hash: made.key.hash } });
  };
  return (
    <>
      <PageHead
        title={key?.name ?? t.key}
        back={{ to: "/keys", label: t.title }}
        actions={
          key !== undefined && mayChange && key.state !== "deleted" ? (
            <Actions of={key} onRolled={setMade} />
          ) : null
        }
      />
      <ShownSecret made={made} onSaved={goToHeir} />
      <Loaded query={query}>
        {(shown) => (
          <>
            <Banner of={shown} />
            <div className="row">
              <StatusBadge status={shown.state} />
              <OldKeyBadge of={shown} />
              <code>{shown.mask}</code>
              <ButtonLink small icon="list" to="/requests" search={{ keyHash: hash }}>
                {t.requests}
              </ButtonLink>
              {shown.state === "active" && mayChange ? (
                <ButtonLink small icon="play" to="/playground" search={{ key: hash }}>
                  {t.playground}
                </ButtonLink>
              ) : null}
            </div>
            <KeyMoney of={shown} />
            <SpendByDay
              filter={{ keyHash: hash }}
              splits={SPLITS}
              split={split}
              onSplit={(next: SpendSplit) => filters.set({ split: next })}
            />
            <KeySettings of={shown} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Actions({
  of: key,
  onRolled,
}: {
  readonly of: PanelKey;
  onRolled(made: PanelKeyMade): void;
}): ReactNode {
  const t = useKeysTexts();
  const [asked, setAsked] = useState<KeyDialog | null>(null);
  const { busy, unfreeze } = useUnfreezeKey();
  return (
    <>
      <Button onClick={() => setAsked("edit")}>{t.edit}</Button>
      {mayRoll(key) ? <Button onClick={() => setAsked("roll")}>{t.roll}</Button> : null}
      {key.frozenAt === null ? (
        <Button onClick={() => setAsked("freeze")}>{t.freeze}</Button>
      ) : (
        <Button busy={busy} onClick={() => unfreeze(key.hash)}>
          {t.unfreeze}
        </Button>
      )}
      <Button look="danger" icon="trash" onClick={() => setAsked("delete")}>
        {t.remove}
      </Button>
      <KeyDialogs of={key} asked={asked} onAsk={setAsked} onRolled={onRolled} />
    </>
  );
}

function Banner({ of: { state, rolledTo } }: { readonly of: PanelKey }): ReactNode {
  const t = useKeysTexts();
  const notice = {
    active: null,
    frozen: t.frozenBanner,
    expired: t.expiredBanner,
    deleted: t.deletedBanner,
  }[state];
  if (notice === null && rolledTo === null) return null;
  return (
    <p className="banner banner-warn">
      <span>
        {notice} {rolledTo === null ? null : t.rolledBanner}{" "}
        {rolledTo === null ? null : (
          <Link to="/keys/$hash" params={{ hash: rolledTo }}>
            {t.openHeir}
          </Link>
        )}
      </span>
    </p>
  );
}

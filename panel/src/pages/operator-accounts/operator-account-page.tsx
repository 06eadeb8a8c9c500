/**
 * One account for operators: its money, limits, members, keys and last requests, and what may be
 * done to it.
 */
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useOperatorData } from "../../api/operator.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { AccountActions } from "./account-actions.tsx";
import { AccountFigures } from "./account-figures.tsx";
import { AccountLedger } from "./account-ledger.tsx";
import { AccountNotes } from "./account-notes.tsx";
import { AccountKeys, AccountMembers, AccountRequests } from "./account-tables.tsx";
import "./operator-accounts.css";
import { useAccountTexts } from "./use-account-texts.ts";

export function Component(): ReactNode {
  const t = useAccountTexts();
  const { time } = useFormats();
  const { id } = useParams({ from: "/inside/operate/operator/accounts/$id" });
  const query = useOperatorData("/operator/accounts/{id}", { params: { id } });
  const account = query.data;
  return (
    <>
      <PageHead
        title={account?.name ?? t.name}
        back={{ to: "/operator/accounts", label: t.title }}
        actions={account === undefined ? null : <AccountActions account={account} />}
      />
      <Loaded query={query}>
        {(shown) => (
          <>
            {shown.blocked === null ? null : (
              <p className="banner banner-danger" role="status">
                <Icon name="warning" />{" "}
                {t.blockedSince(time(shown.blocked.at), shown.blocked.reason)}
              </p>
            )}
            <AccountFigures account={shown} />
            <AccountNotes account={shown} />
            <AccountMembers account={shown} />
            <AccountLedger accountId={id} />
            <AccountKeys account={shown} />
            <AccountRequests account={shown} />
            <div className="row">
              <ButtonLink icon="list" to="/operator/requests" search={{ account: id }}>
                {t.allRequests}
              </ButtonLink>
              <ButtonLink icon="film" to="/operator/tasks" search={{ account: id }}>
                {t.allTasks}
              </ButtonLink>
              <ButtonLink icon="eye" to="/operator/audit" search={{ account: id }}>
                {t.auditOf}
              </ButtonLink>
            </div>
          </>
        )}
      </Loaded>
    </>
  );
}

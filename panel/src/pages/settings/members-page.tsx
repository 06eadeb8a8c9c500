/** The people of the account: who they are, what they may, who is invited. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { ReactNode } from "react";
import type { ListedInvitation } from "../../../../src/contract/panel/members.ts";
import { deleteApi, readApi } from "../../api/call-api.ts";
import { useMay } from "../../app/session.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Time } from "../../ui/time.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { FactorForAll } from "./factor-for-all.tsx";
import { MemberSpend } from "./member-spend.tsx";
import { MembersTable } from "./members-table.tsx";
import { SettingsHead } from "./settings-head.tsx";
import { useSettingsTexts } from "./use-settings-texts.ts";

export function Component(): ReactNode {
  const t = useSettingsTexts();
  const owner = useMay("owner");
  const manager = useMay("manager");
  const [inviting, setInviting] = useState(false);
  const members = useQuery({
    queryKey: ["members"],
    queryFn: ({ signal }) => readApi("/members", { signal }),
  });
  return (
    <>
      <SettingsHead
        page="members"
        lead={t.membersLead}
        actions={
          owner ? (
            <Button look="primary" icon="plus" onClick={() => setInviting(true)}>
              {t.invite}
            </Button>
          ) : null
        }
      />
      <Loaded query={members}>
        {({ data, invitations }) => (
          <>
            <MembersTable members={data} owner={owner} manager={manager} />
            {invitations.length === 0 ? null : (
              <Invitations invitations={invitations} owner={owner} />
            )}
            <MemberSpend />
            {owner ? <FactorForAll /> : null}
          </>
        )}
      </Loaded>
      <InviteDialog open={inviting} onOpenChange={setInviting} />
    </>
  );
}

function Invitations({
  invitations,
  owner,
}: {
  readonly invitations: readonly ListedInvitation[];
  readonly owner: boolean;
}): ReactNode {
  const t = useSettingsTexts();
  const toasts = useToasts();
  const client = useQueryClient();
  const { mutate: withdraw } = useMutation({
    mutationFn: (id: string) => deleteApi("/members/invitations/{id}", { params: { id } }),
    onSuccess: () => toasts.done(t.withdrawn),
    onError: toasts.failed,
    onSettled: () => client.invalidateQueries({ queryKey: ["members"] }),
  });
  const columns = useMemo<readonly Column<ListedInvitation>[]>(
    () => [
      {
        id: "email",
        header: t.email,
        cell: ({ email }) => <span className="breaks">{email}</span>,
      },
      { id: "role", header: t.role, cell: ({ role }) => t.roles[role] },
      { id: "expires", header: t.expires, cell: ({ expiresAt }) => <Time iso={expiresAt} /> },
      {
        id: "withdraw",
        header: "",
        align: "end",
        cell: ({ invitationId }) =>
          owner ? (
            <Button small onClick={() => withdraw(invitationId)}>
              {t.withdraw}
            </Button>
          ) : null,
      },
    ],
    [t, owner, withdraw],
  );
  return (
    <Card title={t.invitationsTitle}>
      <DataTable
        caption={t.invitationsCaption}
        columns={columns}
        rows={invitations}
        rowKey={({ invitationId }) => invitationId}
      />
    </Card>
  );
}

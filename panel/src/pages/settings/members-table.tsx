/** The members of the account, with what an owner may do about each. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { ReactNode } from "react";
import { MEMBER_ROLES } from "../../../../src/contract/enums/member-role.ts";
import type { ListedMember, RoleBody } from "../../../../src/contract/panel/members.ts";
import { deleteApi, postApi } from "../../api/call-api.ts";
import { useSession } from "../../app/session.ts";
import { Badge } from "../../ui/badge.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Status } from "../../ui/status.tsx";
import { RelativeTime, Time } from "../../ui/time.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { ChooseGroup } from "./choose-group.tsx";
import { useSettingsTexts } from "./use-settings-texts.ts";

interface MembersTableProps {
  readonly members: readonly ListedMember[];
  readonly owner: boolean;
  readonly manager: boolean;
}

export function MembersTable({ members, owner, manager }: MembersTableProps): ReactNode {
  const t = useSettingsTexts();
  const toasts = useToasts();
  const client = useQueryClient();
  const own = useSession().member.memberId;
  const [leaving, setLeaving] = useState<ListedMember | null>(null);
  const [grouped, setGrouped] = useState<ListedMember | null>(null);
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ["members"] });
  const { mutate: changeRole } = useMutation({
    mutationFn: ({ memberId, ...body }: RoleBody & { readonly memberId: string }) =>
      postApi("/members/{id}/role", { params: { id: memberId }, body }),
    onSuccess: () => toasts.done(t.roleChanged),
    onError: toasts.failed,
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationFn: (memberId: string) => deleteApi("/members/{id}", { params: { id: memberId } }),
    onSuccess() {
      setLeaving(null);
      toasts.done(t.removed);
    },
    onSettled: refresh,
  });
  const columns = useMemo<readonly Column<ListedMember>[]>(
    () => [
      {
        id: "member",
        header: t.member,
        cell: ({ email, name, memberId }) => (
          <span>
            <span className="breaks">{name ?? email}</span>{" "}
            {memberId === own ? <Badge>{t.you}</Badge> : null}
            {name === null ? null : (
              <span className="quiet small settings-second breaks">{email}</span>
            )}
          </span>
        ),
      },
      { id: "role", header: t.role, cell: ({ role }) => t.roles[role] },
      {
        id: "totp",
        header: t.secondFactor,
        cell: ({ totp, passkeys }) => (
          <Status tone={totp || passkeys > 0 ? "good" : "neutral"}>
            {totp || passkeys > 0 ? t.totpOn : t.totpOff}
          </Status>
        ),
      },
      {
        id: "keys",
        header: t.ownKeys,
        align: "end",
        cell: ({ keys, group }) => (
          <span>
            {keys}
            {group === null ? null : (
              <span className="quiet small settings-second">{group.name}</span>
            )}
          </span>
        ),
      },
      { id: "seen", header: t.seen, cell: ({ lastSeenAt }) => <RelativeTime iso={lastSeenAt} /> },
      { id: "joined", header: t.joined, cell: ({ joinedAt }) => <Time iso={joinedAt} dateOnly /> },
      {
        id: "actions",
        header: "",
        align: "end",
        cell: (member) =>
          owner || (manager && member.role === "developer") ? (
            <Menu
              label={`${owner ? t.changeRole : t.chooseGroup}: ${member.email}`}
              items={[
                ...MEMBER_ROLES.filter(() => owner).map((role) => ({
                  label: `${t.roles[role]}: ${t.roleHints[role]}`,
                  checked: member.role === role,
                  onSelect: () =>
                    changeRole({ memberId: member.memberId, role, revision: member.revision }),
                })),
                ...(member.role === "developer"
                  ? [
                      {
                        label: t.chooseGroup,
                        icon: "layers" as const,
                        onSelect: () => setGrouped(member),
                      },
                    ]
                  : []),
                ...(owner
                  ? [
                      {
                        label: member.memberId === own ? t.leave : t.remove,
                        danger: true,
                        icon: "trash" as const,
                        onSelect: () => setLeaving(member),
                      },
                    ]
                  : []),
              ]}
            />
          ) : null,
      },
    ],
    [t, own, owner, manager, changeRole],
  );
  return (
    <>
      <DataTable
        caption={t.membersCaption}
        columns={columns}
        rows={members}
        rowKey={({ memberId }) => memberId}
      />
      {grouped === null ? null : <ChooseGroup of={grouped} onDone={() => setGrouped(null)} />}
      <ConfirmDialog
        title={t.removeTitle(leaving?.email ?? "")}
        description={t.removeText(leaving?.keys ?? 0)}
        action={leaving?.memberId === own ? t.leave : t.remove}
        open={leaving !== null}
        onOpenChange={() => {
          setLeaving(null);
          remove.reset();
        }}
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => {
          if (leaving !== null) remove.mutate(leaving.memberId);
        }}
      />
    </>
  );
}

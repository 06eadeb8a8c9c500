/** The passkeys of the member: added, looked at, removed. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { ReactNode } from "react";
import type { ListedPasskey } from "../../../../src/contract/panel/passkeys.ts";
import { deleteApi, readApi } from "../../api/call-api.ts";
import { usePasskeysHere } from "../../app/passkeys.ts";
import { useMayUseKeys, useSession, useSetSession } from "../../app/session.ts";
import { useTexts } from "../../i18n/locale.tsx";
import { passkeysEn } from "../../i18n/texts/passkeys.en.ts";
import { passkeysRu } from "../../i18n/texts/passkeys.ru.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { RelativeTime, Time } from "../../ui/time.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { AddPasskey } from "./add-passkey.tsx";

const TEXTS = { ru: passkeysRu, en: passkeysEn };
const QUERY = ["passkeys"];

export function PasskeysCard(): ReactNode {
  const t = useTexts(TEXTS);
  const toasts = useToasts();
  const client = useQueryClient();
  const session = useSession();
  const setSession = useSetSession();
  const mayAdd = useMayUseKeys();
  const here = usePasskeysHere();
  const [going, setGoing] = useState<ListedPasskey | null>(null);
  const passkeys = useQuery({
    queryKey: QUERY,
    queryFn: ({ signal }) => readApi("/passkeys", { signal }),
  });
  const count = (change: 1 | -1): void => {
    const { member } = session;
    setSession({ ...session, member: { ...member, passkeys: member.passkeys + change } });
    void client.invalidateQueries({ queryKey: QUERY });
  };
  const remove = useMutation({
    mutationFn: (id: string) => deleteApi("/passkeys/{id}", { params: { id } }),
    onSuccess() {
      setGoing(null);
      count(-1);
      toasts.done(t.removed);
    },
  });
  const columns = useMemo<readonly Column<ListedPasskey>[]>(
    () => [
      { id: "name", header: t.name, cell: ({ name }) => <span className="breaks">{name}</span> },
      { id: "added", header: t.added, cell: ({ addedAt }) => <Time iso={addedAt} /> },
      {
        id: "used",
        header: t.used,
        cell: ({ lastUsedAt }) =>
          lastUsedAt === null ? (
            <span className="quiet">{t.never}</span>
          ) : (
            <RelativeTime iso={lastUsedAt} />
          ),
      },
      {
        id: "remove",
        header: "",
        align: "end",
        cell: (passkey) => (
          <Button small onClick={() => setGoing(passkey)}>
            {t.remove}
          </Button>
        ),
      },
    ],
    [t],
  );
  // What there can be none of is not spoken of.
  if (session.member.passkeys === 0 && !(mayAdd && here)) return null;
  const { totp } = session.member;
  return (
    <Card
      title={t.title}
      actions={mayAdd && here ? <AddPasskey t={t} onAdded={() => count(1)} /> : null}
    >
      <p className="quiet">{t.lead}</p>
      {session.account.totpRequired && !totp ? <p className="quiet">{t.factorNote}</p> : null}
      <Loaded query={passkeys}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="quiet">{t.none}</p>
          ) : (
            <DataTable
              caption={t.caption}
              columns={columns}
              rows={data}
              rowKey={({ passkeyId }) => passkeyId}
            />
          )
        }
      </Loaded>
      <ConfirmDialog
        title={t.removeTitle(going?.name ?? "")}
        description={t.removeText}
        action={t.remove}
        open={going !== null}
        onOpenChange={(open) => {
          if (open) return;
          setGoing(null);
          remove.reset();
        }}
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => {
          if (going !== null) remove.mutate(going.passkeyId);
        }}
      />
    </Card>
  );
}

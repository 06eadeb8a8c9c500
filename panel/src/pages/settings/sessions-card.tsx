/** Where one is logged in, and the way to end it. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { SessionList } from "../../../../src/contract/panel/sessions.ts";
import { deleteApi, readApi } from "../../api/call-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { RelativeTime, Time } from "../../ui/time.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { nameBrowser } from "./name-browser.ts";
import { useSettingsTexts } from "./use-settings-texts.ts";

type ListedSession = SessionList["data"][number];

export function SessionsCard(): ReactNode {
  const t = useSettingsTexts();
  const toasts = useToasts();
  const client = useQueryClient();
  const sessions = useQuery({
    queryKey: ["sessions"],
    queryFn: ({ signal }) => readApi("/sessions", { signal }),
  });
  const { mutate: end, isPending } = useMutation({
    mutationFn: (sessionId: string | null) =>
      sessionId === null
        ? deleteApi("/sessions")
        : deleteApi("/sessions/{id}", { params: { id: sessionId } }),
    onSuccess: (_, sessionId) => toasts.done(sessionId === null ? t.othersEnded : t.sessionEnded),
    onError: toasts.failed,
    onSettled: () => client.invalidateQueries({ queryKey: ["sessions"] }),
  });
  const columns = useMemo<readonly Column<ListedSession>[]>(
    () => [
      {
        id: "browser",
        header: t.browser,
        cell: ({ userAgent, current }) => (
          <span className="row" title={userAgent}>
            {nameBrowser(userAgent) ?? t.unknownBrowser}{" "}
            {current ? <Badge tone="good">{t.thisSession}</Badge> : null}
          </span>
        ),
      },
      { id: "address", header: t.address, cell: ({ address }) => <code>{address}</code> },
      {
        id: "seen",
        header: t.lastSeen,
        cell: ({ lastSeenAt }) => <RelativeTime iso={lastSeenAt} />,
      },
      { id: "created", header: t.createdAt, cell: ({ createdAt }) => <Time iso={createdAt} /> },
      {
        id: "end",
        header: "",
        align: "end",
        cell: ({ sessionId, current }) =>
          current ? null : (
            <Button small onClick={() => end(sessionId)}>
              {t.endSession}
            </Button>
          ),
      },
    ],
    [t, end],
  );
  return (
    <Card
      title={t.sessionsTitle}
      actions={
        (sessions.data?.data.length ?? 0) > 1 ? (
          <Button small busy={isPending} onClick={() => end(null)}>
            {t.endOthers}
          </Button>
        ) : null
      }
    >
      <Loaded query={sessions}>
        {({ data }) => (
          <DataTable
            caption={t.sessionsCaption}
            columns={columns}
            rows={data}
            rowKey={({ sessionId }) => sessionId}
          />
        )}
      </Loaded>
    </Card>
  );
}

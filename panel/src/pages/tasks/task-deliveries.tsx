/**
 * Who was told of a task's end: each webhook with every try, and sending again what did not arrive.
 */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { PanelTask, PanelTaskDeliveries } from "../../../../src/contract/panel/panel-task.ts";
import { postApi, readApi } from "../../api/call-api.ts";
import { hasEnded } from "../../api/use-task.ts";
import { useMay } from "../../app/session.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Facts } from "../../ui/stat.tsx";
import { Status } from "../../ui/status.tsx";
import { Time } from "../../ui/time.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { useTaskTexts } from "../../ui/tasks/use-task-texts.ts";

type Delivery = PanelTaskDeliveries["data"][number];

const LOOK_AGAIN_MS = 3_000;
const TONES = { pending: "live", delivered: "good", given_up: "bad" } as const;

export function TaskDeliveries({ task }: { readonly task: PanelTask }): ReactNode {
  const t = useTaskTexts();
  const toasts = useToasts();
  const client = useQueryClient();
  const mayResend = useMay("manager");
  const params = { id: task.taskId };
  const queryKey = ["tasks", task.taskId, "deliveries"];
  const ended = hasEnded(task);
  const query = useQuery({
    queryKey,
    enabled: ended && task.callbackUrl !== null,
    queryFn: ({ signal }) => readApi("/tasks/{id}/deliveries", { params, signal }),
    refetchInterval: ({ state }) =>
      state.data?.data.some((delivery) => delivery.state === "pending") === true
        ? LOOK_AGAIN_MS
        : false,
  });
  const resend = useMutation({
    mutationFn: () => postApi("/tasks/{id}/deliveries/retry", { params }),
    onSuccess: ({ webhooks }) => {
      toasts.done(t.resent(webhooks));
      void client.invalidateQueries({ queryKey });
    },
    onError: (error) => toasts.failed(error),
  });
  const undelivered = query.data?.data.some(({ state }) => state !== "delivered") === true;
  return (
    <Card
      title={t.deliveries}
      actions={
        mayResend && undelivered ? (
          <Button small icon="again" busy={resend.isPending} onClick={() => resend.mutate()}>
            {t.resend}
          </Button>
        ) : undefined
      }
    >
      {task.callbackUrl === null ? (
        <p className="quiet">{t.noDeliveries}</p>
      ) : ended ? (
        <Loaded query={query}>
          {({ data }) =>
            data.map((delivery) => <OneDelivery key={delivery.id} delivery={delivery} />)
          }
        </Loaded>
      ) : (
        <p className="quiet">{t.deliveriesAtEnd}</p>
      )}
    </Card>
  );
}

function OneDelivery({ delivery }: { readonly delivery: Delivery }): ReactNode {
  const t = useTaskTexts();
  const { duration } = useFormats();
  const columns = useMemo(
    (): readonly Column<Delivery["tries"][number]>[] => [
      { id: "at", header: t.tryAt, cell: ({ at }) => <Time iso={at} /> },
      {
        id: "answer",
        header: t.answer,
        cell: ({ status, error }) => [status ?? t.noAnswer, error].filter(Boolean).join(" · "),
      },
      {
        id: "took",
        header: t.took,
        align: "end",
        cell: ({ tookMs }) => <span className="figure">{duration(tookMs)}</span>,
      },
    ],
    [t, duration],
  );
  return (
    <div className="stack">
      <Facts
        items={[
          [t.callback, delivery.url],
          ["webhook-id", <code key="i">{delivery.id}</code>],
          [
            t.state,
            <Status key="s" tone={TONES[delivery.state]}>
              {t.deliveryStates[delivery.state]}
            </Status>,
          ],
          [
            t.deliveredAt,
            delivery.deliveredAt === null ? null : <Time key="d" iso={delivery.deliveredAt} />,
          ],
          [
            t.nextTry,
            delivery.nextTryAt === null ? null : <Time key="n" iso={delivery.nextTryAt} />,
          ],
        ]}
      />
      <h3>{t.tries(delivery.tries.length)}</h3>
      <DataTable
        caption={t.triesCaption}
        columns={columns}
        rows={delivery.tries}
        rowKey={({ at }) => at}
      />
    </div>
  );
}

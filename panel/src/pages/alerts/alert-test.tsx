/** Sends what an alert would send now, and shows what became of it, as it happens. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { ReactNode } from "react";
import type { Alert, AlertDelivery } from "../../../../src/contract/panel/alert.ts";
import { useAlertsChanged } from "../../api/alerts.ts";
import { postApi, readApi } from "../../api/call-api.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { DeliveryError } from "./delivery-error.tsx";
import { DeliveryState } from "./delivery-state.tsx";
import { useAlertsTexts } from "./use-alerts-texts.ts";

const EVERY_MS = 1_000;
/** What is tried again later than that is found in the log. */
const FOR_MS = 30_000;

interface AlertTestProps {
  readonly alert: Alert;
  readonly sentence: string;
}

export function AlertTest({ alert: { alertId }, sentence }: AlertTestProps): ReactNode {
  const t = useAlertsTexts();
  const changed = useAlertsChanged();
  const [open, setOpen] = useState(false);
  const test = useMutation({
    mutationFn: () => postApi("/alerts/{id}/test", { params: { id: alertId } }),
    onSuccess: changed,
  });
  return (
    <>
      {/* Never disabled: the focus comes back to it. */}
      <Button
        small
        icon="send"
        onClick={() => {
          setOpen(true);
          if (!test.isPending) test.mutate();
        }}
      >
        {t.test}
      </Button>
      <Dialog
        title={t.testTitle}
        description={t.testOf(sentence)}
        open={open}
        onOpenChange={(next) => {
          setOpen(next);
          changed();
        }}
      >
        {test.error !== null ? (
          <ErrorState error={test.error} />
        ) : test.data === undefined ? (
          <p>{t.testWaiting}</p>
        ) : test.data.deliveries === 0 ? (
          <p className="banner banner-warn">{t.testNobody}</p>
        ) : (
          <Outcome alertId={alertId} sent={test.data.deliveries} at={test.submittedAt} />
        )}
      </Dialog>
    </>
  );
}

interface OutcomeProps {
  readonly alertId: string;
  readonly sent: number;
  /** Of the test: each is looked at anew. */
  readonly at: number;
}

function Outcome({ alertId, sent, at }: OutcomeProps): ReactNode {
  const t = useAlertsTexts();
  const [resting, setResting] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setResting(true), FOR_MS);
    return () => clearTimeout(timer);
  }, []);
  const query = useQuery({
    queryKey: ["alert-test", alertId, at],
    async queryFn({ signal }) {
      // Newest first: those of this test.
      const { data } = await readApi("/alerts/deliveries", {
        query: { alertId, limit: sent },
        signal,
      });
      return data.filter(({ test }) => test);
    },
    refetchInterval: ({ state }) =>
      !resting && (state.data === undefined || state.data.some(isPending)) ? EVERY_MS : false,
  });
  return (
    <Loaded query={query}>
      {(deliveries) => (
        <>
          <p aria-live="polite">
            {deliveries.some(isPending)
              ? resting
                ? t.testResting
                : t.testWaiting
              : deliveries.every(({ state }) => state === "delivered")
                ? t.testDone
                : t.testFailed}
          </p>
          <ul className="alerts-outcomes">
            {deliveries.map((delivery) => (
              <li key={delivery.deliveryId}>
                <span className="row">
                  <DeliveryState state={delivery.state} />
                  <span>
                    {t.channels[delivery.channel]}:{" "}
                    <span className="alerts-address">{delivery.to}</span>
                  </span>
                </span>
                <DeliveryError delivery={delivery} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Loaded>
  );
}

function isPending({ state }: AlertDelivery): boolean {
  return state === "pending";
}

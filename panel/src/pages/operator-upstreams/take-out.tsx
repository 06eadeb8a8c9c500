/** Takes a route, or all routes to an upstream, out of use for a time; and puts it back. */
import { useState } from "react";
import type { ReactNode } from "react";
import type {
  UpstreamHealth,
  UpstreamsReport,
} from "../../../../src/contract/panel/operator-upstreams.ts";
import { useAction } from "../../api/operator.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useForm } from "../../ui/form.tsx";
import { ActionForm } from "../../ui/operator/action-form.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { modelsWithout, type RouteKey } from "./routes-without.ts";
import { useUpstreamTexts } from "./use-upstream-texts.ts";

const MINUTES = ["15", "60", "240", "1440", "10080", "43200"] as const;
type Minutes = (typeof MINUTES)[number];

interface TakeOutProps {
  readonly route: RouteKey;
  readonly out: UpstreamHealth["out"];
  readonly report: UpstreamsReport;
}

export function TakeOut({ route, out, report }: TakeOutProps): ReactNode {
  const t = useUpstreamTexts();
  const [open, setOpen] = useState(false);
  const name = nameOf(route);
  if (out !== null) return <PutBack route={route} />;
  return (
    <>
      <Button small look="ghost" aria-label={`${t.takeOut}: ${name}`} onClick={() => setOpen(true)}>
        {t.takeOut}
      </Button>
      <Dialog
        title={t.takeOutTitle(name)}
        description={t.takeOutText}
        open={open}
        onOpenChange={setOpen}
      >
        <TakeOutForm route={route} report={report} close={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function TakeOutForm({
  route,
  report,
  close,
}: Pick<TakeOutProps, "route" | "report"> & { close(): void }): ReactNode {
  const t = useUpstreamTexts();
  const toasts = useToasts();
  const [minutes, setMinutes] = useState<Minutes>("60");
  const action = useAction("/operator/upstreams/take-out", {}, () => {
    toasts.done(t.tookOut(nameOf(route)));
    close();
  });
  const form = useForm({ reason: "" }, action.error);
  const reason = form.values.reason.trim();
  const without = modelsWithout(report, route);
  return (
    <ActionForm
      action={t.takeOut}
      busy={action.busy}
      error={action.error}
      danger={without.length > 0}
      effect={without.length === 0 ? t.others : t.without(without.length, without.join(", "))}
      ready
      onSubmit={() =>
        action.send({ ...route, minutes: Number(minutes), ...(reason === "" ? {} : { reason }) })
      }
      onCancel={close}
    >
      <Select<Minutes>
        label={t.forHowLong}
        hint={t.thenBack}
        value={minutes}
        onChange={setMinutes}
        options={MINUTES.map((value) => ({ value, label: t.times[value] }))}
      />
      <TextField
        label={t.reason}
        hint={t.reasonInLog}
        optional
        maxLength={500}
        {...form.of("reason")}
      />
    </ActionForm>
  );
}

function PutBack({ route }: Pick<TakeOutProps, "route">): ReactNode {
  const t = useUpstreamTexts();
  const toasts = useToasts();
  const name = nameOf(route);
  const action = useAction("/operator/upstreams/put-back", {}, () =>
    toasts.done(t.putBackDone(name)),
  );
  return (
    <Button
      small
      busy={action.busy}
      aria-label={`${t.putBack}: ${name}`}
      onClick={() => action.send({ ...route })}
    >
      {t.putBack}
    </Button>
  );
}

function nameOf({ upstream, upstreamModel }: RouteKey): string {
  return upstreamModel === null ? upstream : `${upstream} / ${upstreamModel}`;
}

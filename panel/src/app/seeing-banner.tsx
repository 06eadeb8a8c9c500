/**
 * Over every page while an operator sees the panel as a customer: whose it is, that nothing can be
 * changed, until when, and the way back. It stays in sight, and goes with the panel.
 */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { ReactNode } from "react";
import { useFormats } from "../i18n/locale.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { useToasts } from "../ui/toast.tsx";
import { leaveSeeing } from "./leave-seeing.ts";
import { sessionQuery, useSession } from "./session.ts";
import { useShell } from "./use-shell.ts";

/** After its moment it is asked about. */
const SURE_MS = 1_000;

export function SeeingBanner({ until }: { readonly until: string }): ReactNode {
  const shell = useShell();
  const { time } = useFormats();
  const toasts = useToasts();
  const client = useQueryClient();
  const { accountId, name } = useSession().account;
  const leaving = useMutation({
    mutationFn: () => leaveSeeing(accountId),
    onError: (error) => toasts.failed(error),
  });
  useEffect(() => {
    // Whether it is over the server says, whose clock counts: what is asked after that leads back.
    const timer = setTimeout(
      () => void client.invalidateQueries({ queryKey: sessionQuery.queryKey }),
      Math.max(0, Date.parse(until) - Date.now()) + SURE_MS,
    );
    return () => clearTimeout(timer);
  }, [client, until]);
  return (
    <section className="banner banner-warn seeing-banner" aria-label={shell.seeing}>
      <Icon name="eye" />
      <span className="seeing-banner-words">
        <strong>{shell.seeingAs(name)}</strong>{" "}
        <span className="only-wide">{shell.seeingWithheld}</span> {shell.seeingUntil(time(until))}
      </span>
      <Button small busy={leaving.isPending} onClick={() => leaving.mutate()}>
        {shell.leaveSeeing}
      </Button>
    </section>
  );
}

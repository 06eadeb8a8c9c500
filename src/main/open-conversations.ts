/** Composition of kept answers: what seals them, what keeps them, and the sweeper behind them. */
import { countBy } from "../http/count-by.ts";
import { createSeal } from "../kernel/seal.ts";
import { repeat } from "../process/repeat.ts";
import type { Conversations } from "../serving/responses/conversation.ts";
import { createKeptResponses, type KeptResponses } from "../serving/responses/kept-responses.ts";
import { createResponseKeeper } from "../serving/responses/keep-responses.ts";
import { createConversations } from "../serving/responses/prepare-request.ts";
import { sweepResponses } from "../serving/responses/sweep-responses.ts";
import type { Parts } from "./parts.ts";

export interface OpenedConversations {
  readonly conversations: Conversations;
  readonly kept: KeptResponses;
  close(): Promise<void>;
}

export function openConversations(parts: Parts): OpenedConversations {
  const { config, databaseUrl, db, log, metrics, sessionSecret, onError } = parts;
  const keeper = createResponseKeeper({
    url: databaseUrl,
    db,
    applicationName: "tollgate",
    onError: db.overhear((error) => onError("an answer could not be kept", error)),
  });
  const outcomes = countBy(metrics, {
    name: "responses_kept",
    help: "Answers of /v1/responses that were to be kept, by what became of that.",
    label: "outcome",
  });
  const shared = {
    db,
    seal: createSeal(sessionSecret),
    onUnopened: (name: { readonly accountId: string; readonly responseId: string }) =>
      log.warn(name, "a kept answer does not open: SESSION_SECRET was changed"),
  };
  return {
    conversations: createConversations({
      ...shared,
      keeper,
      retentionDays: config.responseRetentionDays,
      quotaBytes: config.accountStorageBytes,
      onKept(outcome, error) {
        outcomes(outcome);
        if (outcome === "failed") onError("an answer could not be kept", error);
      },
    }),
    kept: createKeptResponses(shared),
    close: () => keeper.close(),
  };
}

const SWEEP_MS = 60_000;

/** For a process with the role `worker`. */
export function sweepConversations({ db, onError }: Pick<Parts, "db" | "onError">): {
  stop(): Promise<void>;
} {
  return repeat(onError, {
    "kept answers whose time is over could not be removed": [SWEEP_MS, () => sweepResponses(db)],
  });
}

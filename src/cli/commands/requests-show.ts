/** `tollgate requests show`: shows one receipt. */
import type { OperatorReceiptView } from "../../business/requests/receipt-view.ts";
import { parseRequestId } from "../../kernel/ids.ts";
import { alignColumns } from "../align-columns.ts";
import type { Command } from "../command.ts";
import { done, failed, usage } from "../command.ts";
import { withDb } from "../with-db.ts";

export const requestsShow: Command = {
  name: "requests show",
  summary: "One receipt: what was asked, tried, delivered, held and charged",
  positionals: [{ name: "ID", help: "the request's id, req_…, as in the x-request-id header" }],
  options: {},
  async run({ positionals, deps }) {
    const text = positionals["ID"] ?? "";
    const requestId = parseRequestId(text);
    if (requestId === null)
      return usage(`"${text}" is not a request's id: req_ and 32 hexadecimal digits are expected`);
    const { openBooks } = await import("../../business/past/books.ts");
    const { createPriceHistory } = await import("../../business/requests/price-history.ts");
    const { readAnyRequest } = await import("../../business/requests/read-request.ts");
    const { findAnyTask } = await import("../../tasks/tasks.store.ts");
    const { receipt, isTask } = await withDb(deps, async (db) => {
      const books = openBooks(db, async () => (await deps.openArchive()).storage);
      const found = await readAnyRequest(books, createPriceHistory(db, deps.env), requestId);
      await books.close();
      return {
        receipt: found,
        isTask: found === null && (await findAnyTask(db, requestId)) !== null,
      };
    });
    if (isTask)
      return failed(
        `${text} is a task: \`tollgate tasks show ${requestId}\` shows what was held and charged for it`,
      );
    return receipt === null
      ? failed(
          `there is no receipt ${text}: no such request, it held no money, or it has not ended`,
        )
      : done(receipt, describe(receipt));
  },
};

function describe(receipt: OperatorReceiptView): string {
  const { usage: tokens } = receipt;
  const cached = tokens === undefined || tokens === null ? 0 : tokens.cachedInputTokens;
  const written =
    tokens === undefined || tokens === null
      ? 0
      : tokens.cacheWrite5mTokens + tokens.cacheWrite1hTokens;
  const rows: (readonly [string, string])[] = [
    ["request", receipt.id],
    ["account", receipt.accountId],
    ["key", receipt.keyMask ?? "-"],
    ["endpoint", `${receipt.endpoint}${receipt.stream ? ", streamed" : ""}`],
    [
      "model",
      receipt.model === receipt.modelRequested
        ? receipt.model
        : `${receipt.model} (asked for ${receipt.modelRequested})`,
    ],
    [
      "state",
      `${receipt.state}${receipt.finishReason === null || receipt.finishReason === undefined ? "" : `, ${receipt.finishReason}`}`,
    ],
    ["started", receipt.startedAt],
    ["completed", receipt.completedAt ?? "-"],
    [
      "first content",
      receipt.timeToFirstTokenMs === null || receipt.timeToFirstTokenMs === undefined
        ? "-"
        : `${receipt.timeToFirstTokenMs} ms`,
    ],
    [
      "usage",
      tokens === undefined || tokens === null
        ? "-"
        : `${tokens.inputTokens} in, ${cached} cached, ${written} written to cache, ${tokens.outputTokens} out (${tokens.reasoningTokens} reasoning), ${tokens.images} images; source: ${receipt.usageSource ?? "?"}`,
    ],
    ...(receipt.tier === null || receipt.tier === undefined
      ? []
      : [["tier", `above ${receipt.tier} prompt tokens`] as const]),
    ...(receipt.variants ?? []).map(
      ({ field, asked, used, unconfirmed }) =>
        [
          field,
          `asked ${asked ?? "nothing"}, used ${used ?? "none"}${unconfirmed === true ? " (not confirmed by the answer)" : ""}`,
        ] as const,
    ),
    ...(receipt.lines ?? []).map(
      ({ what, quantity, unitPrice, per, amount }) =>
        [
          what,
          `${quantity} × ${unitPrice} RUB for ${per === "each" ? "one" : per} = ${amount}`,
        ] as const,
    ),
    ...(receipt.multipliers ?? []).map(
      ({ by, when }) =>
        [
          "tokens ×",
          `${by} for ${Object.entries(when)
            .map(([field, value]) => `${field} ${value}`)
            .join(", ")}`,
        ] as const,
    ),
    ["price version", String(receipt.priceVersion ?? "-")],
    ["held", `${receipt.held} RUB`],
    ["charged", `${receipt.charged} RUB`],
    ["loss", `${receipt.loss} RUB`],
    ["upstream cost", costWords(receipt)],
    ...(receipt.suspicion === null ? [] : [["suspicion", receipt.suspicion] as const]),
    ...(receipt.usageNote === null ? [] : [["usage note", receipt.usageNote] as const]),
    ...receipt.attempts.map((attempt, position): readonly [string, string] => [
      `attempt ${position + 1}`,
      [
        `${attempt.upstream}/${attempt.upstreamModel ?? "?"}`,
        attempt.outcome,
        attempt.status ?? "no answer",
        `${attempt.durationMs ?? "?"} ms`,
        ...(attempt.reason === null ? [] : [attempt.reason]),
      ].join(", "),
    ]),
  ];
  return alignColumns(rows).join("\n");
}

function costWords({ upstreamCost, costLacks }: OperatorReceiptView): string {
  if (upstreamCost !== null) return `${upstreamCost} RUB`;
  return costLacks === null ? "not known" : `not known: the route has no ${costLacks}`;
}

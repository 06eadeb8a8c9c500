/** Texts of the page of batches, in English. */
import { plural } from "../plural.ts";
import type { BatchesTexts } from "./batches.ru.ts";

export const batchesEn: BatchesTexts = {
  title: "Batches",
  lead: "Many requests in one file, worked off within a day behind all others. They are sent, and their results read, by the API.",
  caption: "The account's batches",
  batch: "Batch",
  state: "State",
  lines: "Lines",
  answered: (succeeded, total) => `${succeeded} of ${total}`,
  errored: (count, shown) => `${shown} ${plural("en", count, { one: "error", other: "errors" })}`,
  unrun: (shown) => `not run: ${shown}`,
  held: "Held at admission",
  charged: "Charged",
  unknown: "not known",
  created: "Sent",
  actions: "Actions",
  stop: "Stop",
  stopOf: (id) => `Stop ${id}`,
  stopTitle: "Stop the batch?",
  stopText:
    "No line begins any more. Those under way end and are charged; what is left of the hold comes back.",
  stopAction: "Stop the batch",
  stopped: "The batch is being stopped",
  emptyTitle: "There are no batches yet",
  emptyText: "Send a file of requests by the API: POST /v1/files, then POST /v1/batches.",
};

/** The account's batches as the panel shows them. */
import Type from "typebox";
import { BATCH_SHAPES, BATCH_STATES } from "../enums/batch-state.ts";
import { moment } from "../money.ts";
import { nullableString } from "../nullable.ts";

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const PanelBatch = Type.Object({
  /** As the API names it: `batch_…` or `msgbatch_…`. */
  id: Type.String(),
  shape: Type.Enum([...BATCH_SHAPES], { description: "Whose protocol it was sent in." }),
  /** Where its lines would be sent one by one. */
  url: Type.String(),
  state: Type.Enum([...BATCH_STATES]),
  total: count("Lines; 0 until it is admitted."),
  succeeded: count("Answered."),
  errored: count("Refused, or failed."),
  /** Canceled, or expired. */
  unrun: count("Never ran, and never will."),
  held: nullableString({
    description:
      "Roubles that were held when it was admitted; null: it is not, or it was before this was kept.",
  }),
  charged: nullableString({
    description: "Roubles, of the lines that have ended; null: it began before this was counted.",
  }),
  /** The first of what is wrong with its file; null: nothing is. */
  mistake: nullableString({ description: "In English, as the API says it." }),
  createdAt: moment("When it was taken."),
  endedAt: Type.Union([moment("When it ended."), Type.Null()]),
  expiresAt: moment("What has not run by then does not run."),
});
export type PanelBatch = Type.Static<typeof PanelBatch>;

/** `GET batches?cursor&limit`, newest first. */
export const PanelBatchList = Type.Object({
  data: Type.Array(PanelBatch),
  nextCursor: nullableString({ description: "" }),
});
export type PanelBatchList = Type.Static<typeof PanelBatchList>;

/** The catalogue file as a whole. */
import Type from "typebox";
import {
  RECEIPT_MODES,
  RECEIPT_SUBJECTS,
  TAX_SYSTEM_CODES,
  VAT_CODES,
} from "../contract/receipt-terms.ts";
import type { DatedReceiptTerms } from "./catalogue.ts";
import { MODELS } from "./model-schema.ts";
import { compiled, described, listOf, orElse, ruled, TEXT, whole, words } from "./schema-parts.ts";
import { MOSCOW_DAY, patterned } from "./single-values.ts";
import { UPSTREAMS } from "./upstream-schema.ts";

const FAMILY_WORD = patterned(/^[a-z0-9][a-z0-9._-]{0,63}$/, "family_word");

function tier(match: string, description: string) {
  return Type.Optional(
    Type.Object(
      {
        match: described("The word of an id that picks this tier.", orElse(FAMILY_WORD, match)),
        model: described("The model of this file that such ids stand for.", TEXT),
        listAs: Type.Optional(
          described("The id by which lists name it first; <prefix>-<match>-latest.", FAMILY_WORD),
        ),
      },
      { description },
    ),
  );
}

const FAMILIES = Type.Object({
  prefix: described("How ids of the family begin, up to the dash.", orElse(FAMILY_WORD, "claude")),
  large: tier("opus", "The largest model of the family."),
  medium: tier("sonnet", "The one between them."),
  small: tier("haiku", "The smallest and cheapest."),
});

const RECEIPT = compiled(
  Type.Object({
    from: described("The day, in Moscow, from which it is in force.", MOSCOW_DAY),
    vatCode: described(
      "1 no VAT, 2 0 %, 3 10 %, 4 20 %, 5 10/110, 6 20/120, 7 5 %, 8 7 %, 9 5/105, 10 7/107, 11 22 %, 12 22/122.",
      whole(VAT_CODES.least, VAT_CODES.most),
    ),
    taxSystemCode: described(
      "1 general, 2 simplified (income), 3 simplified (income less costs), 4 imputed income, 5 agricultural, 6 patent.",
      orElse(whole(TAX_SYSTEM_CODES.least, TAX_SYSTEM_CODES.most), null),
    ),
    subject: described("What is paid for.", words(RECEIPT_SUBJECTS)),
    mode: described("How it is paid.", words(RECEIPT_MODES)),
  }),
  ({ from, ...terms }): DatedReceiptTerms => ({ from, terms }),
);

const RECEIPTS = compiled(
  ruled(listOf(RECEIPT, "receipt"), (entries, { at, reader }) => {
    const days = entries.map((entry) => entry?.from?.getTime());
    days.forEach((day, index) => {
      if (day !== undefined && days.indexOf(day) < index)
        reader.note(reader.child(at, index), "receipts_same_day");
    });
  }),
  (entries) => entries.toSorted((a, b) => a.from.getTime() - b.from.getTime()),
);

export const CATALOGUE_FILE = Type.Object(
  {
    families: Type.Optional(
      described(
        "Ids <prefix>-* that stand for a current model: claude-sonnet-4-5 gets the medium one.",
        FAMILIES,
      ),
    ),
    upstreams: UPSTREAMS,
    models: MODELS,
    payments: Type.Optional(
      described(
        "For a shop that issues fiscal receipts (54-FZ).",
        Type.Object({
          receipts: described("What receipts of top-ups say, by the day it begins.", RECEIPTS),
        }),
      ),
    ),
  },
  { description: "What Tollgate sells, at what price, and through which upstreams." },
);

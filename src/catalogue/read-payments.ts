/**
 * Reads what fiscal receipts of top-ups say: a dated list, since taxes change on a day that is
 * known before.
 */
import {
  RECEIPT_MODES,
  RECEIPT_SUBJECTS,
  TAX_SYSTEM_CODES,
  VAT_CODES,
} from "../contract/receipt-terms.ts";
import type { DatedReceiptTerms } from "./catalogue.ts";
import type { Place, YamlReader } from "./yaml-reader.ts";
import { shown } from "./yaml-reader.ts";

const FIELDS = ["from", "vatCode", "taxSystemCode", "subject", "mode"] as const;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** Tax law counts days in Moscow. */
const MOSCOW_MIDNIGHT = "T00:00:00+03:00";

/** Oldest first. Undefined: there is no list, or it is mistaken. */
export function readReceipts(
  reader: YamlReader,
  at: Place,
): readonly DatedReceiptTerms[] | undefined {
  const fields = reader.fields(at, ["receipts"]);
  const list = fields && reader.required(at, fields, "receipts");
  const places = list && reader.items(list);
  if (list === undefined || places === undefined) return undefined;
  if (places.length === 0) reader.note(list, "none_given", { what: "receipt" });
  const read: DatedReceiptTerms[] = [];
  for (const place of places) {
    const entry = readEntry(reader, place);
    if (entry === undefined) continue;
    if (read.some(({ from }) => from.getTime() === entry.from.getTime()))
      reader.note(place, "receipts_same_day");
    read.push(entry);
  }
  return read.toSorted((a, b) => a.from.getTime() - b.from.getTime());
}

function readEntry(reader: YamlReader, at: Place): DatedReceiptTerms | undefined {
  const fields = reader.fields(at, FIELDS);
  if (fields === undefined) return undefined;
  const [fromAt, vatAt, subjectAt, modeAt] = (["from", "vatCode", "subject", "mode"] as const).map(
    (name) => reader.required(at, fields, name),
  );
  const from = fromAt && readDay(reader, fromAt);
  const vatCode = vatAt && reader.wholeNumber(vatAt, VAT_CODES.least, VAT_CODES.most);
  const taxSystemCode =
    fields.taxSystemCode === undefined
      ? null
      : reader.wholeNumber(fields.taxSystemCode, TAX_SYSTEM_CODES.least, TAX_SYSTEM_CODES.most);
  const subject = subjectAt && reader.oneOf(subjectAt, RECEIPT_SUBJECTS);
  const mode = modeAt && reader.oneOf(modeAt, RECEIPT_MODES);
  if (
    from === undefined ||
    vatCode === undefined ||
    taxSystemCode === undefined ||
    subject === undefined ||
    mode === undefined
  )
    return undefined;
  return { from, terms: { vatCode, taxSystemCode, subject, mode } };
}

function readDay(reader: YamlReader, at: Place): Date | undefined {
  const text = reader.text(at);
  if (text === undefined) return undefined;
  const from = new Date(`${text}${MOSCOW_MIDNIGHT}`);
  // The 31st of a month that has 30 days would be another day.
  const isDay =
    DATE.test(text) &&
    !Number.isNaN(from.getTime()) &&
    new Date(`${text}T00:00:00Z`).toISOString().startsWith(text);
  if (isDay) return from;
  reader.note(at, "expected", { what: "day", got: shown(at) });
  return undefined;
}

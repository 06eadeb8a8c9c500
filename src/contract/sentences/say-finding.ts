/** What was expected of the books and what was found, in English, from what the finding names. */
import { ENGLISH_LEDGER_FINDINGS, ENGLISH_TASK_FINDINGS } from "./english-findings.ts";
import { PLAIN_FIGURES } from "../figures.ts";
import type {
  FindingParams,
  FindingSentences,
  LedgerFindings,
  WordedFinding,
  TaskFindings,
} from "../operator/book-finding.ts";

export function sayLedgerFinding(
  where: keyof LedgerFindings,
  params: FindingParams,
): WordedFinding {
  return say(ENGLISH_LEDGER_FINDINGS, where, params);
}

export function sayTaskFinding(kind: keyof TaskFindings, params: FindingParams): WordedFinding {
  return say(ENGLISH_TASK_FINDINGS, kind, params);
}

function say<Findings>(
  sentences: FindingSentences<Findings>,
  code: keyof Findings,
  params: FindingParams,
): WordedFinding {
  // The statement that found it names what belongs to its code: its tests hold both together.
  const named = params as Findings[keyof Findings];
  const { expected, found } = sentences[code];
  return {
    expected: expected(named, PLAIN_FIGURES),
    found: found(named, PLAIN_FIGURES),
    params,
  };
}

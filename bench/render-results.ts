/** The results as a person reads them: the budgets, the books, then every measure's table. */
import { formatFigure, withUnit } from "./format-value.ts";
import type { Figure } from "./figure.ts";
import type { Judgement } from "./judge-budgets.ts";
import { MEASURES } from "./measures/measures.ts";
import type { Audit } from "./peers/peer.ts";
import { renderTable } from "./render-table.ts";
import type { Results } from "./results.ts";

export function renderResults(results: Results): string {
  const { machine, rounds, form } = results;
  const parts = [
    `# Benchmark of ${results.startedAt.slice(0, 10)}`,
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB; ${machine.kernel}; Node ${machine.node}; ${databases(results.audits)}. ` +
      `The ${form} form, ${rounds} rounds, ${Math.round(results.seconds)} s, begun ${results.startedAt}. Values are medians of the rounds, ranges in brackets.`,
    `## Budgets`,
    renderBudgets(results.judgements),
    ...(results.audits.length === 0 ? [] : [`## Books`, renderAudits(results.audits)]),
    ...MEASURES.flatMap(({ name, says }) => {
      const figures = results.figures.filter((figure) => figure.measure === name);
      return figures.length === 0 ? [] : [`## ${heading(name)}`, says, renderFigures(figures)];
    }),
    ...(results.notes.length === 0 ? [] : [`## Notes`, list(results.notes)]),
    ...(results.failures.length === 0 ? [] : [`## Failures`, list(results.failures)]),
  ];
  return `${parts.join("\n\n")}\n`;
}

function heading(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join("\n");
}

function databases(audits: readonly Audit[]): string {
  return [...new Set(audits.map(({ database }) => database))].join(", ") || "no PostgreSQL";
}

function renderBudgets(judgements: readonly Judgement[]): string {
  const rows = judgements.map(({ budget, figure, verdict }) => [
    budget.says,
    figure === null ? "–" : formatFigure(figure),
    `${budget.bound === "at most" ? "≤" : "≥"} ${withUnit(budget.limit, budget.unit)}`,
    verdict === "breached" ? "BREACHED" : verdict,
  ]);
  return renderTable([["budget", "measured", "limit", "verdict"], ...rows]);
}

function renderAudits(audits: readonly Audit[]): string {
  const head = [
    "gateway",
    "SHOW fsync",
    "SHOW synchronous_commit",
    "ledger verify",
    "answers 200",
    "charges",
  ];
  const rows = audits.map((audit) => [
    audit.title,
    audit.fsync,
    audit.synchronousCommit,
    `exit ${audit.verifyExitCode}: ${audit.verifyOutput}`,
    String(audit.answers),
    String(audit.charges),
  ]);
  return renderTable([head, ...rows]);
}

/** A row for each subject, a column for each name, both in the order of their first figure. */
function renderFigures(figures: readonly Figure[]): string {
  const subjects = [...new Set(figures.map(({ subject }) => subject))];
  const names = [...new Set(figures.map(({ name }) => name))];
  const cell = (subject: string, name: string): string => {
    const figure = figures.find((one) => one.subject === subject && one.name === name);
    return figure === undefined ? "" : formatFigure(figure);
  };
  return renderTable([
    ["", ...names],
    ...subjects.map((subject) => [subject, ...names.map((name) => cell(subject, name))]),
  ]);
}

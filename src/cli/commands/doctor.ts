/** `tollgate doctor`: looks at everything that a gateway needs, and says what to do about it. */
import {
  findingText,
  SEVERITIES,
  worstOf,
  type FindingText,
  type Severity,
} from "../../business/doctor/finding.ts";
import { LANGUAGES, type Language } from "../../contract/enums/language.ts";
import { alignColumns } from "../align-columns.ts";
import { usage, type CliDeps, type Command, type Outcome } from "../command.ts";
import { countNouns } from "../count-nouns.ts";

export const doctor: Command = {
  name: "doctor",
  summary:
    "Look at the database, storage, mail, payments, upstreams, certificates and all else that a gateway needs: what is wrong, what it means, what to do; exit code 1 where there is an error",
  positionals: [],
  options: {
    backups: { value: "FOLDER", help: "where backups lie: how old the newest is" },
    language: {
      value: LANGUAGES.join("/"),
      help: "of what is said; else that of the terminal (LC_ALL, LC_MESSAGES, LANG)",
    },
    strict: { value: null, help: "exit code 1 for warnings, too" },
  },
  async run({ options, deps }): Promise<Outcome> {
    const language = languageOf(options.get("language"), deps.env);
    if (language === null) return usage(`--language is one of ${LANGUAGES.join(", ")}`);
    const examined = await deps.examine({ backups: options.get("backups") ?? null });
    const findings = examined.map((finding) => findingText(finding, language));
    const worst = worstOf(findings);
    const bad = worst === "error" || (worst === "warning" && options.has("strict"));
    return {
      kind: bad ? "bad" : "done",
      json: { ok: !bad, worst, findings },
      text: [...linesOf(findings, language, deps.colour), "", summaryOf(findings, language)].join(
        "\n",
      ),
    };
  },
};

/** Null: there is none of that name. */
function languageOf(named: string | undefined, env: CliDeps["env"]): Language | null {
  if (named !== undefined) return LANGUAGES.find((language) => language === named) ?? null;
  // The first that is set counts, as for other programs of the system.
  const locale = ["LC_ALL", "LC_MESSAGES", "LANG"].map((name) => env[name] ?? "").find(Boolean);
  return locale?.startsWith("ru") === true ? "ru" : "en";
}

const LABELS: Readonly<Record<Language, { readonly means: string; readonly next: string }>> = {
  en: { means: "means  ", next: "do     " },
  ru: { means: "значит  ", next: "делать  " },
};

const COLOURS: Readonly<Record<Severity, string>> = {
  ok: "\u{1b}[32m",
  note: "\u{1b}[36m",
  warning: "\u{1b}[33m",
  error: "\u{1b}[31m",
};
const PLAIN = "\u{1b}[39m";

/** What it means and what to do stand below what was found, where it is not all well. */
function linesOf(findings: readonly FindingText[], language: Language, colour: boolean): string[] {
  const labels = LABELS[language];
  const width = Math.max(...SEVERITIES.map(({ length }) => length));
  const heads = alignColumns(
    findings.map(({ severity, check, found }) => [
      severity.toUpperCase().padEnd(width),
      check,
      found,
    ]),
  );
  const indent = " ".repeat(width + 2);
  return findings.flatMap(({ severity, means, next }, index) => {
    const head = heads[index] ?? "";
    const word = severity.toUpperCase();
    return [
      colour ? `${COLOURS[severity]}${word}${PLAIN}${head.slice(word.length)}` : head,
      ...(means === null ? [] : [`${indent}${labels.means}${means}`]),
      ...(next === null ? [] : [`${indent}${labels.next}${next}`]),
    ];
  });
}

function summaryOf(findings: readonly FindingText[], language: Language): string {
  const count = (wanted: Severity): number =>
    findings.filter(({ severity }) => severity === wanted).length;
  const [errors, warnings, notes] = [count("error"), count("warning"), count("note")];
  if (language === "ru") return `ошибок: ${errors}, предупреждений: ${warnings}, заметок: ${notes}`;
  return [
    countNouns(errors, "error"),
    countNouns(warnings, "warning"),
    countNouns(notes, "note"),
  ].join(", ");
}

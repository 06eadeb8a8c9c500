/**
 * Names that gave way to the field's own words stay away from identifiers and file names, and from
 * prose what does not say who is meant.
 */
import type { Finding } from "../finding.ts";
import type { Project, SourceFile, TextFile } from "../read-project.ts";

/** A word inside an identifier or a file name, in lower case, and what took its place. */
const GONE_WORDS: ReadonlyMap<string, string> = new Map([
  ["bag", "slot list"],
  ["crowd", "load shedder"],
  ["deed", "action"],
  ["deeds", "actions"],
  ["door", "endpoint"],
  ["doors", "endpoints"],
  ["said", "reported, or worded"],
  ["thawed", "active"],
  ["told", "reported, or worded"],
]);

/** Whole identifiers, where each word for itself has a use elsewhere. */
const GONE_NAMES: ReadonlyMap<string, string> = new Map([
  ["Coverage", "RollingHold"],
  ["ReadingTurns", "RefusalThrottle"],
  ["RouteHealth", "CircuitBreakers"],
  ["RouteTries", "RouteSelection"],
  ["UpstreamPlaces", "ConcurrencyLimiter"],
  ["turnAway", "refuseUnread"],
]);

/** In prose: say caller, customer, operator, upstream, process, request. */
const GONE_PROSE = /\b(whoever|somebody|nobody)\b/i;

/** A name in a quotation, such as the user `nobody`, is none of ours. */
const QUOTED = /`[^`\n]*`/g;

const rule = "gone-word";

export function checkGoneWords(project: Project): Finding[] {
  return [
    ...project.sources.flatMap((file) => [
      ...checkFileName(file),
      ...checkIdentifiers(file),
      ...checkComments(file),
    ]),
    ...project.texts.filter(({ path }) => path.endsWith(".md")).flatMap(checkDocument),
  ];
}

function advice(word: string, better: string): string {
  return `"${word}" is gone from our words: ${better}`;
}

function checkFileName({ path }: SourceFile): Finding[] {
  const words = path.split(/[/.-]/);
  return words.flatMap((word) => {
    const better = GONE_WORDS.get(word);
    return better === undefined ? [] : [{ path, line: 1, rule, message: advice(word, better) }];
  });
}

/** Over the text without comments and strings: what is left of letters are identifiers. */
function checkIdentifiers(file: SourceFile): Finding[] {
  return codeLines(file).flatMap((code, index) =>
    (code.match(/[A-Za-z_$][\w$]*/g) ?? []).filter(isOurs).flatMap((name) => {
      const better = GONE_NAMES.get(name) ?? betterWordIn(name);
      return better === null || better === undefined
        ? []
        : [{ path: file.path, line: index + 1, rule, message: advice(name, better) }];
    }),
  );
}

/** Names in snake case are the database's, of migrations that stay as they are, or a provider's. */
function isOurs(name: string): boolean {
  return !/^[a-z]+(_[a-z0-9]+)+$/.test(name);
}

function betterWordIn(name: string): string | null {
  for (const word of name.split(/(?<=[a-z0-9])(?=[A-Z])|_/)) {
    const better = GONE_WORDS.get(word.toLowerCase());
    if (better !== undefined) return better;
  }
  return null;
}

function codeLines(file: SourceFile): readonly string[] {
  let code = file.text;
  for (const { start, end } of file.comments) code = blank(code, start, end);
  return code
    .replaceAll(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, (text) =>
      text.replaceAll(/[^\n]/g, " "),
    )
    .split("\n");
}

function blank(text: string, start: number, end: number): string {
  return text.slice(0, start) + text.slice(start, end).replaceAll(/[^\n]/g, " ") + text.slice(end);
}

function checkComments(file: SourceFile): Finding[] {
  return file.comments.flatMap(({ value, start }) => {
    const found = findGoneProse(value);
    if (found === null) return [];
    return [
      {
        path: file.path,
        line: file.lineAt(start + found.index),
        rule,
        message: advice(found[0], "say who is meant: caller, customer, operator, upstream"),
      },
    ];
  });
}

function findGoneProse(text: string): RegExpExecArray | null {
  return GONE_PROSE.exec(text.replaceAll(QUOTED, (quoted) => " ".repeat(quoted.length)));
}

function checkDocument({ path, text }: TextFile): Finding[] {
  return text.split("\n").flatMap((line, index) => {
    const found = findGoneProse(line);
    return found === null
      ? []
      : [
          {
            path,
            line: index + 1,
            rule,
            message: advice(found[0], "say who is meant: caller, customer, operator, upstream"),
          },
        ];
  });
}

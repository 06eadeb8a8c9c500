/**
 * What a comment, a test or a document cites is in the tree: the document, and the numbered section
 * of it.
 */
import type { Finding } from "../finding.ts";
import type { Project, TextFile } from "../read-project.ts";

const DOCUMENT = /^docs\/([a-z-]+)\.md$/;
const SECTION = /^#{2,3} (\d+)\. /gm;
/**
 * `contract §6, §12`, also where a comment breaks its line in between. A standard has a number or
 * capitals before its §.
 */
const CITATION =
  /\b([a-z][a-z-]*)((?:,? (?:and |to )?|\s+(?:\* |\/\/ )?)§\d+(?:\.\d+)*(?:(?:, | and | to )§\d+(?:\.\d+)*)*)/g;
/** A document by its file's name; not a pattern of names, nor the end of a web address. */
const FILE_NAME = /(?<![\w./:*…$}{-])(?:\.{1,2}\/)*\w[\w./-]*\.md\b/g;

export function checkCitations(project: Project): Finding[] {
  const sections = readSections(project);
  const baseNames = new Set([...project.paths].map((path) => path.split("/").at(-1) ?? ""));
  return project.texts.flatMap((file) => [
    ...checkSections(file, sections),
    ...checkNames(file, baseNames),
  ]);
}

/** The numbers of the sections of each document of `docs/`, by its name. */
function readSections(project: Project): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    project.texts.flatMap(({ path, text }) => {
      const name = DOCUMENT.exec(path)?.[1];
      return name === undefined
        ? []
        : [[name, new Set([...text.matchAll(SECTION)].map(([, number = ""]) => number))] as const];
    }),
  );
}

function checkSections(
  file: TextFile,
  sections: ReadonlyMap<string, ReadonlySet<string>>,
): Finding[] {
  return [...file.text.matchAll(CITATION)].flatMap(({ 1: name = "", 2: numbers = "", index }) => {
    const known = sections.get(name);
    if (known === undefined)
      return [
        finding(
          file,
          index,
          `there is no docs/${name}.md; cite a section as "contract §6", or say it without a citation`,
        ),
      ];
    const missing = [...numbers.matchAll(/§([\d.]+)/g)]
      .map(([, number = ""]) => number)
      .filter((number) => !known.has(number));
    return missing.map((number) =>
      finding(
        file,
        index,
        `docs/${name}.md has no section ${number}; cite one that it has, or write it`,
      ),
    );
  });
}

function checkNames(file: TextFile, baseNames: ReadonlySet<string>): Finding[] {
  return [...file.text.matchAll(FILE_NAME)].flatMap(({ 0: name, index }) =>
    baseNames.has(name.split("/").at(-1) ?? "")
      ? []
      : [finding(file, index, `there is no ${name} here; cite what is in the tree`)],
  );
}

function finding(file: TextFile, offset: number, message: string): Finding {
  return { path: file.path, line: file.lineAt(offset), rule: "citation", message };
}

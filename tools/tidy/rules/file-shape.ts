/**
 * The shape of files: an opening sentence, a kebab-case name that says something, no barrels, no
 * module-level state, under 400 lines (a table of cases in a test under 650).
 */
import type { Finding } from "../finding.ts";
import type { Project, SourceFile } from "../read-project.ts";

const MAX_LINES = 400;
/** Tests are tables of cases more than code. */
const MAX_TEST_LINES = 650;
const NAME = /^[a-z0-9]+(-[a-z0-9]+)*(\.(store|config|ru|en))?(\.(test|bench))?\.(ts|tsx|mjs)$/;
const FOLDER = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const CATCH_ALLS = new Set([
  "util",
  "utils",
  "helper",
  "helpers",
  "common",
  "types",
  "manager",
  "misc",
  "lib",
  "shared",
  "index",
]);

export function checkFileShape(project: Project): Finding[] {
  return project.sources.flatMap((file) => [
    ...checkName(file),
    ...checkOpening(file),
    ...checkBody(file),
  ]);
}

function finding(file: SourceFile, line: number, rule: string, message: string): Finding {
  return { path: file.path, line, rule, message };
}

function checkName(file: SourceFile): Finding[] {
  const parts = file.path.split("/");
  const name = parts.pop() ?? "";
  const findings: Finding[] = [];
  // A migration's test begins with its number, as the migration does.
  const own = file.path.startsWith("test/migrations/") ? name.replace(/^\d{4}_/, "") : name;
  if (!NAME.test(own) || !parts.every((part) => FOLDER.test(part)))
    findings.push(
      finding(
        file,
        1,
        "file-name",
        "name files and folders in kebab-case, after their main export",
      ),
    );
  const words = [name.split(".")[0] ?? "", ...parts].flatMap((part) => part.split("-"));
  const catchAll = words.find((word) => CATCH_ALLS.has(word));
  if (catchAll !== undefined)
    findings.push(
      finding(
        file,
        1,
        "file-name",
        `"${catchAll}" says nothing; name the file after the thing or the use case in it`,
      ),
    );
  return findings;
}

/** The first comment, before any code, is a doc comment with a sentence in it. */
function checkOpening(file: SourceFile): Finding[] {
  const message = "open the file with `/** One sentence: its single duty. */`";
  const first = file.comments.find((comment) => !file.text.startsWith("#!", comment.start));
  const code = file.program.body[0]?.start ?? file.text.length;
  const isDoc = first?.type === "Block" && first.value.startsWith("*") && first.start < code;
  const words = isDoc ? first.value.replaceAll(/[*\s]+/g, " ").trim() : "";
  const before = isDoc
    ? file.text
        .slice(0, first.start)
        .replace(/^#!.*\n/, "")
        .trim()
    : "";
  const good = isDoc && before === "" && words.split(" ").length >= 3 && /[.:;!?…)]$/.test(words);
  return good ? [] : [finding(file, 1, "opening-sentence", message)];
}

function checkBody(file: SourceFile): Finding[] {
  const findings: Finding[] = [];
  const lines = file.text.split("\n").length - (file.text.endsWith("\n") ? 1 : 0);
  const most = file.isTest || file.path.startsWith("test/") ? MAX_TEST_LINES : MAX_LINES;
  if (lines > most)
    findings.push(
      finding(
        file,
        most + 1,
        "file-length",
        `${lines} lines; split it by duty until each file is under ${most}`,
      ),
    );
  const { body } = file.program;
  const passesOn = body.every(
    (statement) =>
      statement.type === "ImportDeclaration" ||
      statement.type === "ExportAllDeclaration" ||
      (statement.type === "ExportNamedDeclaration" && statement.declaration === null),
  );
  if (passesOn && body.some((statement) => statement.type !== "ImportDeclaration")) {
    findings.push(
      finding(
        file,
        1,
        "barrel",
        "import from the file that has the thing; a file that only passes exports on hides where things live",
      ),
    );
  }
  if (!/^(src|panel\/src|packages\/[^/]+\/src)\//.test(file.path) || file.isTest) return findings;
  for (const statement of body) {
    const declaration =
      statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (
      declaration?.type !== "VariableDeclaration" ||
      declaration.kind === "const" ||
      declaration.declare === true
    )
      continue;
    findings.push(
      finding(
        file,
        file.lineAt(declaration.start),
        "module-state",
        "keep state in what a factory returns; a module holds constants only",
      ),
    );
  }
  return findings;
}

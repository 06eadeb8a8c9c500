/**
 * Every package has a line in docs/dependencies.md that says what for and why, and no line there
 * names one that is gone.
 */
import type { Finding } from "../finding.ts";
import type { Project, TextFile } from "../read-project.ts";

const PAGE = "docs/dependencies.md";
const MANIFEST = /^((panel|packages\/[^/]+)\/)?package\.json$/;
const KINDS = ["dependencies", "optionalDependencies", "devDependencies"] as const;
/**
 * Rows of the page whose first cell is packages in backticks and nothing else; what is of our own
 * has words there.
 */
const ROW = /^\| ((?:`[^`]+`(?:, )?)+) \|/gm;

export function checkDocumentedPackages(project: Project): Finding[] {
  const manifests = project.texts.filter(({ path }) => MANIFEST.test(path));
  if (manifests.length === 0) return [];
  const page = project.texts.find(({ path }) => path === PAGE);
  const documented = page === undefined ? new Map<string, number>() : readRows(page);
  const declared = new Set<string>();
  const findings: Finding[] = [];
  for (const file of manifests) {
    for (const name of namesIn(file)) {
      declared.add(name);
      if (!documented.has(name))
        findings.push(
          finding(
            file.path,
            file.lineAt(file.text.indexOf(`"${name}"`)),
            `say in ${PAGE} what ${name} is for, and why it`,
          ),
        );
    }
  }
  for (const [name, line] of documented) {
    if (!declared.has(name))
      findings.push(finding(PAGE, line, `${name} is in no package.json; take its line out`));
  }
  return findings;
}

function namesIn(file: TextFile): string[] {
  const manifest = JSON.parse(file.text) as Partial<
    Record<(typeof KINDS)[number], Record<string, string>>
  >;
  return KINDS.flatMap((kind) => Object.keys(manifest[kind] ?? {}));
}

/** The line of each package. */
function readRows(page: TextFile): ReadonlyMap<string, number> {
  const rows = [...page.text.matchAll(ROW)];
  return new Map(
    rows.flatMap(({ 1: cell = "", index }) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => [name, page.lineAt(index)] as const),
    ),
  );
}

function finding(path: string, line: number, message: string): Finding {
  return { path, line, rule: "documented-package", message };
}

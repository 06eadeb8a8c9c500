/**
 * The panel stands alone: of src it knows types of the contract, its lists of words and the few
 * pure functions that both need, of packages its own, and its parts are built on each other in one
 * direction.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "../finding.ts";
import type { ImportEdge, Project, SourceFile } from "../read-project.ts";

const PLACE = /^panel\/src\/([^/]+)\//;
const CONTRACT = "src/contract/";
/**
 * Pure arithmetic of prices, because the calculators count by the very code that charges; closed
 * lists of words, which filters offer; the English sentences that the server and pages both say; and
 * how mails and pages alike quote a name;
 * the palette of a colour, which its page shows while it is chosen; the scales by which upstreams
 * and models are judged on both sides.
 */
const SHARED = [
  "src/contract/price/",
  "src/contract/enums/",
  "src/contract/sentences/",
  "src/contract/figures.ts",
  "src/contract/quoted-name.ts",
  "src/contract/brand-colour.ts",
  "src/contract/answered-share.ts",
  "src/contract/operator/upstream-judgement.ts",
];

/** Sends what is not held against the table of routes: for what lies beside it. */
const UNTYPED = "panel/src/api/send-api.ts";

/** What each part may import besides itself; files beside them (main.tsx) may everything. */
const MAY_IMPORT: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    styles: [],
    api: [],
    i18n: ["api"],
    ui: ["api", "i18n"],
    // The router names the pages; what they import of app is the session and the frame.
    app: ["api", "i18n", "ui", "styles", "pages"],
    pages: ["api", "i18n", "ui", "styles", "app"],
  }),
);

export function checkPanelImports(project: Project): Finding[] {
  const files = project.sources.filter(
    (file) => file.path.startsWith("panel/src/") && !file.isTest,
  );
  if (files.length === 0) return [];
  const packages = declaredPackages(project);
  return files.flatMap((file) =>
    file.imports.flatMap((edge) => {
      const message =
        edge.target === null ? ofPackage(edge, packages) : ofFile(file, edge, edge.target);
      return message === null
        ? []
        : [{ path: file.path, line: edge.line, rule: "panel-import", message }];
    }),
  );
}

function declaredPackages(project: Project): ReadonlySet<string> {
  const path = "panel/package.json";
  if (!project.paths.has(path)) return new Set();
  const manifest = JSON.parse(readFileSync(join(project.root, path), "utf8")) as Record<
    string,
    Record<string, string> | undefined
  >;
  return new Set([
    ...Object.keys(manifest["dependencies"] ?? {}),
    ...Object.keys(manifest["devDependencies"] ?? {}),
  ]);
}

function ofPackage({ specifier }: ImportEdge, packages: ReadonlySet<string>): string | null {
  const [scopeOrName = "", name = ""] = specifier.split("/");
  const packageName = scopeOrName.startsWith("@") ? `${scopeOrName}/${name}` : scopeOrName;
  if (packages.has(packageName)) return null;
  return specifier.startsWith("node:")
    ? "a browser has no built-ins of Node"
    : `add ${packageName} to panel/package.json`;
}

function ofFile(file: SourceFile, { typeOnly }: ImportEdge, target: string): string | null {
  if (SHARED.some((place) => target.startsWith(place))) return null;
  if (target.startsWith(CONTRACT))
    return typeOnly
      ? null
      : "import types of the contract only: `import type`; its schemas stay on the server";
  if (!target.startsWith("panel/src/"))
    return "the panel imports types of src/contract and nothing else from outside";
  const [from, to] = [partOf(file.path), partOf(target)];
  if (target === UNTYPED && from !== "api")
    return "call the API by the table of its routes: panel/src/api/call-api.ts";
  if (from === null || to === null || from === to)
    return from === "pages" && to === "pages" ? ofArea(file.path, target) : null;
  return MAY_IMPORT.get(from)?.includes(to) === true
    ? null
    : `${from} may not import ${to}; parts are built on each other: api, i18n, ui, app, pages`;
}

function partOf(path: string): string | null {
  return PLACE.exec(path)?.[1] ?? null;
}

/** Areas of pages know nothing of each other. */
function ofArea(path: string, target: string): string | null {
  const area = (of: string): string | undefined => of.split("/")[3];
  return area(path) === area(target)
    ? null
    : "areas of pages do not import each other; what two need goes to ui/ or api/";
}

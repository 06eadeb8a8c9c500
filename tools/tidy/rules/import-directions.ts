/**
 * Imports go inward only: kernel ← contract, protocol, db, net, storage, media ← truth rooms and
 * upstreams ← serving ← business ← endpoints ← main.
 */
import type { Finding } from "../finding.ts";
import type { Project, SourceFile } from "../read-project.ts";

const GROUND = ["contract", "protocol", "db", "net", "storage", "media"];
const TRUTHS = [
  "accounts",
  "keys",
  "catalogue",
  "ledger",
  "files",
  "responses",
  "tasks",
  "batches",
  "usage",
  "idempotency",
  "limits",
  "archive",
];
/** Packages of the project, and the rooms that each is for. */
const PACKAGES: ReadonlyMap<string, readonly string[]> = new Map([
  ["packages/embedded-postgres", ["business", "process", "main"]],
]);
const ENDPOINTS = ["http", "cli"];

/** What each room may import besides itself. */
const MAY_IMPORT: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    kernel: [],
    contract: ["kernel"],
    // The readers of requests hold bodies against the public schemas.
    protocol: ["kernel", "contract"],
    db: ["kernel"],
    net: ["kernel"],
    storage: ["kernel", "net"],
    // Files are held against what the tables of tasks declare.
    media: ["kernel", "contract"],
    ...Object.fromEntries(TRUTHS.map((room) => [room, ["kernel", ...GROUND]])),
    upstreams: ["kernel", "contract", "protocol", "net"],
    serving: ["kernel", ...GROUND, ...TRUTHS, "upstreams"],
    business: ["kernel", ...GROUND, ...TRUTHS, "upstreams", "serving"],
    ...Object.fromEntries(
      ENDPOINTS.map((room) => [
        room,
        ["kernel", ...GROUND, ...TRUTHS, "upstreams", "serving", "business"],
      ]),
    ),
    // Settings are read by the rules of those who keep them: addresses, ranges, places of storage.
    config: ["kernel", "keys", "net", "storage"],
    log: ["kernel"],
    // Knows nothing of what is served.
    process: ["kernel", "db", "storage", "config", "log"],
    main: [
      "kernel",
      ...GROUND,
      ...TRUTHS,
      "upstreams",
      "serving",
      "business",
      ...ENDPOINTS,
      "config",
      "log",
      "process",
    ],
  }),
);

export function checkImportDirections(project: Project): Finding[] {
  return project.sources
    .filter((file) => file.path.startsWith("src/"))
    .flatMap((file) => checkFile(project, file));
}

function checkFile(project: Project, file: SourceFile): Finding[] {
  const findings: Finding[] = [];
  function report(line: number, message: string): void {
    findings.push({ path: file.path, line, rule: "import-direction", message });
  }
  const allowed = MAY_IMPORT.get(file.room ?? "");
  if (allowed === undefined) {
    report(
      1,
      `${file.room ?? "src"} is no room of the house; move the file into one, or give the new room its place in tools/tidy/rules/import-directions.ts`,
    );
    return findings;
  }
  for (const edge of file.imports) {
    if (edge.target === null) continue;
    if (!project.paths.has(edge.target))
      report(edge.line, `${edge.specifier} names no file; write the path with its .ts`);
    const [folder, room] = edge.target.split("/");
    // Tests may set a scene with other rooms; nothing may lean on a test.
    if (file.isTest) continue;
    const user = PACKAGES.get(`${folder}/${room}`);
    if (user !== undefined) {
      if (!user.includes(file.room ?? ""))
        report(edge.line, `${edge.specifier} is for ${user.join(" and ")}; hand in what it gives`);
    } else if (folder !== "src")
      report(edge.line, `code under src never imports ${folder}/; move what is shared into a room`);
    else if (edge.target.endsWith(".test.ts"))
      report(edge.line, "never import a test; move what is shared into a file of its own");
    else if (room !== file.room && !allowed.includes(room ?? "")) {
      report(
        edge.line,
        `${file.room} may not import ${room}; ${advice(file.room ?? "", room ?? "")}`,
      );
    }
  }
  return findings;
}

function advice(from: string, to: string): string {
  if (TRUTHS.includes(from) && TRUTHS.includes(to))
    return "serving and business introduce truth rooms to each other";
  if (from === "kernel") return "the kernel stands alone";
  return "imports go inward only, so hand it in from further out";
}

/** A small tree in order, for planting breaches of tidy's rules in it. */

export const doc = (what: string): string => `/** ${what} of a small tree. */\n`;
export const mark = (...parts: string[]): string => parts.join("");
/** A document of the small tree, whose name the tree that this file is in does not have. */
export const md = (name: string): string => `${name}.md`;

/** Where the small tree's own package lies. */
export const IMPORTS = { "#embedded-postgres/*": "./packages/embedded-postgres/src/*" };

/** Full of things that look like breaches and are none. */
export const CLEAN_TREE: Readonly<Record<string, string>> = {
  "package.json": `${JSON.stringify({ name: "tree", imports: IMPORTS, dependencies: { pg: "8", undici: "8" } })}\n`,
  "docs/dependencies.md":
    "| package | why |\n| --- | --- |\n| `pg`, `undici` | both |\n| `react` | the panel |\n| the log (`pino`) | ours |\n",
  "src/kernel/README.md": "The kernel.\n",
  "src/kernel/clock.ts": `${doc("The clock")}export const now = (): number => Date.now();\n`,
  "src/kernel/money.ts": [
    doc("The money").trimEnd(),
    "// Number(x), parseFloat(x), 0.5 and Math.round(x) in a comment are none.",
    'export const text = "Number(1.5) Math.round(2.5) 1e9";',
    "export const NANO = 1_000_000_000n;",
    "export const half = (whole: bigint): bigint => whole / 2n;",
    "// not money: digits of a decimal",
    "export const digits = (text: string): number => Number(text);",
    "",
  ].join("\n"),
  "src/contract/README.md": "The contract.\n",
  "src/contract/body.ts": `${doc("The body")}export interface Body {\n  readonly at: Date;\n}\n`,
  "src/protocol/README.md": "The protocol.\n",
  "src/protocol/reader.ts": `${doc("The reader")}import type { Body } from "../contract/body.ts";\n\n// new Date() and Math.random() and fetch() in a comment\nexport const read = (body: Body): Date => new Date(body.at);\n`,
  "src/db/README.md": "The database.\n",
  "src/db/pool.ts": `${doc("The pool")}import { Pool } from "pg";\n\nexport const open = (): Pool => new Pool();\nexport const READY = "SELECT 1";\n`,
  "src/net/README.md": "The net.\n",
  "src/net/caller.ts": `${doc("The caller")}import { request } from "undici";\n\nexport const call = (): unknown => request("http://x");\n`,
  "src/ledger/README.md": "The ledger.\n",
  "src/ledger/holds.store.ts": `${doc("The holds")}const TABLE = "ledger.holds";\nconst PARTS = ["held_nano"];\nexport const all = [\`SELECT * FROM \${TABLE}\`];\nfor (const part of PARTS) all.push(\`SELECT \${part} FROM \${TABLE}\`);\n`,
  "src/keys/names.store.ts": `${doc("The names")}const statement = (text: object): object => text;\nexport const NAMES = statement({ text: "SELECT name FROM keys.keys" });\nexport const query = (db: { run(text: object): void }): void => db.run(NAMES); // db.query()\n`,
  "src/keys/README.md": "The keys.\n",
  "src/catalogue/README.md": "The catalogue.\n",
  "src/business/README.md": "The business.\n",
  "src/orphan/README.md": "No room.\n",
  "src/keys/words.ts": `${doc("The words")}export const advice = "Select a key from the list, or delete it; update it and set a name. process.env.X";\n`,
  "src/serving/README.md": "The serving room.\n",
  "src/serving/top-up.ts": `${doc("The top-up")}import { all } from "../ledger/holds.store.ts";\nimport { advice } from "../keys/words.ts";\n\nexport const both = [all, advice];\nexport const open = (db: { transaction(work: () => void): void }): void => db.transaction(() => {});\n`,
  "src/http/README.md": "The door.\n",
  "src/http/server.ts": `${doc("The server")}import { createServer, type IncomingMessage } from "node:http";\n\nexport const serve = (work: (request: IncomingMessage) => void): unknown => createServer(work);\n`,
  "src/main/database.ts": `${doc("The start")}import { start } from "#embedded-postgres/start.ts";\n\nexport const database = start;\n`,
  "packages/embedded-postgres/README.md": "The package.\n",
  "packages/embedded-postgres/package.json": `${JSON.stringify({ name: "ours" })}\n`,
  "packages/embedded-postgres/src/start.ts": `${doc("The start")}import { spawn } from "node:child_process";\n\nexport const start = spawn;\n`,
  "panel/README.md": "The panel.\n",
  "panel/package.json": `${JSON.stringify({ devDependencies: { react: "19" } })}\n`,
  "panel/src/ui/note.tsx": `${doc("The note")}import type { ReactNode } from "react";\nimport type { Body } from "../../../src/contract/body.ts";\n\nexport const Note = ({ body }: { body: Body }): ReactNode => <p title="fetch it">{String(body.at)}</p>;\n`,
  "src/contract/enums/kind.ts": `${doc("The kinds")}export const KINDS = ["one"];\n`,
  "panel/src/api/send-api.ts": `${doc("Sends")}export const sendApi = (path: string): Promise<unknown> => fetch(path);\n`,
  "panel/src/pages/keys/keys-page.tsx": `${doc("The keys")}import { KINDS } from "../../../../src/contract/enums/kind.ts";\nimport { Note } from "../../ui/note.tsx";\n\nexport const Component = (): unknown => <Note title={KINDS.join()} body={{ at: new Date() }} />;\n`,
  "src/main/README.md":
    "The main room: `src/config/config.ts`, `config/config.ts` of [keys](../keys/README.md#words), `src/*.store.ts`, `panel/dist`.\n",
  [md("docs/contract")]:
    "# Contract\n\n## 1. Words\n\n`npm test -- --only src/keys/words.ts`\n\n```sh\ncat `src/gone.ts`\n```\n\n### 12. More\n",
  [md("docs/decisions/0001-then")]: "It was in `src/keys/then.ts`.\n",
  "src/keys/cited.ts": `${doc("The cited")}// contract §1, §12; RFC 9110 §14.2 and ${md("contract")}; contract §1 to §12 and contract\n// §12; see https://example.com/spec/${md("other")} and *.ru.md\nexport const cited = "${"contract §12"}";\n`,
  "src/config/README.md": "The config.\n",
  "src/config/config.ts": `${doc("The config")}export const port = process.env["PORT"];\n`,
};

export interface Breach {
  readonly breach: string;
  readonly files: Readonly<Record<string, string>>;
  /** `path:line rule` of all that must be found, and nothing else may be. */
  readonly expected: readonly string[];
}

export const planted = (
  path: string,
  rule: string,
  breach: string,
  body: string,
  line = 2,
): Breach => ({
  breach,
  files: { [path]: `${doc("A planted breach")}${body}\n` },
  expected: [`${path}:${line} ${rule}`],
});

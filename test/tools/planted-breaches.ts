/** A small tree in order, and breaches of each tidy rule to plant in it with what must be found. */

const doc = (what: string): string => `/** ${what} of a small tree. */\n`;
const mark = (...parts: string[]): string => parts.join("");
/** A document of the small tree, whose name the tree that this file is in does not have. */
const md = (name: string): string => `${name}.md`;

/** Full of things that look like breaches and are none. */
export const CLEAN_TREE: Readonly<Record<string, string>> = {
  "package.json": `${JSON.stringify({ name: "tree", dependencies: { pg: "8", undici: "8" } })}\n`,
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
  "src/keys/README.md": "The keys.\n",
  "src/catalogue/README.md": "The catalogue.\n",
  "src/payments/README.md": "The payments.\n",
  "src/orphan/README.md": "No room.\n",
  "src/keys/words.ts": `${doc("The words")}export const advice = "Select a key from the list, or delete it; update it and set a name. process.env.X";\n`,
  "src/serving/README.md": "The serving room.\n",
  "src/serving/top-up.ts": `${doc("The top-up")}import { all } from "../ledger/holds.store.ts";\nimport { advice } from "../keys/words.ts";\n\nexport const both = [all, advice];\nexport const open = (db: { transaction(work: () => void): void }): void => db.transaction(() => {});\n`,
  "src/http/README.md": "The door.\n",
  "src/http/server.ts": `${doc("The server")}import { createServer, type IncomingMessage } from "node:http";\n\nexport const serve = (work: (request: IncomingMessage) => void): unknown => createServer(work);\n`,
  "panel/README.md": "The panel.\n",
  "panel/package.json": `${JSON.stringify({ devDependencies: { react: "19" } })}\n`,
  "panel/src/ui/note.tsx": `${doc("The note")}import type { ReactNode } from "react";\nimport type { Body } from "../../../src/contract/body.ts";\n\nexport const Note = ({ body }: { body: Body }): ReactNode => <p title="fetch it">{String(body.at)}</p>;\n`,
  "src/contract/enums/kind.ts": `${doc("The kinds")}export const KINDS = ["one"];\n`,
  "panel/src/pages/keys/keys-page.tsx": `${doc("The keys")}import { KINDS } from "../../../../src/contract/enums/kind.ts";\nimport { Note } from "../../ui/note.tsx";\n\nexport const Component = (): unknown => <Note title={KINDS.join()} body={{ at: new Date() }} />;\n`,
  "src/main/README.md":
    "The main room: `src/main/config.ts`, `main/config.ts` of [keys](../keys/README.md#words), `src/*.store.ts`, `panel/dist`.\n",
  [md("docs/contract")]:
    "# Contract\n\n## 1. Words\n\n`npm test -- --only src/keys/words.ts`\n\n```sh\ncat `src/gone.ts`\n```\n\n### 12. More\n",
  [md("docs/decisions/0001-then")]: "It was in `src/keys/then.ts`.\n",
  "src/keys/cited.ts": `${doc("The cited")}// contract §1, §12; RFC 9110 §14.2 and ${md("contract")}; contract §1 to §12 and contract\n// §12; see https://example.com/spec/${md("other")} and *.ru.md\nexport const cited = "${"contract §12"}";\n`,
  "src/main/config.ts": `${doc("The config")}export const port = process.env["PORT"];\n`,
};

interface Breach {
  readonly breach: string;
  readonly files: Readonly<Record<string, string>>;
  /** `path:line rule` of all that must be found, and nothing else may be. */
  readonly expected: readonly string[];
}

const planted = (path: string, rule: string, breach: string, body: string, line = 2): Breach => ({
  breach,
  files: { [path]: `${doc("A planted breach")}${body}\n` },
  expected: [`${path}:${line} ${rule}`],
});

export const PLANTED_BREACHES: readonly Breach[] = [
  {
    breach: "serving that imports business",
    files: {
      "src/business/README.md": "The business.\n",
      "src/business/price-list.ts": `${doc("The prices")}export const prices = 1;\n`,
      "src/serving/planted.ts": `${doc("A breach")}import { prices } from "../business/price-list.ts";\nexport const planted = prices;\n`,
    },
    expected: ["src/serving/planted.ts:2 import-direction"],
  },
  {
    breach: "a folder of serving that imports one above it",
    files: {
      "src/serving/chat/late.ts": `${doc("The late")}export const late = 1;\n`,
      "src/serving/money/planted.ts": `${doc("A breach")}import { late } from "../chat/late.ts";\nexport const planted = late;\n`,
    },
    expected: ["src/serving/money/planted.ts:2 room-order"],
  },
  {
    breach: "the endpoint's own code that knows the panel, which only the list of all routes may",
    files: {
      "src/http/panel/roles.ts": `${doc("The roles")}export const roles = 1;\n`,
      "src/http/create-http-server.ts": `${doc("The list")}import { roles } from "./panel/roles.ts";\nexport const all = [roles];\n`,
      "src/http/planted.ts": `${doc("A breach")}import { roles } from "./panel/roles.ts";\nexport const planted = roles;\n`,
    },
    expected: ["src/http/planted.ts:2 room-order"],
  },
  planted(
    "src/serving/odd/planted.ts",
    "room-order",
    "a folder of serving without a tier",
    "export const planted = 1;",
    1,
  ),
  planted(
    "src/keys/planted.ts",
    "gone-word",
    "a name that gave way to another",
    "export const crowdOfKeys = 1;",
  ),
  planted(
    "src/keys/upload-door.ts",
    "gone-word",
    "a file of a name that gave way",
    "export const planted = 1;",
    1,
  ),
  planted(
    "src/keys/planted.ts",
    "gone-word",
    "a comment that does not say who is meant",
    "// For whoever asks.\nexport const planted = 1;",
  ),

  planted(
    "src/ledger/planted.ts",
    "import-direction",
    "a truth room that imports its sibling",
    'export { advice as planted } from "../keys/words.ts";\nexport const more = 1;',
  ),
  planted(
    "src/kernel/planted.ts",
    "import-direction",
    "a room that imports outward",
    'import { both } from "../serving/top-up.ts";\nexport const planted = both;',
  ),
  planted(
    "src/kernel/planted.ts",
    "import-direction",
    "an outward import of a type in place",
    'export type Planted = import("../serving/top-up.ts").both;',
  ),
  planted(
    "src/keys/planted.ts",
    "import-direction",
    "an outward import at run time",
    'export const planted = () => import("../serving/top-up.ts");',
  ),
  planted(
    "src/keys/planted.ts",
    "import-direction",
    "an import of a file that is not there",
    'import { gone } from "./gone.ts";\nexport const planted = gone;',
  ),
  planted(
    "src/orphan/planted.ts",
    "import-direction",
    "a folder that is no room",
    "export const planted = 1;",
    1,
  ),
  {
    breach: "code that leans on a test, and on the tests' support",
    files: {
      "src/keys/planted.ts": `${doc("A breach")}import { a } from "./some.test.ts";\nimport { b } from "../../test/support/scene.ts";\nexport const planted = [a, b];\n`,
      "src/keys/some.test.ts": `${doc("A test")}export const a = 1;\n`,
      "test/README.md": "Tests.\n",
      "test/support/scene.ts": `${doc("A scene")}export const b = 1;\n`,
    },
    expected: ["src/keys/planted.ts:2 import-direction", "src/keys/planted.ts:3 import-direction"],
  },
  {
    breach: "a file of src that only tests use, beside its room and from the tests' folder",
    files: {
      "src/keys/planted.ts": `${doc("A scene")}export const a = 1;\n`,
      "src/keys/planted.test.ts": `${doc("A test")}import { a } from "./planted.ts";\nimport { advice } from "./words.ts";\nexport const b = [a, advice];\n`,
      "src/keys/second.ts": `${doc("A scene")}export const c = 1;\n`,
      "test/README.md": "Tests.\n",
      "test/support/scene.ts": `${doc("A scene")}import type { c } from "../../src/keys/second.ts";\nexport type D = typeof c;\n`,
    },
    expected: ["src/keys/planted.ts:1 tests-own-file", "src/keys/second.ts:1 tests-own-file"],
  },
  {
    breach: "a cycle of three files, types included",
    files: {
      "src/keys/one.ts": `${doc("One")}import { two } from "./two.ts";\nexport const one = two;\n`,
      "src/keys/two.ts": `${doc("Two")}import type { Three } from "./three.ts";\nexport const two: Three = 2;\n`,
      "src/keys/three.ts": `${doc("Three")}import { one } from "./one.ts";\nexport type Three = typeof one;\n`,
    },
    expected: ["src/keys/one.ts:2 import-cycle"],
  },
  planted(
    "src/keys/planted.ts",
    "declared-package",
    "a package that production does not have",
    'import { load } from "some-tool";\nexport const planted = load;',
  ),
  {
    breach: "a package of the panel that no document explains",
    files: {
      "panel/package.json":
        '{\n  "devDependencies": {\n    "react": "19",\n    "some-tool": "1"\n  }\n}\n',
    },
    expected: ["panel/package.json:4 documented-package"],
  },
  {
    breach: "a document that explains a package which is gone",
    files: {
      "package.json": `${JSON.stringify({ name: "tree", dependencies: { undici: "8" } })}\n`,
      "src/db/pool.ts": `${doc("The pool")}export const READY = "SELECT 1";\n`,
    },
    expected: ["docs/dependencies.md:3 documented-package"],
  },
  {
    breach: "packages without a document",
    files: { "docs/dependencies.md": "" },
    expected: [
      "package.json:1 documented-package",
      "package.json:1 documented-package",
      "panel/package.json:1 documented-package",
    ],
  },
  planted(
    "src/http/planted.ts",
    "environment",
    "process.env outside the config",
    'export const planted = process.env["PORT"];',
  ),
  planted(
    "src/http/planted.ts",
    "environment",
    "process.env by another spelling",
    'export const planted = globalThis.process["env"];',
  ),
  planted(
    "src/http/planted.ts",
    "environment",
    "env taken out of process",
    "const { env } = process;\nexport const planted = env;",
  ),
  planted(
    "src/http/planted.ts",
    "environment",
    "env imported from node:process",
    'import { env } from "node:process";\nexport const planted = env;',
  ),
  planted(
    "src/http/planted.ts",
    "outgoing",
    "fetch outside net",
    'export const planted = () => fetch("http://x");',
  ),
  planted(
    "src/http/planted.ts",
    "outgoing",
    "fetch by its global object",
    'export const planted = () => globalThis.fetch("http://x");',
  ),
  planted(
    "src/http/planted.ts",
    "outgoing",
    "request of node:http",
    'import { request } from "node:http";\nexport const planted = request;',
  ),
  planted(
    "src/http/planted.ts",
    "outgoing",
    "the whole of node:https",
    'import * as https from "node:https";\nexport const planted = https;',
  ),
  planted(
    "src/http/planted.ts",
    "outgoing",
    "a socket of node:net",
    'import { connect } from "node:net";\nexport const planted = connect;',
  ),
  planted(
    "src/http/planted.ts",
    "outgoing",
    "undici outside net",
    'import { Pool } from "undici";\nexport const planted = Pool;',
  ),
  planted(
    "src/http/planted.ts",
    "outgoing",
    "the database driver outside db",
    'import { Client } from "pg";\nexport const planted = Client;',
  ),
  planted(
    "src/http/planted.ts",
    "outgoing",
    "programs started from a door",
    'import { exec } from "node:child_process";\nexport const planted = exec;',
  ),
  planted(
    "src/http/planted.ts",
    "outgoing",
    "code from a string",
    'import { runInThisContext } from "node:vm";\nexport const planted = runInThisContext;',
  ),
  planted(
    "src/http/planted.ts",
    "outgoing",
    "an import by a computed name",
    "export const planted = (name: string) => import(name);",
  ),
  planted(
    "src/protocol/planted.ts",
    "purity",
    "files in the protocol",
    'import { readFileSync } from "node:fs";\nexport const planted = readFileSync;',
  ),
  planted(
    "src/protocol/planted.ts",
    "purity",
    "the clock in the protocol",
    "export const planted = () => Date.now();",
  ),
  planted(
    "src/contract/planted.ts",
    "purity",
    "the clock in the contract",
    "export const planted = () => new Date();",
  ),
  planted(
    "src/kernel/planted.ts",
    "purity",
    "chance in the kernel",
    "export const planted = () => Math.random();",
  ),
  planted(
    "src/protocol/planted.ts",
    "purity",
    "a timer in the protocol",
    "export const planted = () => setTimeout(() => {}, 1);",
  ),
  planted(
    "src/kernel/planted.ts",
    "purity",
    "a package in the kernel",
    'import type { Pool } from "pg";\nexport type Planted = Pool;',
  ),
  planted(
    "src/keys/planted.ts",
    "sql",
    "SQL outside a store",
    "export const planted = \"SELECT hash FROM keys.keys WHERE mask = ''\";",
  ),
  planted(
    "src/keys/planted.ts",
    "sql",
    "SQL in lower case in a template",
    "export const planted = `\n  insert into keys.keys (hash) values ($1)`;",
  ),
  planted(
    "src/keys/planted.ts",
    "sql",
    "a query builder outside a store",
    'export const planted = (db: { selectFrom(table: string): void }) => db.selectFrom("keys.keys");',
  ),
  planted(
    "src/keys/planted.store.ts",
    "sql",
    "a value pasted into a statement",
    "export const planted = (hash: string) => `DELETE FROM keys.keys WHERE hash = '${hash}'`;",
  ),
  planted(
    "src/keys/planted.store.ts",
    "sql",
    "a transaction opened below the gateway",
    "export const planted = (db: { transaction(): void }) => db.transaction();",
  ),
  planted(
    "src/ledger/planted.ts",
    "whole-money",
    "Number() where money is counted",
    "export const planted = (text: string) => Number(text);",
  ),
  planted(
    "src/ledger/planted.ts",
    "whole-money",
    "parseFloat where money is counted",
    "export const planted = (text: string) => parseFloat(text);",
  ),
  planted(
    "src/ledger/planted.ts",
    "whole-money",
    "Math where money is counted",
    "export const planted = (a: number) => Math.round(a);",
  ),
  planted(
    "src/ledger/planted.ts",
    "whole-money",
    "toFixed where money is counted",
    "export const planted = (a: number) => a.toFixed(2);",
  ),
  planted(
    "src/catalogue/price-list.ts",
    "whole-money",
    "a fraction in a price",
    "export const planted = 0.5;",
  ),
  planted(
    "src/catalogue/price-list.ts",
    "whole-money",
    "an exponent in a price",
    "export const planted = 1e9;",
  ),
  planted(
    "src/payments/planted.ts",
    "whole-money",
    "a division of numbers in payments",
    "export const planted = (kopecks: number) => kopecks / 100;",
  ),
  planted(
    "src/http/planted.ts",
    "whole-money",
    "an amount made a number anywhere",
    "export const planted = (heldNano: bigint) => Number(heldNano) ;",
  ),
  planted(
    "src/http/planted.ts",
    "whole-money",
    "arithmetic of an amount made a number anywhere",
    "export const planted = (a: { chargedNano: bigint }) => Math.max(Number(a.chargedNano - 1n), 0);",
  ),
  planted(
    "panel/src/ui/planted.tsx",
    "panel-import",
    "a value of the contract in the panel",
    'import { read } from "../../../src/contract/body.ts";\nexport const Planted = () => <p>{read}</p>;',
  ),
  planted(
    "panel/src/api/planted.ts",
    "panel-import",
    "a type of another room in the panel",
    'import type { Both } from "../../../src/serving/top-up.ts";\nexport type Planted = Both;',
  ),
  planted(
    "panel/src/ui/planted.tsx",
    "panel-import",
    "a package that the panel does not declare",
    'import { load } from "some-tool";\nexport const Planted = () => <p>{load}</p>;',
  ),
  planted(
    "panel/src/ui/planted.tsx",
    "panel-import",
    "a built-in of Node in the panel",
    'import { join } from "node:path";\nexport const Planted = () => <p>{join("a")}</p>;',
  ),
  planted(
    "panel/src/ui/planted.tsx",
    "panel-import",
    "a component that leans on a page",
    'import { Component } from "../pages/keys/keys-page.tsx";\nexport const Planted = () => <Component />;',
  ),
  planted(
    "panel/src/pages/models/planted.tsx",
    "panel-import",
    "a page that leans on another area",
    'import { Component } from "../keys/keys-page.tsx";\nexport const Planted = () => <Component />;',
  ),
  planted(
    "panel/src/ui/planted.tsx",
    "module-state",
    "state in a module of the panel",
    "export let planted = <p />;",
  ),
  planted(
    "panel/src/ui/PlantedCard.tsx",
    "file-name",
    "a component's file in camel case",
    "export const planted = <p />;",
    1,
  ),
  planted(
    "panel/src/ui/planted.tsx",
    "syntax",
    "a component that does not parse",
    "export const planted = <p>;",
  ),
  {
    breach: "a component without its opening sentence",
    files: { "panel/src/ui/planted.tsx": "export const planted = <p />;\n" },
    expected: ["panel/src/ui/planted.tsx:1 opening-sentence"],
  },
  {
    breach: "a file without its opening sentence",
    files: { "src/keys/planted.ts": "// A line comment is none.\nexport const planted = 1;\n" },
    expected: ["src/keys/planted.ts:1 opening-sentence"],
  },
  {
    breach: "an opening that is no sentence",
    files: { "src/keys/planted.ts": "/** planted */\nexport const planted = 1;\n" },
    expected: ["src/keys/planted.ts:1 opening-sentence"],
  },
  {
    breach: "an opening after the code",
    files: { "src/keys/planted.ts": `export const planted = 1;\n${doc("A late sentence")}` },
    expected: ["src/keys/planted.ts:1 opening-sentence"],
  },
  planted(
    "src/keys/plantedFile.ts",
    "file-name",
    "a name in camel case",
    "export const planted = 1;",
    1,
  ),
  planted("src/keys/key-utils.ts", "file-name", "a catch-all name", "export const planted = 1;", 1),
  planted(
    "src/keys/planted.ts",
    "barrel",
    "a file that only passes on",
    'export * from "./words.ts";\nexport { advice } from "./words.ts";',
    1,
  ),
  planted("src/keys/planted.ts", "module-state", "state in a module", "export let planted = 1;"),
  planted(
    "src/keys/planted.ts",
    "file-length",
    "a file of more than 400 lines",
    "// line\n".repeat(400).trimEnd(),
    401,
  ),
  planted("src/keys/planted.ts", "syntax", "a file that does not parse", "export const = 1;"),
  {
    breach: "a README of the project that is longer than a screen",
    files: { "README.ru.md": "Строка.\n".repeat(81) },
    expected: ["README.ru.md:80 room-readme"],
  },
  {
    breach: "a room without a README",
    files: { "src/usage/planted.ts": `${doc("A planted file")}export const planted = 1;\n` },
    expected: ["src/usage/README.md:1 room-readme"],
  },
  planted(
    "src/keys/planted.ts",
    "foreign-mark",
    "an author's mark",
    `// ${mark("Co-", "Authored-", "By: someone")}`,
  ),
  planted(
    "src/keys/planted.ts",
    "foreign-mark",
    "a path of one machine",
    `export const planted = "${mark("/wo", "rk/main")}";`,
  ),
  planted(
    "src/keys/planted.ts",
    "foreign-mark",
    "a work note",
    `// ${mark("hel", "per B")} does the rest`,
  ),
  planted(
    "src/keys/planted.ts",
    "citation",
    "a citation of a document that is not there",
    `// ${mark("custom", " §2")}: as it is usual`,
  ),
  planted(
    "src/keys/planted.ts",
    "citation",
    "a citation of a section that is not there",
    `// ${mark("contract", " §1, §2")}: as it is usual`,
  ),
  planted(
    "src/keys/planted.ts",
    "citation",
    "a citation of a part of a section",
    `// ${mark("contract", " §1.1")}: as it is usual`,
  ),
  planted(
    "src/keys/planted.ts",
    "citation",
    "a document that is not there, by its file's name",
    `// as ${mark("custom", ".md")} has it`,
  ),
  {
    breach: "a citation in a test's name and in a README",
    files: {
      "src/keys/planted.test.ts": `${doc("A test")}import { test } from "node:test";\n\ntest("it holds (${mark("contract", " §3")})", () => {});\n`,
      "src/keys/README.md": `The keys.\n\nAs ${mark("contract", " §4")} says.\n`,
    },
    expected: ["src/keys/planted.test.ts:4 citation", "src/keys/README.md:3 citation"],
  },
  {
    breach: "a document that leads to files that are not there",
    files: {
      [md("docs/guide")]:
        `# Guide\n\n\`src/keys/gone.ts\` and \`npm test -- --only test/gone\`\n\n[contract](${md("contract")}), [gone](${md("gone")}#part)\n`,
      [md("docs/decisions/0001-then")]:
        `It was in \`src/keys/then.ts\`: [there](${md("../gone")}).\n`,
      "src/keys/README.md": "The keys: `src/keys/gone.ts`.\n",
    },
    expected: [
      `${md("docs/decisions/0001-then")}:1 citation`,
      `${md("docs/decisions/0001-then")}:1 document-path`,
      `${md("docs/guide")}:3 document-path`,
      `${md("docs/guide")}:3 document-path`,
      `${md("docs/guide")}:5 citation`,
      `${md("docs/guide")}:5 document-path`,
      "src/keys/README.md:1 document-path",
    ],
  },
  {
    breach: "a registry's host in the lock",
    files: {
      "package-lock.json": `{\n"resolved": "https://${mark("registry.npm", "js.org")}/x"\n}\n`,
    },
    expected: ["package-lock.json:2 foreign-mark"],
  },
];

/** Breaches of the rules about rooms, imports, packages and the outside, to be planted in the small tree, with what must be found. */
import { doc, IMPORTS, planted, type Breach } from "./clean-tree.ts";

export const STRUCTURE_BREACHES: readonly Breach[] = [
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
  {
    breach: "an outward import at run time, which closes a circle of folders too",
    files: {
      "src/keys/planted.ts": `${doc("A breach")}export const planted = () => import("../serving/top-up.ts");\n`,
    },
    expected: ["src/keys/planted.ts:2 folder-circle", "src/keys/planted.ts:2 import-direction"],
  },
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
  {
    breach: "two folders that import each other, by files that do not",
    files: {
      "src/ledger/planted/one.ts": `${doc("One")}import { two } from "../other/two.ts";\nexport const one = two;\n`,
      "src/ledger/planted/three.ts": `${doc("Three")}export const three = 3;\n`,
      "src/ledger/other/two.ts": `${doc("Two")}export const two = 2;\n`,
      "src/ledger/other/four.ts": `${doc("Four")}import { three } from "../planted/three.ts";\nexport const four = three;\n`,
    },
    expected: ["src/ledger/other/four.ts:2 folder-circle"],
  },
  planted(
    "src/keys/planted.ts",
    "declared-package",
    "a package that production does not have",
    'import { load } from "some-tool";\nexport const planted = load;',
  ),
  planted(
    "packages/embedded-postgres/src/planted.ts",
    "package-import",
    "a package of ours that leans on the rest of the project",
    'import { advice } from "../../../src/keys/words.ts";\nexport const planted = advice;',
  ),
  planted(
    "packages/embedded-postgres/test/planted.ts",
    "package-import",
    "a test of a package of ours that leans on the rest of the project",
    'import { advice } from "../../../src/keys/words.ts";\nexport const planted = advice;',
  ),
  planted(
    "packages/embedded-postgres/src/planted.ts",
    "declared-package",
    "a package of ours that leaves out of its package.json what it needs",
    'import { load } from "some-tool";\nexport const planted = load;',
  ),
  planted(
    "src/keys/planted.ts",
    "import-direction",
    "a room that reaches for a package of ours which is not for it",
    'import { start } from "#embedded-postgres/start.ts";\nexport const planted = start;',
  ),
  {
    breach: "a package of ours without a word about it",
    files: { "packages/other/src/planted.ts": `${doc("A breach")}export const planted = 1;\n` },
    expected: ["packages/other/README.md:1 room-readme"],
  },
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
      "package.json": `${JSON.stringify({ name: "tree", imports: IMPORTS, dependencies: { undici: "8" } })}\n`,
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
    "packages/embedded-postgres/src/planted.ts",
    "environment",
    "process.env in a package of ours",
    'export const planted = process.env["PORT"];',
  ),
  planted(
    "packages/embedded-postgres/src/planted.ts",
    "outgoing",
    "fetch in a package of ours",
    'export const planted = () => fetch("http://x");',
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
    "a call of the API that is not held against the table of its routes",
    'import { sendApi } from "../api/send-api.ts";\nexport const planted = () => sendApi("/kees");',
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
];

/**
 * Only net/ opens outgoing connections (the database in db/, an object store in storage/);
 * endpoints listen and nothing more.
 */
import { Visitor } from "oxc-parser";
import type { Finding } from "../finding.ts";
import type { Project, SourceFile } from "../read-project.ts";

/**
 * Modules that can reach out, and the names that cannot. A whole-module import can do everything.
 */
const HARMLESS_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  [
    "http",
    [
      "createServer",
      "Server",
      "IncomingMessage",
      "ServerResponse",
      "STATUS_CODES",
      "METHODS",
      "maxHeaderSize",
      "validateHeaderName",
      "validateHeaderValue",
    ],
  ],
  ["https", ["createServer", "Server"]],
  ["net", ["createServer", "Server", "isIP", "isIPv4", "isIPv6", "BlockList", "SocketAddress"]],
  ["tls", ["createSecureContext", "rootCertificates"]],
  ["http2", ["constants"]],
  ["dgram", []],
  ["dns", []],
  ["dns/promises", []],
]);
/** A package of ours, as the rooms of src are named by their folder. */
const EMBEDDED = "packages/embedded-postgres";
const OWNERS: ReadonlyMap<string, readonly string[]> = new Map([
  ["undici", ["net"]],
  ["ws", ["net"]],
  ["nodemailer", ["net"]],
  ["pg", ["db", EMBEDDED]],
  ["fastify", ["http"]],
  ["@aws-sdk/client-s3", ["storage"]],
  ["@aws-sdk/s3-request-presigner", ["storage"]],
  // Native code over customers' bytes: only where it runs in a process of its own.
  ["sharp", ["media"]],
  ["mediabunny", ["media"]],
]);
const GLOBALS = new Set(["fetch", "WebSocket", "EventSource", "XMLHttpRequest"]);
/**
 * Programs are started by these only: the embedded PostgreSQL, the processes that look into
 * customers' files, and the processes beside ours.
 */
const STARTS_PROGRAMS = [EMBEDDED, "media", "process"];

export function checkOutgoing(project: Project): Finding[] {
  return project.sources
    .filter((file) => /^(src|packages)\//.test(file.path) && !file.isTest)
    .flatMap(checkFile);
}

function checkFile(file: SourceFile): Finding[] {
  const findings: Finding[] = [];
  const place = file.room ?? file.path.split("/", 2).join("/");
  function report(line: number, message: string): void {
    findings.push({ path: file.path, line, rule: "outgoing", message });
  }
  for (const edge of file.imports) {
    if (edge.typeOnly) continue;
    const [name = ""] = edge.specifier.startsWith("@")
      ? [edge.specifier.split("/", 2).join("/")]
      : edge.specifier.split("/");
    const owners = OWNERS.get(name) ?? [place];
    if (!owners.includes(place))
      report(
        edge.line,
        `${name} belongs to ${owners[0]}; ask ${owners[0]} through what it exports`,
      );
    const builtIn = edge.specifier.replace(/^node:/, "");
    if (builtIn === "child_process" || builtIn === "cluster" || builtIn === "worker_threads") {
      if (!STARTS_PROGRAMS.includes(place))
        report(
          edge.line,
          `only ${STARTS_PROGRAMS.join(", ")} start programs; do not import ${builtIn}`,
        );
    } else if (builtIn === "vm" || builtIn === "inspector")
      report(edge.line, `nothing in the gateway runs code from a string; do not import ${builtIn}`);
    const harmless = HARMLESS_NAMES.get(builtIn);
    if (harmless === undefined || file.room === "net") continue;
    if (file.room === "db" && builtIn === "net") continue;
    const reaching =
      edge.names.length === 0
        ? ["the whole module"]
        : edge.names.filter((found) => !harmless.includes(found));
    if (reaching.length > 0)
      report(
        edge.line,
        `${reaching.join(", ")} of ${builtIn} can open a connection; only net/ does, so use what it exports`,
      );
  }
  if (file.room === "net") return findings;
  new Visitor({
    CallExpression(node) {
      const { callee } = node;
      const ofGlobal =
        callee.type === "MemberExpression" &&
        callee.object.type === "Identifier" &&
        callee.object.name === "globalThis";
      const called = ofGlobal ? callee.property : callee;
      if (called.type === "Identifier" && GLOBALS.has(called.name))
        report(file.lineAt(node.start), `${called.name}() opens a connection; only net/ does`);
    },
    ImportExpression(node) {
      if (node.source.type !== "Literal")
        report(
          file.lineAt(node.start),
          "import() only what is written out; a computed name runs whatever it names",
        );
    },
    NewExpression(node) {
      if (node.callee.type === "Identifier" && GLOBALS.has(node.callee.name))
        report(file.lineAt(node.start), `${node.callee.name} opens a connection; only net/ does`);
    },
  }).visit(file.program);
  return findings;
}

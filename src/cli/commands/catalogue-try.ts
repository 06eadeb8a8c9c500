/**
 * `tollgate catalogue try`: shows the request that an upstream would get; nothing is held, charged
 * or sent.
 */
import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { TriedRoute } from "../../business/try/tried-request.ts";
import { CHAT_ENDPOINTS } from "../../contract/enums/chat-endpoint.ts";
import { Fault } from "../../kernel/faults.ts";
import { isRecord } from "../../protocol/json/is-record.ts";
import type { CliDeps, Command, Outcome } from "../command.ts";
import { done, failed, usage } from "../command.ts";
import { withDb } from "../with-db.ts";

export const catalogueTry: Command = {
  name: "catalogue try",
  summary: "The request that a provider would get for a body: nothing is paid, held or called",
  positionals: [
    { name: "MODEL", help: "a model's id, of chat or of tasks" },
    { name: "BODY", help: "the body as a caller would send it, JSON; its model may be left out" },
  ],
  options: {
    endpoint: {
      value: "chat.completions/messages",
      help: "of a chat request; chat.completions by default",
    },
    file: { value: "FILE", help: "a catalogue that is not in force; without it the one that is" },
  },
  async run({ positionals, options, deps }): Promise<Outcome> {
    const id = positionals["MODEL"] ?? "";
    const body = readBody(positionals["BODY"] ?? "");
    if (body === null) return usage('BODY is not a JSON object, such as \'{"prompt":"A boat"}\'');
    const wanted = options.get("endpoint");
    const endpoint = CHAT_ENDPOINTS.find((known) => known === (wanted ?? "chat.completions"));
    if (endpoint === undefined)
      return usage(`--endpoint "${wanted ?? ""}" is not one of ${CHAT_ENDPOINTS.join(", ")}`);
    const catalogue = await readCatalogue(deps, options.get("file"));
    if (typeof catalogue === "string") return failed(catalogue);
    const model = catalogue.models.get(id);
    const isTask = model?.type === "task";
    if (isTask && wanted !== undefined)
      return usage(`"${id}" is a task model: --endpoint is for chat`);
    const { tryChat } = await import("../../business/try/try-chat.ts");
    const { tryTask } = await import("../../business/try/try-task.ts");
    try {
      const routes = await (isTask
        ? tryTask(catalogue, model, body)
        : tryChat(catalogue, endpoint, { ...body, model: id }));
      return done(
        { model: id, endpoint: isTask ? "tasks" : endpoint, routes },
        routes.map(describe).join("\n\n"),
      );
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const { errors, param } = error.details;
      return {
        kind: "bad",
        json: {
          model: id,
          code: error.code,
          param: param ?? null,
          message: error.message,
          errors: errors ?? [],
        },
        text: error.message,
      };
    }
  },
};

function readBody(text: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(text) as unknown;
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** A text says why there is none. */
async function readCatalogue(deps: CliDeps, file: string | undefined): Promise<Catalogue | string> {
  const { newestVersion } = await import("../../catalogue/store.ts");
  const source =
    file === undefined
      ? (await withDb(deps, (db) => newestVersion(db)))?.source
      : await deps.readFile(file);
  if (source === undefined)
    return "no catalogue was ever applied; name one with --file, or apply it with: tollgate catalogue apply FILE";
  const { parseCatalogue } = await import("../../catalogue/parse-catalogue.ts");
  const { mistakeLine } = await import("../../catalogue/live-catalogue.ts");
  const reading = parseCatalogue(source, deps.env);
  return reading.ok ? reading.catalogue : reading.mistakes.map(mistakeLine).join("\n");
}

function describe({ upstream, model, order, request, notes }: TriedRoute): string {
  const lines = [`# ${upstream}, ${model} (order ${order})`, ...notes.map((note) => `# ${note}`)];
  if (request === null) return [...lines, "# this route would not get it"].join("\n");
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
  return [
    ...lines,
    `${request.method} ${request.url}`,
    ...headers,
    "",
    JSON.stringify(request.body, null, 2),
  ].join("\n");
}

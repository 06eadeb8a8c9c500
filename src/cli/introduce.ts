/** The few lines that tell a person who has started everything what to do next. */
import { bootstrap } from "../business/operate/bootstrap.ts";
import type { Environment } from "../catalogue/interpolate.ts";
import { parseStoredCatalogue } from "../catalogue/parse-catalogue.ts";
import { newestVersion } from "../catalogue/store.ts";
import type { Db } from "../db/database.ts";

/** The first chat model of the catalogue in force, for the example. */
async function exampleModel(db: Db, catalogueEnv: Environment): Promise<string> {
  const stored = await newestVersion(db);
  const parsed = stored === null ? null : parseStoredCatalogue(stored.source, catalogueEnv);
  const models = parsed?.ok === true ? [...parsed.catalogue.models.values()] : [];
  return models.find((model) => model.type === "chat")?.id ?? "MODEL";
}

function curlLine(url: string, secret: string, model: string): string {
  const body = JSON.stringify({
    model,
    stream: true,
    messages: [{ role: "user", content: "Привет! Hello!" }],
  });
  return `curl -N ${url}/v1/chat/completions -H "Authorization: Bearer ${secret}" -H "Content-Type: application/json" -d '${body}'`;
}

/** As lines of one text; makes the first account where there is none. */
export async function introduce(serving: {
  readonly url: string | null;
  /** BASE_URL, where it is set: what the outside reaches. */
  readonly baseUrl: string | null;
  readonly db: Db;
  readonly catalogueEnv: Environment;
}): Promise<string> {
  const url = serving.baseUrl ?? serving.url ?? "";
  const model = await exampleModel(serving.db, serving.catalogueEnv);
  const outcome = await bootstrap(serving.db);
  const lines = [
    ``,
    `  Tollgate is running.`,
    ``,
    `  API      ${url}/v1   (for the Anthropic SDK and Claude Code: ${url})`,
    `  Docs     ${url}/docs`,
  ];
  if ("first" in outcome) {
    const { secret, accountId, operatorEmail, oneTimePassword, creditRoubles } = outcome.first;
    lines.push(
      `  Panel    ${url}/panel   (log in as ${operatorEmail}, one-time password ${oneTimePassword})`,
      `  Account  ${accountId}   (credited with ${creditRoubles} RUB to try things out)`,
      ``,
      `  Try it. The API key in this line is shown this once: keep it on a server.`,
      ``,
      curlLine(url, secret, model),
    );
  } else {
    const { accountId, keyMask } = outcome.later;
    lines.push(
      `  Panel    ${url}/panel`,
      `  Account  ${accountId}`,
      `  API key  ${keyMask === null ? "none" : `${keyMask}   (its secret was shown when it was made)`}`,
      `           Another one: npx tollgate keys create ${accountId} --name NAME`,
      ``,
      `  Try it:`,
      ``,
      curlLine(url, "YOUR_KEY", model),
    );
  }
  lines.push(``, `  Stop with Ctrl-C. Commands: npx tollgate --help`, ``);
  return lines.join("\n");
}

/** The few lines that tell a person who has started everything what to do next. */
import { bootstrap } from "../business/operate/bootstrap.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Db } from "../db/database.ts";

/** The first chat model, for the example. */
function exampleModel(catalogue: Catalogue | null): string {
  const models = [...(catalogue?.models.values() ?? [])];
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
  /** What is in force; null where it is not known. */
  readonly catalogue: Catalogue | null;
}): Promise<string> {
  const url = serving.baseUrl ?? serving.url ?? "";
  const model = exampleModel(serving.catalogue);
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

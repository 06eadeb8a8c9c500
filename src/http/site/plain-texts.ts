/** What programs read of the public pages: llms.txt, robots.txt, the map of all pages. */
import { LANGUAGES, type Language } from "../../contract/enums/language.ts";
import type { PanelModel } from "../../contract/panel/panel-model.ts";
import { escapeHtml } from "../../kernel/escape-html.ts";
import { docsGroups, docsRests } from "./docs-map.ts";
import { kindOf, kindsOf } from "./model-kind.ts";
import { priceLine } from "./price-words.ts";
import { modelPath, modelRest, type Site } from "./site-place.ts";

/** For programs that ask `/` for no page: how to call the API, and where things are. */
export function indexText(name: string): string {
  const places = [
    ["/en/docs", "documentation, at /ru/docs in Russian"],
    ["/docs", "the API, to try it"],
    ["/openapi.json", "the same for programs (OpenAPI 3.1)"],
    ["/llms.txt", "models, prices and addresses in one text"],
    ["/healthz", "is the process alive"],
    ["/readyz", "does it take requests"],
    ["/panel", "the panel: keys, requests, prices, money"],
  ] as const;
  return `${oneLine(name)}, a paid model gateway. Send your API key as x-api-key or as a Bearer token to POST /v1/chat/completions or POST /v1/responses (OpenAI), or POST /v1/messages (Anthropic).

${places.map(([path, what]) => `${path.padEnd(14)} ${what}\n`).join("")}`;
}

/** As llmstxt.org has it: a title, a summary, lists of links. */
export function llmsText(site: Site): string {
  const { installation, list, origin, t } = site;
  const { terms, privacy, support } = installation;
  const kinds = kindsOf(list.data).map((kind) => {
    const rows = list.data
      .filter((model) => kindOf(model) === kind)
      .map((model) => `- ${linked(model, origin)}: ${priceOf(model, site)}\n`);
    return `## ${t.kinds[kind]}\n\n${rows.join("")}\n`;
  });
  const documentation = docsGroups(site).flatMap(({ entries }) =>
    entries.map(({ title, rest }) => `- [${oneLine(title)}](${origin}/en${rest})\n`),
  );
  const more = [
    `- [OpenAPI](${origin}/openapi.json): OpenAPI 3.1, every path and field`,
    `- [Status](${origin}/en/status): whether the models work`,
    ...(terms === null ? [] : [`- [Terms](${oneLine(terms)})`]),
    ...(privacy === null ? [] : [`- [Privacy](${oneLine(privacy)})`]),
    ...(support === null ? [] : [`- Support: ${oneLine(support)}`]),
  ];
  return `# ${oneLine(installation.name)}

> A model gateway with one key and one prepaid balance in roubles. It speaks OpenAI Chat Completions (POST ${origin}/v1/chat/completions), OpenAI Responses (POST ${origin}/v1/responses) and Anthropic Messages (POST ${origin}/v1/messages); tasks for images and video are at POST ${origin}/v1/tasks/{model}. Every request has a receipt: GET ${origin}/v1/requests/{id}.

Send the key as \`Authorization: Bearer …\` or \`x-api-key\`. POST ${origin}/v1/quote/… with the same body says what a request would cost, for free. GET ${origin}/v1/models lists models with prices. Prices below are in roubles (RUB), price list No. ${list.priceVersion}.

${kinds.join("")}## Documentation

${documentation.join("")}
## More

${more.join("\n")}
`;
}

export function robotsText(origin: string): string {
  return `User-agent: *\nAllow: /\nAllow: /panel/brand/\nDisallow: /panel\nDisallow: /v1/\n\nSitemap: ${origin}/sitemap.xml\n`;
}

/** Every page in every language, each with the addresses of the other. */
export function siteMap({ origin, list }: Pick<Site, "origin" | "list">): string {
  const rests = [
    "",
    "/models",
    "/status",
    ...docsRests(list.data),
    ...list.data.map(({ id }) => modelRest(id)),
  ];
  const address = (language: Language, rest: string): string =>
    escapeHtml(`${origin}/${language}${rest}`);
  const pages = rests.flatMap((rest) =>
    LANGUAGES.map((language) => {
      const alternates = LANGUAGES.map(
        (other) =>
          `<xhtml:link rel="alternate" hreflang="${other}" href="${address(other, rest)}"/>`,
      );
      return `<url><loc>${address(language, rest)}</loc>${alternates.join("")}</url>\n`;
    }),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
${pages.join("")}</urlset>
`;
}

/** Of a text from outside, what can be part of a line and of a link. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s[\]()<>]+/g, " ").trim();
}

function linked({ id, displayName }: PanelModel, origin: string): string {
  return `[${oneLine(displayName)}](${origin}${modelPath("en", id)}) (\`${id.replaceAll("`", "")}\`)`;
}

function priceOf({ price, contextTokens }: PanelModel, site: Site): string {
  if (price.kind !== "chat") return priceLine(price, site);
  const context = contextTokens === null ? "" : `, context ${contextTokens} tokens`;
  return `input ${price.input}, cached input ${price.cachedInput}, output ${price.output} RUB per million tokens${context}`;
}

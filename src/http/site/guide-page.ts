/** The guides: how to begin with each client, money and receipts, errors and what to do. */
import { FAULTS } from "../../kernel/faults.ts";
import { chatCurl, clientSamples } from "./clients/client-samples.ts";
import { API_FAULTS, GUIDES, type GuideName, type GuideSample } from "./guide-place.ts";
import { markup, type Markup } from "./markup.ts";
import type { SitePage } from "./page-frame.ts";
import { clientList, KEY, sample, table } from "./page-parts.ts";
import type { Site } from "./site-place.ts";
import { guidesEn } from "./texts/guides.en.ts";
import { guidesRu, type GuideTexts } from "./texts/guides.ru.ts";

function guideTextsOf({ language }: Pick<Site, "language">): GuideTexts {
  return language === "ru" ? guidesRu : guidesEn;
}

export function guidePage(site: Site, name: GuideName): SitePage {
  const texts = guideTextsOf(site);
  const { title, description, lead, sections } = texts[name];
  const rest = GUIDES.find(([guide]) => guide === name)?.[1] ?? "/docs";
  return {
    title,
    description,
    rest,
    body: markup`<div class="guides"><nav class="chips" aria-label="${texts.menu}">${GUIDES.map(
      ([guide, path]) =>
        markup`<a class="chip" href="/${site.language}${path}"${guide === name ? markup` aria-current="page"` : null}>${texts[guide].title}</a>`,
    )}</nav>
<div class="page"><div><h1>${title}</h1><p class="quiet">${prose(lead)}</p></div>
${sections.map(
  ({ title: heading, texts: paragraphs, sample: shown }) =>
    markup`<section class="guide"><h2>${heading}</h2>${paragraphs.map((one) => markup`<p>${prose(one)}</p>`)}${
      shown === undefined ? null : code(shown, site)
    }</section>`,
)}
${name === "errors" ? errors(texts.errors) : null}</div></div>`,
  };
}

/** What stands between backticks is code. */
function prose(text: string): readonly (Markup | string)[] {
  return text.split("`").map((part, at) => (at % 2 === 1 ? markup`<code>${part}</code>` : part));
}

function code(shown: GuideSample, { origin, list, t }: Site): Markup | null {
  const { hello } = t.says;
  const model = list.data.find(({ endpoints }) => endpoints.includes("chat.completions"))?.id;
  const get = (path: string): Markup =>
    sample(markup`curl "${origin}${path}" \\\n  -H "Authorization: Bearer ${KEY}"`, t);
  switch (shown) {
    case "clients":
      // The section before shows what curl sends.
      return clientList(
        clientSamples({ origin, models: list.data, hello }).filter(
          ({ client }) => client !== "curl",
        ),
        t,
      );
    case "models":
      return get("/v1/models");
    case "receipts":
      return markup`${get("/v1/balance")}${get("/v1/requests?limit=1")}`;
    case "chat":
      return model === undefined ? null : sample(chatCurl({ origin, hello }, model), t);
    case "quote":
      return model === undefined
        ? null
        : sample(
            chatCurl({ origin, hello }, model, `"max_tokens":1000,`, "/v1/quote/chat/completions"),
            t,
          );
  }
}

function errors({
  status,
  code: name,
  what,
  remedy,
  again,
  byCode,
  title,
}: GuideTexts["errors"]): Markup {
  const rows = API_FAULTS.map((fault) => {
    const [happened, help] = byCode[fault];
    const { status: number, retryable } = FAULTS[fault];
    return {
      cells: [
        markup`<code>${fault}</code>`,
        markup`${number}`,
        markup`${prose(happened)}`,
        markup`${prose(help)}${retryable ? markup` <span class="tag">${again}</span>` : null}`,
      ],
    };
  });
  const columns = [
    { title: name },
    { title: status, figure: true },
    { title: what },
    { title: remedy },
  ] as const;
  return table(title, columns, rows, { captionUnseen: true, stacked: true });
}

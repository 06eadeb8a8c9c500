/** The tables of docs/price-raising-fields.md, as the tables of src/protocol/raises have them. */
import { CHAT_ENDPOINTS, type ChatEndpoint } from "../../src/contract/enums/chat-endpoint.ts";
import { FACT_SOURCES, type FactName } from "../../src/protocol/raises/fact-source.ts";
import {
  FREE_FIELDS,
  RAISING_FIELDS,
  RAISING_PARTS,
  type RaisingField,
  type Translated,
  type Translations,
} from "../../src/protocol/raises/raising-fields.ts";
import { RAISING_TOOL_MEMBERS } from "../../src/protocol/raises/raising-tool-members.ts";
import { isTranslated } from "../../src/protocol/responses/hosted-tools.ts";
import { VENDOR_TOOLS, type VendorTool } from "../../src/protocol/raises/vendor-tools.ts";

export type DocLanguage = "en" | "ru";

const WORDS = {
  en: {
    fields: [
      "field",
      "asks for",
      "passes without",
      "the answer tells by",
      "Chat → others",
      "Messages → others",
      "Responses → others",
      "source",
    ],
    tools: ["type of tool", "what it is", "asks for", "Responses → others", "source"],
    members: ["member of a tool", "where", "passes without", "asks for", "source"],
    free: ["passes", "source"],
    dropped: "dropped",
    refused: "400",
    kept: "translated",
    other: "else",
    leftOut: "left out",
    ofMembers: "what its members ask for",
    ofTool: "in the tool",
    part: "in the prompt",
    client: "run by the caller",
    freeTool: "run by the upstream, tokens only",
    paid: "run by the upstream, paid",
    unpriced: "run by the upstream, no price fits",
  },
  ru: {
    fields: [
      "поле",
      "требует",
      "проходит без цены",
      "ответ говорит в",
      "Chat → другие",
      "Messages → другие",
      "Responses → другие",
      "источник",
    ],
    tools: ["вид инструмента", "что это", "требует", "Responses → другие", "источник"],
    members: ["поле инструмента", "где", "проходит без цены", "требует", "источник"],
    free: ["проходит", "источник"],
    dropped: "отбрасывается",
    refused: "400",
    kept: "переводится",
    other: "иначе",
    leftOut: "выпускается",
    ofMembers: "что требуют его поля",
    ofTool: "в инструменте",
    part: "в запросе",
    client: "исполняет вызывающий",
    freeTool: "исполняет поставщик, только токены",
    paid: "исполняет поставщик, платно",
    unpriced: "исполняет поставщик, цена не подходит",
  },
} as const;

const NOTHING = "—";
const code = (text: string): string => `\`${text}\``;
const codes = (texts: readonly unknown[]): string =>
  texts.length === 0 ? NOTHING : texts.map((text) => code(String(text))).join(", ");

function source(name: FactName | null): string {
  if (name === null) return NOTHING;
  const { url, date } = FACT_SOURCES[name];
  return `[${new URL(url).hostname}](${url}), ${date}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

function asksFor(name: string, { meaning }: RaisingField, language: DocLanguage): string {
  switch (meaning.kind) {
    case "variant":
      return code(`surcharges.${meaning.field}`);
    case "tool":
      return code(`surcharges.tools.${meaning.tool}`);
    case "modalities":
      return codes(["price.audioOutput", "price.imageOutput"]);
    case "media":
      return code(`price.${meaning.media}`);
    case "cacheWrite":
      return codes(["price.cacheWrite5m", "price.cacheWrite1h"]);
    case "cacheLife":
      return code("price.cacheWrite1h");
    case "unpriced":
      return code(`surcharges.free: [${name}]`);
    case "members":
      return WORDS[language].ofMembers;
  }
}

const PROTOCOL_NAMES: Readonly<Record<ChatEndpoint, string>> = {
  "chat.completions": "Chat",
  messages: "Messages",
  responses: "Responses",
};

/** One word, or one for the upstreams of a protocol and one for the rest. */
function toOthers(translated: Translations[ChatEndpoint], language: DocLanguage): string {
  const words = WORDS[language];
  const word = (one: Translated): string => words[one];
  if (typeof translated === "string") return word(translated);
  const named = CHAT_ENDPOINTS.flatMap((endpoint) => {
    const one = translated[endpoint];
    return one === undefined ? [] : [`${PROTOCOL_NAMES[endpoint]}: ${word(one)}`];
  });
  return [...named, `${words.other} ${word("dropped")}`].join(", ");
}

function fieldRow(
  name: string,
  field: RaisingField,
  language: DocLanguage,
  where: string,
): string[] {
  const { translated } = field;
  return [
    code(name) + where,
    asksFor(name, field, language),
    codes(field.base),
    codes(field.reportedBy),
    ...CHAT_ENDPOINTS.map((endpoint) => toOthers(translated[endpoint], language)),
    source(field.source),
  ];
}

function toolRow(type: string, tool: VendorTool, language: DocLanguage): string[] {
  const words = WORDS[language];
  const what = {
    client: words.client,
    free: words.freeTool,
    paid: words.paid,
    unpriced: words.unpriced,
  }[tool.kind];
  const asked = {
    client: NOTHING,
    free: NOTHING,
    paid: code(`surcharges.tools.${tool.name ?? type}`),
    unpriced: code(`surcharges.free: [${type}]`),
  };
  const translated = isTranslated({ type }) ? words.kept : words.leftOut;
  return [code(type), what, asked[tool.kind], translated, source(tool.source)];
}

/** In the order in which the document has them. */
export function priceRaisingTables(language: DocLanguage): readonly string[] {
  const words = WORDS[language];
  const fields = [...RAISING_FIELDS].map(([name, field]) => fieldRow(name, field, language, ""));
  const parts = [...RAISING_PARTS].map(([name, field]) =>
    fieldRow(name, field, language, ` (${words.part})`),
  );
  return [
    table(words.fields, [...fields, ...parts]),
    table(
      words.tools,
      [...VENDOR_TOOLS].map(([type, tool]) => toolRow(type, tool, language)),
    ),
    table(
      words.members,
      [...RAISING_TOOL_MEMBERS].flatMap(([tool, members]) =>
        [...members].map(([member, { base, within, source: fact }]) => [
          code(member),
          `${code(tool)}, ${within === null ? words.ofTool : code(within)}`,
          codes(base),
          code(`surcharges.free: [${tool}.${member}]`),
          source(fact),
        ]),
      ),
    ),
    table(
      words.free,
      [...FREE_FIELDS].map(([name, fact]) => [code(name), source(fact)]),
    ),
  ];
}

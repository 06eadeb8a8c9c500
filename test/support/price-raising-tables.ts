/** The tables of docs/price-raising-fields.md, as the tables of src/protocol/raises have them. */
import { FACT_SOURCES, type FactName } from "../../src/protocol/raises/fact-source.ts";
import {
  FREE_FIELDS,
  RAISING_FIELDS,
  RAISING_PARTS,
  type RaisingField,
} from "../../src/protocol/raises/raising-fields.ts";
import { VENDOR_TOOLS, type VendorTool } from "../../src/protocol/raises/vendor-tools.ts";

export type DocLanguage = "en" | "ru";

const WORDS = {
  en: {
    fields: [
      "field",
      "asks for",
      "passes without",
      "the answer tells by",
      "Chat → Messages",
      "Messages → Chat",
      "source",
    ],
    tools: ["type of tool", "what it is", "asks for", "source"],
    free: ["passes", "source"],
    dropped: "dropped",
    refused: "400",
    kept: "translated",
    members: "what its members ask for",
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
      "Chat → Messages",
      "Messages → Chat",
      "источник",
    ],
    tools: ["вид инструмента", "что это", "требует", "источник"],
    free: ["проходит", "источник"],
    dropped: "отбрасывается",
    refused: "400",
    kept: "переводится",
    members: "что требуют его поля",
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
    case "unpriced":
      return code(`surcharges.free: [${name}]`);
    case "members":
      return WORDS[language].members;
  }
}

function fieldRow(
  name: string,
  field: RaisingField,
  language: DocLanguage,
  where: string,
): string[] {
  const { translated } = field;
  const words = WORDS[language];
  return [
    code(name) + where,
    asksFor(name, field, language),
    codes(field.base),
    codes(field.reportedBy),
    words[translated.toMessages],
    words[translated.toChat],
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
  return [code(type), what, asked[tool.kind], source(tool.source)];
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
      words.free,
      [...FREE_FIELDS].map(([name, fact]) => [code(name), source(fact)]),
    ),
  ];
}

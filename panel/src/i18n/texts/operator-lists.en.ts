/** Lists of models at upstreams, for operators, in English. */
import { plural } from "../plural.ts";
import type { OperatorListsTexts } from "./operator-lists.ru.ts";

export const operatorListsEn: OperatorListsTexts = {
  tab: "Upstream's list",
  title: "Compare with an upstream's list",
  lead: "The gateway asks the upstream which models it has, and at what price, and compares that with the text in the editor. Nothing changes by itself: mark rows, take them into the editor, check and apply.",
  upstream: "Upstream",
  noUpstreams: "The catalogue in force has no upstream of chat that could be asked for a list.",
  rate: "Roubles for a dollar",
  rateHint: "Costs of the list become roubles by it. Without a rate only names are compared.",
  markup: "Markup on new models, %",
  markupHint: "It makes the price in the draft of a new model.",
  compare: "Compare",
  stale: "The text in the editor has changed. Compare again.",
  textMistakes: "There are mistakes in the editor's text. Correct them and compare again.",
  failures: {
    no_credential: "The upstream's credential is not set.",
    no_answer: "The upstream did not answer in time, or its list is too large.",
    refused: "The upstream refused.",
    not_understood: "What the upstream answered is no list of models.",
  },
  status: (status) => `It answered ${status}.`,
  listed: (count, shown) =>
    `The list has ${shown} ${plural("en", count, { one: "model", other: "models" })}.`,
  partial: "The list is longer than the gateway reads: it does not show which models are gone.",
  noPrices: "The list has no prices: only names are compared.",
  noRate: "No rate is given, so prices were not compared.",
  costs: "Costs that changed",
  costsHint:
    "Roubles for a million tokens, or for a request. The base cost of a route is compared, without tiers and surcharges.",
  costsSame: "Costs are the same.",
  notWritten: "not in the text",
  notEditable: "To be edited as YAML",
  bigCosts: (count, percent) =>
    `By much, ${percent}% or more: ${count} ${plural("en", count, { one: "cost", other: "costs" })}. Is it a mistake of the upstream's, or the wrong rate?`,
  fresh: "New models",
  freshNone: "There are no new models.",
  freshHint:
    "A draft is a price with the markup and a route. Read it in the editor before you apply.",
  context: "Context",
  input: "Input",
  output: "Output",
  noDraft: "too little is told for a draft",
  gone: "Gone from the list",
  goneHint: "Routes to them most likely fail. Take them out in the YAML.",
  goneNone: "All models of the catalogue are in the list.",
  route: "At the upstream",
  line: (line) => `Line ${line}`,
  odd: "Prices that cannot be read",
  oddHint: "Negative, impossibly large, or no numbers: they were not compared.",
  takeCost: (name) => `Take the cost: ${name}`,
  takeModel: (id) => `Take the model: ${id}`,
  takeAll: "Mark all costs",
  takeNone: "Clear the marks",
  take: (count) =>
    count === 0
      ? "Take into the editor"
      : `Take ${count} ${plural("en", count, { one: "row", other: "rows" })} into the editor`,
  taken: (count) =>
    `The editor has ${count} ${plural("en", count, { one: "row", other: "rows" })} of the list`,
};

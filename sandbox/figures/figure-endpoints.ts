/**
 * What providers tell besides answers: money that is left, and lists with prices. Below `/figures/WORD`
 * they do it as the word says, well or badly.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Endpoint } from "../endpoint.ts";
import { modelsBody } from "../openai/models-body.ts";
import { sendJson } from "../send-json.ts";
import { balanceBody } from "./balance-bodies.ts";
import { absurdModels, hugeModels, pricedModels } from "./priced-models.ts";

const PLACES =
  /^(?:\/figures\/([a-z-]+))?(\/api\/v1\/(?:credits|key|chat\/credit)|\/user\/balance|\/v1\/users\/me\/balance|\/openapi\/v1\/billing\/balance\/detail|\/v1\/account\/billing)$/;
const LIST = /^\/figures\/([a-z-]+)\/v1\/models$/;
/** Hundredths. */
const LEFT = { fine: 7_450, low: 125, negative: -310, absurd: 1e17 };
/** Longer than anybody should wait. */
const SLOW_MS = 120_000;

export function figureEndpoints(): Endpoint[] {
  const deny = (): unknown => ({ error: { message: "No auth credentials found", code: 401 } });
  return [
    {
      method: "GET",
      path: PLACES,
      deny,
      serve(req, res, path) {
        const [, word = "fine", place = ""] = PLACES.exec(path) ?? [];
        if (!isRightScheme(req, place)) {
          sendJson(res, 401, deny());
          return "401";
        }
        const left = isLeft(word) ? LEFT[word] : LEFT.fine;
        return tell(res, word, balanceBody(place, left));
      },
    },
    {
      method: "GET",
      path: LIST,
      deny,
      serve(_req, res, path) {
        const word = LIST.exec(path)?.[1] ?? "";
        return tell(res, word, listOf(word));
      },
    },
  ];
}

function isLeft(word: string): word is keyof typeof LEFT {
  return Object.hasOwn(LEFT, word);
}

function listOf(word: string): unknown {
  if (word === "priced") return pricedModels();
  if (word === "absurd" || word === "negative") return absurdModels();
  return word === "huge" ? hugeModels() : modelsBody(["echo-large", "echo-small", "echo-next"]);
}

/** fal takes no Bearer, the others nothing else. */
function isRightScheme({ headers }: IncomingMessage, place: string): boolean {
  const scheme = place === "/v1/account/billing" ? "Key " : "Bearer ";
  return headers.authorization?.startsWith(scheme) === true;
}

function tell(res: ServerResponse, word: string, body: unknown): string {
  switch (word) {
    case "refused":
      sendJson(res, 403, { error: { message: "Only management keys can fetch this", code: 403 } });
      return "403";
    case "wrong-json":
      res.writeHead(200, { "content-type": "application/json" });
      res.end(JSON.stringify(body).slice(0, -3));
      return "200 wrong-json";
    case "no-list":
      sendJson(res, 200, { data: "none", error: null });
      return "200 no-list";
    case "slow":
    case "drops": {
      res.writeHead(200, { "content-type": "application/json" });
      // A head, and then nothing, or a space now and then, for ever.
      const drip = setInterval(() => res.write(" "), word === "drops" ? 200 : SLOW_MS);
      res.once("close", () => clearInterval(drip));
      res.flushHeaders();
      return `200 ${word}`;
    }
    default:
      sendJson(res, 200, body);
      return `200 ${word}`;
  }
}

/** The page for people who open the address in a browser: where things are. */
import Type from "typebox";
import { page } from "../page.ts";
import type { Answer, Route } from "../route.ts";

const PLACES: readonly (readonly [path: string, what: string])[] = [
  ["/docs", "the API, to read and to try"],
  ["/openapi.json", "the same for programs (OpenAPI 3.1)"],
  ["/healthz", "is the process alive"],
  ["/readyz", "does it take requests"],
  ["/panel", "the panel: keys, requests, prices, money"],
];

export function pagesRoutes(): Route[] {
  const html = { "text/html": Type.String() };
  return [
    {
      method: "GET",
      path: "/",
      access: "open",
      doc: {
        operationId: "index",
        summary: "Where things are",
        tag: "Service",
        responses: {
          200: {
            description: "A short page, or plain text.",
            content: { ...html, "text/plain": Type.String() },
          },
        },
        errors: [],
      },
      handle: ({ headers }) => index(headers.accept ?? ""),
    },
  ];
}

function index(accept: string): Answer {
  const intro =
    "Tollgate, a paid model gateway. Send your API key as x-api-key or as a Bearer token to POST /v1/chat/completions or POST /v1/responses (OpenAI), or POST /v1/messages (Anthropic).";
  if (!accept.includes("text/html")) {
    return {
      headers: { vary: "accept" },
      content: {
        contentType: "text/plain; charset=utf-8",
        bytes: `${intro}\n\n${PLACES.map(([path, what]) => `${path.padEnd(14)} ${what}\n`).join("")}`,
      },
    };
  }
  const links = PLACES.map(
    ([path, what]) => `<li><a href="${path}">${path}</a>: ${what}</li>`,
  ).join("\n");
  const answer = page(
    "Tollgate",
    "en",
    `<h1>Tollgate</h1>\n<p>${intro}</p>\n<ul>\n${links}\n</ul>`,
  );
  return { ...answer, headers: { ...answer.headers, vary: "accept" } };
}

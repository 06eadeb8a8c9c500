/** What the provider of payments answers to shops, and what it asks of every call of theirs. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Endpoint } from "../endpoint.ts";
import { sendJson } from "../send-json.ts";

/** A shop whose id begins so issues receipts (54-FZ), as most shops of companies do. */
const FISCAL_SHOP = /^54fz/;

export function demandsReceipts(req: IncomingMessage): boolean {
  const credentials = (req.headers.authorization ?? "").replace(/^Basic /, "");
  return FISCAL_SHOP.test(Buffer.from(credentials, "base64").toString());
}

/** Any shop with any key, but not without. */
export function forShops(serve: Endpoint["serve"]): Endpoint["serve"] {
  return (req, res, path) => {
    const [, credentials = ""] = /^Basic (\S+)$/.exec(req.headers.authorization ?? "") ?? [];
    if (/^[^:]+:./.test(Buffer.from(credentials, "base64").toString()))
      return serve(req, res, path);
    req.resume();
    return refuse(res, 401, "invalid_credentials", "Basic authentication is needed");
  };
}

export function answer(res: ServerResponse, body: unknown): string {
  sendJson(res, 200, body);
  return "200";
}

export function refuse(
  res: ServerResponse,
  status: number,
  code: string,
  description: string,
): string {
  sendJson(res, status, { type: "error", code, description });
  return String(status);
}

/** In the words of the real one, whatever is wrong with it. */
export function refuseReceipt(res: ServerResponse): string {
  const description = "Receipt is missing or illegal";
  sendJson(res, 400, {
    type: "error",
    id: randomUUID(),
    code: "invalid_request",
    description,
    parameter: "receipt",
  });
  return "400 receipt";
}

export function garbage(res: ServerResponse): string {
  res.writeHead(200, { "content-type": "text/html" }).end("<html>Bad gateway</html>");
  return "200 garbage";
}

/** What was asked for is made all the same. Null: it goes on as usual. */
export function spoilCreation(fault: string | null, res: ServerResponse): string | null {
  switch (fault) {
    case "create-500":
      return refuse(res, 500, "internal_server_error", "Try later");
    case "create-reset":
      res.socket?.resetAndDestroy();
      return "reset";
    case "create-garbage":
      return garbage(res);
    case "create-hang":
      return "never answered";
    default:
      return null;
  }
}

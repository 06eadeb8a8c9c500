/**
 * The panel's pages: files that its build made, read once at the start, and its one page for every
 * address that is no file.
 */
import Type from "typebox";
import type { Installation } from "../../contract/panel/installation.ts";
import { Fault } from "../../kernel/faults.ts";
import { page } from "../page.ts";
import type { Answer, Route } from "../route.ts";
import { DEFAULT_INSTALLATION } from "../../business/settings/default-installation.ts";
import { IMAGE_ROOT } from "../../business/settings/image-url.ts";
import { createBrandPage } from "./branded-page.ts";
import { chooseEncoding } from "../choose-encoding.ts";
import type { BuiltFile, BuiltPanel } from "./read-built-panel.ts";

export interface PanelPages {
  /** Null: it was not built. */
  readonly built: BuiltPanel | null;
  /** Never fails. */
  installation(): Promise<Installation>;
  /** A picture that an operator chose, by its digest. */
  findImage(digest: string): Promise<Buffer | null>;
  /**
   * Origins of pictures and films that the pages show: where files are served, and where those
   * answers lead.
   */
  mediaOrigins(): readonly string[];
}

/** Of a server without a panel. */
export const NO_PAGES: PanelPages = {
  built: null,
  installation: () => Promise.resolve(DEFAULT_INSTALLATION),
  findImage: () => Promise.resolve(null),
  mediaOrigins: () => [],
};

const API_ROOT = "/panel/api";
/** Their names change with what is in them. */
const FOREVER = "public, max-age=31536000, immutable";

const NOT_BUILT = `<h1>Панель ещё не собрана</h1>
<p>Остановите сервер и запустите его снова командой <code>npm start</code> или <code>npx tollgate serve</code> там, где можно писать в папку <code>panel</code>: панель соберётся сама.</p>
<div lang="en"><h1>The panel is not built yet</h1>
<p>Stop the server and start it again with <code>npm start</code> or <code>npx tollgate serve</code> where the folder <code>panel</code> can be written to: it builds the panel by itself.</p></div>`;

export function panelPagesRoutes({
  built,
  installation,
  findImage,
  mediaOrigins,
}: PanelPages): Route[] {
  const html = { "text/html": Type.String() };
  const describe = (operationId: string, summary: string): Route["doc"] => ({
    operationId,
    summary,
    tag: "Service",
    responses: {
      200: { description: "A page.", content: html },
      503: { description: "It was not built: a page that says how to.", content: html },
    },
    errors: [],
  });
  const brandPage = built === null ? null : createBrandPage(built.index);
  async function showPage(acceptEncoding: string | string[] | undefined): Promise<Answer> {
    if (brandPage === null) return { status: 503, ...page("Tollgate", "ru", NOT_BUILT) };
    const { file, styleHash } = brandPage(await installation());
    const { headers, content } = sendFile(file, acceptEncoding);
    return {
      headers: {
        ...headers,
        ...pageHeaders(mediaOrigins(), styleHash),
        "cache-control": "no-store",
      },
      content,
    };
  }
  return [
    {
      method: "GET",
      path: "/panel",
      access: "open",
      doc: describe("panel", "The account panel"),
      handle: ({ headers }) => showPage(headers["accept-encoding"]),
    },
    {
      method: "GET",
      path: "/panel/assets/{name}",
      access: "open",
      doc: { ...describe("panelAsset", "A part of the panel"), internal: true },
      handle({ headers, params }) {
        const file = built?.assets.get(params["name"] ?? "");
        if (file === undefined) throw new Fault("not_found");
        const { headers: about, content } = sendFile(file, headers["accept-encoding"]);
        return {
          headers: { ...about, "cache-control": FOREVER, "x-content-type-options": "nosniff" },
          content,
        };
      },
    },
    {
      method: "GET",
      path: `${IMAGE_ROOT}/{name}`,
      access: "open",
      doc: { ...describe("brandImage", "A picture of the installation"), internal: true },
      async handle({ params }) {
        const digest = /^([0-9a-f]{64})\.png$/.exec(params["name"] ?? "")?.[1];
        const bytes = digest === undefined ? null : await findImage(digest);
        if (bytes === null) throw new Fault("not_found");
        return {
          headers: {
            "cache-control": FOREVER,
            "x-content-type-options": "nosniff",
            "content-security-policy": "default-src 'none'; sandbox",
          },
          content: { contentType: "image/png", bytes },
        };
      },
    },
    {
      method: "GET",
      path: "/panel/{path}",
      catchAll: true,
      except: API_ROOT,
      access: "open",
      doc: { ...describe("panelPage", "A page of the panel"), internal: true },
      handle: ({ headers }) => showPage(headers["accept-encoding"]),
    },
  ];
}

function sendFile(
  file: BuiltFile,
  acceptEncoding: string | string[] | undefined,
): Required<Pick<Answer, "headers" | "content">> {
  const { contentType, plain, packed } = file;
  const encoding = chooseEncoding(String(acceptEncoding ?? ""), [...packed.keys()]);
  const bytes = encoding === null ? plain : (packed.get(encoding) ?? plain);
  return {
    headers: {
      vary: "accept-encoding",
      ...(encoding === null ? {} : { "content-encoding": encoding }),
    },
    content: { contentType, bytes },
  };
}

/**
 * What the page may do: run our own scripts, talk to us, and show pictures of ours. A page of
 * anybody else may not put it into a frame.
 */
function pageHeaders(
  mediaOrigins: readonly string[],
  styleHash: string | null,
): Record<string, string> {
  const media = ["'self'", ...mediaOrigins].join(" ");
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    ["style-src 'self'", ...(styleHash === null ? [] : [styleHash])].join(" "),
    `img-src ${media} data: blob:`,
    `media-src ${media} blob:`,
    "connect-src 'self'",
    "font-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    "content-security-policy": policy.join("; "),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  };
}

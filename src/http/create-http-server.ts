/**
 * The HTTP endpoint, put together: the route table over its use cases, the chat routes beside it,
 * one log line and one count per request.
 */
import type { IncomingMessage } from "node:http";
import { checkKeyAccess } from "../serving/admission/authenticate.ts";
import type { Authenticator } from "../serving/admission/authenticate.ts";
import type { MemberCaller } from "../accounts/member-caller.ts";
import type { Clock } from "../kernel/clock.ts";
import { Fault } from "../kernel/faults.ts";
import type { ClientAddress } from "./client-address.ts";
import { batchRoutes, type BatchRoutesDeps } from "./routes/batch-routes.ts";
import { createDocsViewer } from "./docs-viewer.ts";
import type { Gates } from "./gates.ts";
import type { ImageCalls } from "./image-calls.ts";
import { createNodeServer } from "./node-server.ts";
import type { HttpServer, RawHandler } from "./node-server.ts";
import type { Timeouts } from "./server-timeouts.ts";
import { openApiDocument } from "./openapi-document.ts";
import { NO_PAGES, panelPagesRoutes } from "./panel/panel-pages.ts";
import type { PanelPages } from "./panel/panel-pages.ts";
import { panelRoutes } from "./panel/panel-routes.ts";
import type { PanelRouteDeps } from "./panel/panel-routes.ts";
import type { RequestDone } from "./request-log.ts";
import type { Route } from "./route.ts";
import { accountRoutes } from "./routes/account.ts";
import type { AccountRouteDeps } from "./routes/account.ts";
import { callQuoteRoutes, callRoutes } from "./routes/calls.ts";
import type { CallQuoteRouteDeps } from "./routes/calls.ts";
import { chatCompletionsRoute } from "./routes/chat-completions.ts";
import { docsRoutes } from "./routes/docs.ts";
import { filesRoutes } from "./routes/files.ts";
import { keptResponsesRoutes } from "./routes/kept-responses.ts";
import type { KeptResponsesRouteDeps } from "./routes/kept-responses.ts";
import type { FilesUseCases } from "./routes/files.ts";
import { imagesRoutes } from "./routes/images.ts";
import { mediaQuoteRoutes } from "./routes/media-quotes.ts";
import type { ImagesUseCases } from "./routes/images.ts";
import { messagesRoutes } from "./routes/messages.ts";
import type { MessagesRouteDeps } from "./routes/messages.ts";
import { modelsRoutes } from "./routes/models.ts";
import type { ModelsRouteDeps } from "./routes/models.ts";
import { quotesRoutes } from "./routes/quotes.ts";
import type { QuotesRouteDeps } from "./routes/quotes.ts";
import { requestsRoutes } from "./routes/requests.ts";
import { compactRoute, responsesRoute } from "./routes/responses.ts";
import type { RequestsRouteDeps } from "./routes/requests.ts";
import { NO_SITE, siteRoutes, type SiteParts } from "./site/site-routes.ts";
import { serviceRoutes } from "./routes/service.ts";
import type { ServiceRouteDeps } from "./routes/service.ts";
import { storageRoutes } from "./routes/storage.ts";
import type { StorageUseCases } from "./routes/storage.ts";
import { tasksRoutes } from "./routes/tasks.ts";
import { callbackRoutes } from "./routes/tasks-callbacks.ts";
import { taskQuoteRoutes } from "./routes/tasks-quote.ts";
import type { TaskRouteDeps } from "./task-route-deps.ts";
import { UPLOAD_PACE } from "./sender-pace.ts";
import type { PaceLimits } from "./sender-pace.ts";

export interface HttpServerDeps extends ServiceRouteDeps {
  readonly auth: Pick<Authenticator, "authenticateFresh">;
  readonly useCases: MessagesRouteDeps &
    KeptResponsesRouteDeps &
    ModelsRouteDeps &
    AccountRouteDeps &
    QuotesRouteDeps &
    CallQuoteRouteDeps &
    StorageUseCases &
    ImagesUseCases &
    FilesUseCases;
  readonly receipts: RequestsRouteDeps;
  readonly tasks: TaskRouteDeps;
  readonly batches: BatchRoutesDeps;
  /** By path: answer, log and count `POST /v1/chat/completions` and its like. */
  readonly rawRoutes: ReadonlyMap<string, RawHandler>;
  /** Absent: there is none. */
  readonly panel?: PanelEndpoint;
  /** Absent: as if they were not built. */
  readonly panelPages?: PanelPages;
  /** What the public pages show; absent: nothing is sold here. */
  readonly site?: SiteParts;
  /**
   * Once per request, those of the raw routes excepted (they call the same function): see
   * request-log.ts.
   */
  onRequestDone(done: RequestDone): void;
  /**
   * Where the outside reaches the API; asked when it is shown, because the port may be known late.
   */
  baseUrl(): string;
  readonly clientAddress: ClientAddress;
  /** Absent: no request is refused for being one too many. */
  readonly gates?: Gates;
  /** Of the program, for the API's description. */
  readonly version: string;
  readonly clock: Clock;
  /** For tests that cannot wait a minute. */
  readonly timeouts?: Timeouts;
  readonly uploadPace?: PaceLimits;
  readonly answerWaitMs?: number;
  readonly imageCalls?: ImageCalls;
}

export interface PanelEndpoint {
  readonly routeDeps: PanelRouteDeps;
  /** Whose session it is, by its cookie; throws Fault("session_required"). */
  authenticateMember(headers: IncomingMessage["headers"]): Promise<MemberCaller>;
}

export async function createHttpServer(deps: HttpServerDeps): Promise<HttpServer> {
  const routes = createRoutes(deps);
  return createNodeServer({
    routes,
    rawRoutes: deps.rawRoutes,
    async authenticate(headers: IncomingMessage["headers"], clientAddress: string) {
      const key = await deps.auth.authenticateFresh(headers);
      checkKeyAccess(key, { ip: clientAddress });
      return key;
    },
    async authenticateMember(headers: IncomingMessage["headers"]) {
      if (deps.panel === undefined) throw new Fault("session_required");
      return deps.panel.authenticateMember(headers);
    },
    origin: () => new URL(deps.baseUrl()).origin,
    clientAddress: deps.clientAddress,
    ...(deps.gates === undefined ? {} : { gates: deps.gates }),
    onRequestDone: (done) => deps.onRequestDone(done),
    clock: deps.clock,
    ...(deps.timeouts === undefined ? {} : { timeouts: deps.timeouts }),
  });
}

/** Every route there is: what is not here is a 404, and what is here is in `/openapi.json`. */
export function createRoutes(
  deps: Pick<
    HttpServerDeps,
    | "useCases"
    | "receipts"
    | "tasks"
    | "batches"
    | "readiness"
    | "metrics"
    | "baseUrl"
    | "version"
    | "clock"
    | "uploadPace"
    | "answerWaitMs"
    | "imageCalls"
    | "panel"
    | "panelPages"
    | "site"
  >,
): readonly Route[] {
  const { useCases, tasks, clock, uploadPace = UPLOAD_PACE, answerWaitMs, imageCalls } = deps;
  const describeApi = (): object =>
    openApiDocument({ routes, baseUrl: deps.baseUrl(), version: deps.version });
  const routes: Route[] = [
    chatCompletionsRoute,
    ...callRoutes,
    ...messagesRoutes(useCases),
    ...keptResponsesRoutes(useCases),
    responsesRoute,
    compactRoute,
    ...quotesRoutes(useCases),
    ...imagesRoutes({
      tasks,
      useCases,
      clock,
      pace: uploadPace,
      ...(imageCalls === undefined ? {} : { imageCalls }),
      ...(answerWaitMs === undefined ? {} : { waitMs: answerWaitMs }),
    }),
    ...callQuoteRoutes(useCases),
    ...mediaQuoteRoutes({
      quoteCall: (call) => useCases.quoteCall(call),
      tasks,
      useCases,
      clock,
      pace: uploadPace,
      ...(imageCalls === undefined ? {} : { imageCalls }),
    }),
    ...tasksRoutes(tasks),
    ...taskQuoteRoutes(tasks),
    ...callbackRoutes(tasks.callbacks),
    ...modelsRoutes(useCases),
    ...accountRoutes(useCases),
    ...requestsRoutes(deps.receipts),
    ...storageRoutes({ useCases, clock, pace: uploadPace }),
    ...batchRoutes(deps.batches, { clock, pace: uploadPace }),
    ...filesRoutes({ useCases, clock }),
    ...siteRoutes({
      parts: deps.site ?? NO_SITE,
      readiness: () => deps.readiness(),
      describeApi,
      baseUrl: () => deps.baseUrl(),
      clock,
    }),
    ...panelPagesRoutes(deps.panelPages ?? NO_PAGES),
    ...(deps.panel === undefined ? [] : panelRoutes(deps.panel.routeDeps, deps)),
    ...serviceRoutes(deps),
    ...docsRoutes({
      openApiDocument: describeApi,
      viewerScript: createDocsViewer(),
    }),
  ];
  return routes;
}

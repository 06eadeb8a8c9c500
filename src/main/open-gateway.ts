/**
 * Composition of one serving process: everything it is made of is constructed here, in order, and
 * taken apart in reverse.
 */
import type { LiveCatalogueDeps } from "../catalogue/live-catalogue.ts";
import { CATALOGUE_CHANNEL } from "../catalogue/store.ts";
import { openDatabase } from "../db/database.ts";
import { listen } from "../db/listen.ts";
import { createIdempotency } from "../serving/admission/idempotency.ts";
import { createModelLists } from "../serving/models/create-model-lists.ts";
import { readBalance } from "../serving/money/read-balance.ts";
import { readKeySpend } from "../serving/money/read-key-spend.ts";
import { createRateGate } from "../serving/admission/rate-gate.ts";
import { createHoldRecovery } from "../serving/money/recover-holds.ts";
import {
  createSettlePipeline,
  type SettlePipeline,
  type SettlePipelineOptions,
} from "../serving/money/settle-pipeline.ts";
import type { ChatMount } from "../http/mount-chat.ts";
import { createClientAddress } from "../http/client-address.ts";
import { createHttpServer } from "../http/create-http-server.ts";
import { createRequestLog } from "../http/request-log.ts";
import { newUuid } from "../kernel/ids.ts";
import { createRateLimiter } from "../limits/rate-limiter.ts";
import { createOutgoing } from "../net/outgoing.ts";
import { createSafeFetch } from "../net/safe-fetch.ts";
import { chatInquiries } from "../http/routes/chat-inquiries.ts";
import { isReady } from "../http/routes/is-ready.ts";
import { keepSessionSecret } from "../config/keep-session-secret.ts";
import { keepMonths } from "./keep-months.ts";
import { openBatches } from "./open-batches.ts";
import { openCalls } from "./open-calls.ts";
import { openCallers } from "./open-callers.ts";
import { openCatalogue } from "./open-catalogue.ts";
import { openChat } from "./open-chat.ts";
import { openConversations, sweepConversations } from "./open-conversations.ts";
import { openFiles } from "./open-files.ts";
import { openGates } from "./open-gates.ts";
import { openReplica } from "./open-replica.ts";
import { openRouting } from "./open-routing.ts";
import { openSite } from "./open-site.ts";
import { openTasks } from "./open-tasks.ts";
import { openTelemetry } from "./open-telemetry.ts";
import { openWebhookSigning } from "./open-webhook-signing.ts";
import { openPanel } from "./panel/open-panel.ts";
import { openBooks } from "../business/past/books.ts";
import { createPriceHistory } from "../business/requests/price-history.ts";
import { openPanelPages } from "./panel/open-panel-pages.ts";
import { startPanelWork } from "./panel/start-panel-work.ts";
import type { Parts } from "./parts.ts";
import { openArchiveStorage } from "../storage/open-storage.ts";
import { VERSION } from "../process/project-root.ts";
import { refusePort } from "../process/refuse-port.ts";
import { repeat } from "../process/repeat.ts";
import { createRepeatedWarnings } from "../log/repeated-warnings.ts";
import { watchDisks, watchWork } from "./watch-gauges.ts";

export interface GatewayOptions
  extends
    Pick<Parts, "config" | "databaseUrl" | "env" | "roles" | "clock" | "log" | "metrics">,
    Pick<LiveCatalogueDeps, "compiled"> {
  /** What `/metrics` shows; with several processes, the figures of all of them. */
  renderMetrics(): Promise<string>;
  /** On the port; where several processes share it, one is enough for each. */
  readonly sockets?: number;
  /** How long a reader of a chat answer may take nothing; for tests that cannot wait a minute. */
  readonly stalledMs?: number;
  /** How long a whole answer that is no chat is waited for; for tests that cannot wait minutes. */
  readonly answerWaitMs?: number;
  /** Answers for money instead of the ledger; for the benchmark, which tells what billing costs. */
  createMoney?(options: SettlePipelineOptions): SettlePipeline;
}

export interface Gateway {
  /** Where the API listens; null without the api role. */
  readonly url: string | null;
  /**
   * Tells balancers to look elsewhere: `/readyz` says 503 and every answer closes its connection.
   * All is still served.
   */
  announceStop(): void;
  /**
   * Takes nothing new, lets what runs finish within the configured time, settles everything, gives
   * up the lease, closes.
   */
  stop(): Promise<void>;
}

const POOL_SIZE = 10;
/** Longer than a statement of the pool waits for a lock. */
const ANSWER_WITHIN_MS = 12_000;
/** Between two sweeps for what has expired. */
const SWEEP_MS = 60_000;

export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, databaseUrl, env, clock, metrics } = options;
  const ownerId = newUuid();
  const telemetry = await openTelemetry({ ...options, ownerId });
  const { log } = telemetry;
  const closers: (() => Promise<void> | void)[] = [() => telemetry.close()];
  let draining = false;
  let closing = false;
  const warnings = createRepeatedWarnings(log);
  closers.push(() => warnings.close());
  // Connections that break while they are being closed are no news.
  const onError = (what: string) => (error: unknown) => {
    if (!closing) warnings.warn(what, error);
  };

  try {
    const db = openDatabase({
      url: databaseUrl,
      poolSize: POOL_SIZE,
      answerWithinMs: ANSWER_WITHIN_MS,
      applicationName: "tollgate",
      onError: onError("a database connection broke"),
    });
    closers.push(() => db.close());

    const tell = (what: string, error: unknown): void => onError(what)(error);
    const catalogue = await openCatalogue({ ...options, db, log, onError: tell });
    closers.push(() => catalogue.close());

    const recovery = createHoldRecovery({
      db,
      ownerId,
      clock,
      onRecovered: (hold) =>
        log.warn(
          {
            ...hold,
            chargedNano: String(hold.chargedNano),
            releasedNano: String(hold.releasedNano),
          },
          "settled a hold of a process that died",
        ),
      log: (message, error) => warnings.warn(message, error),
    });
    await recovery.start();
    closers.push(() => recovery.stop());

    const idempotency = createIdempotency({
      db,
      isDead: (otherId) => recovery.isDead(otherId),
      onError: onError("an idempotency record could not be written"),
    });
    closers.push(() => idempotency.close());
    if (options.roles.has("worker")) {
      const failure = "expired idempotency records could not be removed";
      const sweeper = repeat(tell, { [failure]: [SWEEP_MS, () => idempotency.sweep()] });
      closers.push(() => sweeper.stop());
      const keptSweeper = sweepConversations({ db, onError: tell });
      closers.push(() => keptSweeper.stop());
    }

    let url = config.baseUrl ?? "";
    const safeFetch = createSafeFetch({ allow: config.fetchAllow });
    closers.push(() => safeFetch.close());
    const outgoing = createOutgoing();
    closers.push(() => outgoing.close());
    const sessionSecret = config.sessionSecret ?? keepSessionSecret(config.dataDir);
    const parts: Parts = {
      config,
      databaseUrl,
      env,
      roles: options.roles,
      db,
      clock,
      log,
      metrics,
      ownerId,
      catalogue,
      idempotency,
      safeFetch,
      outgoing,
      sessionSecret,
      signing: openWebhookSigning({ db, sessionSecret, log }),
      baseUrl: () => url,
      staticUrl: () => config.staticUrl ?? `${url}/static`,
      onError: tell,
    };
    const months = keepMonths({
      ...parts,
      kept: config.keptMonths,
      onDropped: (names) => log.info({ months: names }, "old months were dropped"),
    });
    closers.push(() => months.stop());
    const files = await openFiles(parts, (otherId) => recovery.isDead(otherId));
    closers.push(() => files.close());
    const routing = await openRouting(parts);
    closers.push(() => routing.close());
    const tasks = openTasks({ ...parts, files, routing });
    closers.push(() => tasks.close());
    const { conversations, ...kept } = openConversations(parts);
    closers.push(() => kept.close());
    const batches = openBatches({ ...parts, files, routing, conversations });
    closers.push(() => batches.close());

    if (options.roles.has("worker")) {
      const work = startPanelWork(parts);
      closers.push(() => work.stop());
    }

    if (!options.roles.has("api")) {
      const listener = listen({
        url: databaseUrl,
        channels: [CATALOGUE_CHANNEL],
        onMessage: () => void catalogue.refresh(),
        onConnected: () => void catalogue.refresh(),
        onError: onError("the notification connection broke"),
      });
      closers.push(() => listener.close());
      batches.start(() => false);
      return {
        url: null,
        announceStop: () => undefined,
        async stop() {
          const drainMs = config.drainSeconds * 1000;
          await Promise.all([tasks.drain(drainMs), batches.drain(drainMs)]);
          closing = true;
          await closeAll(closers);
        },
      };
    }

    const ledger = (options.createMoney ?? createSettlePipeline)({
      url: databaseUrl,
      db,
      ownerId,
      applicationName: "tollgate",
      onError: db.overhear(onError("a ledger connection broke")),
    });
    closers.push(() => ledger.close());

    const limiter = createRateLimiter({
      url: databaseUrl,
      db,
      ownerId,
      applicationName: "tollgate",
      onError: onError("the rate limits cannot be kept"),
    });
    await limiter.start();
    closers.push(() => limiter.close());
    const limits = createRateGate({
      limiter,
      onRefused: (refusal) => metrics.rateLimited(refusal),
      onError: onError("the end of a rate-limited request could not be told"),
    });

    const callers = openCallers(parts, ledger);
    closers.push(() => callers.close());
    const { authenticator, noteUse } = callers;

    const requestDone = createRequestLog({ logger: log, metrics });
    const clientAddress = createClientAddress(config.trustedProxies);
    const gates = openGates(metrics);
    let openConnections = (): number => 0;
    const answering = {
      ...parts,
      conversations,
      ledger,
      limits,
      routing,
      tracer: telemetry.tracer,
      clientAddress,
      refusals: gates.chatRefusals,
      requestDone,
      ...(options.stalledMs === undefined ? {} : { stalledMs: options.stalledMs }),
    };
    const answerWait =
      options.answerWaitMs === undefined ? {} : { answerWaitMs: options.answerWaitMs };
    const chat = openChat({ ...answering, callers: () => openConnections() });
    closers.push(() => chat.close());
    const disks = watchDisks(parts);
    closers.push(() => disks.stop());
    const authenticate: ChatMount["authenticate"] = (headers, fresh) => {
      const found = fresh
        ? authenticator.authenticateFresh(headers)
        : authenticator.authenticate(headers);
      return found instanceof Promise ? found.then(noteUse) : noteUse(found);
    };
    const chatRoutes = chat.routesAt({ prefix: "/v1", authenticate });
    const calls = openCalls({ ...answering, ...answerWait }, chat, files);
    closers.push(() => calls.close());
    const callRoutes = calls.routesAt({ prefix: "/v1", errors: "openai", authenticate });
    const active = (): number => chat.service.active + calls.service.active;
    watchWork(metrics, active, ledger);
    const inquiries = chatInquiries({ ...parts, conversations });
    const taskDeps = tasks.serve(limits);
    const prices = createPriceHistory(db, env);
    const books = openBooks(db, () => openArchiveStorage(config.storageUrl));
    closers.push(() => books.close());
    const replica = openReplica(parts);
    if (replica !== null) closers.push(() => replica.close());
    const site = openSite(parts);
    const panel = openPanel({
      ...parts,
      modelStatus: site.status,
      authenticator,
      chat,
      calls,
      ...answerWait,
      files,
      limits,
      inquiries,
      tasks: taskDeps,
      batches: batches.routes.batches,
      prices,
      books,
      replica,
      chooseKey: (hash, accountId) => authenticator.choose(hash, accountId).then(noteUse),
    });
    closers.push(() => panel.close());
    const server = await createHttpServer({
      auth: {
        authenticateFresh: (headers) => authenticator.authenticateFresh(headers).then(noteUse),
      },
      useCases: {
        ...createModelLists(db, catalogue),
        readBalance: (key) => readBalance(db, key.accountId),
        readKeySpend: (key) => readKeySpend(db, key),
        ...inquiries,
        keptResponses: kept.kept,
        ...files.useCases,
      },
      receipts: { books, prices },
      tasks: taskDeps,
      batches: batches.routes,
      imageCalls: calls.images,
      ...answerWait,
      readiness: () => isReady({ db, ledger, files, draining }),
      metrics: { contentType: metrics.contentType, render: () => options.renderMetrics() },
      panel,
      panelPages: openPanelPages(parts),
      site,
      rawRoutes: new Map([...chatRoutes, ...callRoutes, ...panel.rawRoutes]),
      onRequestDone: requestDone,
      baseUrl: () => url,
      clientAddress,
      gates: gates.routed,
      version: VERSION,
      clock,
    });
    openConnections = () => server.connections;
    const wish = {
      host: config.host,
      port: config.port,
      ...(options.sockets === undefined ? {} : { sockets: options.sockets }),
    };
    const port = await server.listen(wish).catch((error: unknown) => refusePort(error, config));
    const shownHost = config.host.includes(":") ? `[${config.host}]` : config.host;
    url = config.baseUrl ?? `http://${shownHost}:${port}`;
    const listeningUrl = `http://${shownHost}:${port}`;
    log.info({ url: listeningUrl }, "listening");
    batches.start(() => chat.pressed());

    return {
      url: listeningUrl,
      announceStop() {
        draining = true;
        server.announceClose();
      },
      async stop() {
        draining = true;
        log.info({ active: active(), uploads: files.activeUploads }, "draining");
        const drainMs = config.drainSeconds * 1000;
        // While requests finish, the port stays open: readiness says 503, and so does every new
        // chat request and upload.
        await Promise.all([
          chat.service.drain(drainMs),
          calls.service.drain(drainMs),
          files.drain(drainMs),
          tasks.drain(drainMs),
          batches.drain(drainMs),
        ]);
        await server.close(CUT_MS);
        closing = true;
        await closeAll(closers);
        log.info("stopped");
      },
    };
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

/** What a request that is cut at the drain's deadline gets to be settled and told. */
const CUT_MS = 10_000;

async function closeAll(closers: (() => Promise<void> | void)[]): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}

/**
 * Composition of one serving process: everything it is made of is constructed here, in order, and
 * taken apart in reverse.
 */
import cluster from "node:cluster";
import { CATALOGUE_CHANNEL } from "../catalogue/store.ts";
import { openDatabase } from "../db/database.ts";
import { listen } from "../db/listen.ts";
import { createIdempotency } from "../serving/admission/idempotency.ts";
import { createModelLists } from "../serving/models/create-model-lists.ts";
import { readBalance } from "../serving/money/read-balance.ts";
import { readKeySpend } from "../serving/money/read-key-spend.ts";
import { createRateGate } from "../serving/admission/rate-gate.ts";
import { createHoldRecovery } from "../serving/money/recover-holds.ts";
import { createSettlePipeline } from "../serving/money/settle-pipeline.ts";
import { createClientAddress } from "../http/client-address.ts";
import { createHttpServer } from "../http/create-http-server.ts";
import type { Metrics } from "../http/metrics.ts";
import { createRequestLog } from "../http/request-log.ts";
import type { Clock } from "../kernel/clock.ts";
import { newUuid } from "../kernel/ids.ts";
import { createRateLimiter } from "../limits/rate-limiter.ts";
import { createOutgoing } from "../net/outgoing.ts";
import { createSafeFetch } from "../net/safe-fetch.ts";
import { chatInquiries } from "./chat-inquiries.ts";
import type { Config, Environment } from "../config/config.ts";
import { every } from "./every.ts";
import { isReady } from "../http/routes/is-ready.ts";
import { keepSessionSecret } from "../config/keep-session-secret.ts";
import type { Log } from "../log/log.ts";
import { openCallers } from "./open-callers.ts";
import { openCatalogue } from "./open-catalogue.ts";
import { openChat } from "./open-chat.ts";
import { openFiles } from "./open-files.ts";
import { openRouting } from "./open-routing.ts";
import { openTasks } from "./open-tasks.ts";
import { openWebhookSigning } from "./open-webhook-signing.ts";
import { openPanel } from "./panel/open-panel.ts";
import { createPriceHistory } from "../business/requests/price-history.ts";
import { openPanelPages } from "./panel/open-panel-pages.ts";
import { startPanelWork } from "./panel/start-panel-work.ts";
import { refusePort } from "./refuse-port.ts";
import { createRepeatedWarnings } from "../log/repeated-warnings.ts";
import { VERSION } from "./version.ts";
import { watchDisks, watchWork } from "./watch-gauges.ts";
import { saveCountSample } from "../usage/count-samples.store.ts";

export interface GatewayOptions {
  readonly config: Config;
  readonly databaseUrl: string;
  /** Holds the values that the catalogue interpolates and names as credentials. */
  readonly env: Environment;
  readonly roles: ReadonlySet<"api" | "worker">;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** What `/metrics` shows; with several processes, the figures of all of them. */
  renderMetrics(): Promise<string>;
  /** How long a reader of a chat answer may take nothing; for tests that cannot wait a minute. */
  readonly stalledMs?: number;
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
  const { config, databaseUrl, env, clock, log, metrics } = options;
  const closers: (() => Promise<void> | void)[] = [];
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

    const catalogue = await openCatalogue({ db, env, log, metrics, onError });
    closers.push(() => catalogue.close());

    const ownerId = newUuid();
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
      const sweep = async (): Promise<void> => void (await idempotency.sweep());
      const sweeper = every(
        SWEEP_MS,
        sweep,
        onError("expired idempotency records could not be removed"),
      );
      closers.push(() => sweeper.stop());
    }

    let url = config.baseUrl ?? "";
    const staticUrl = (): string => config.staticUrl ?? `${url}/static`;
    const safeFetch = createSafeFetch({ allow: config.fetchAllow });
    closers.push(() => safeFetch.close());
    /** What most parts are made of. */
    const base = {
      config,
      databaseUrl,
      env,
      db,
      clock,
      log,
      metrics,
      ownerId,
      catalogue,
      idempotency,
      safeFetch,
      staticUrl,
      onError: (what: string, error: unknown) => onError(what)(error),
    };
    const files = await openFiles({
      ...base,
      sweeps: options.roles.has("worker"),
      isDead: (otherId) => recovery.isDead(otherId),
    });
    closers.push(() => files.close());

    const outgoing = createOutgoing();
    closers.push(() => outgoing.close());
    const sessionSecret = config.sessionSecret ?? keepSessionSecret(config.dataDir);
    const signing = await openWebhookSigning({ db, sessionSecret, log });
    const routing = openRouting({ ...base, roles: options.roles, onError });
    closers.push(() => routing.close());
    const tasks = openTasks({
      ...base,
      files,
      outgoing,
      routing,
      signing,
      works: options.roles.has("worker"),
    });
    closers.push(() => tasks.close());

    const panelDeps = { ...base, outgoing, sessionSecret, signing, baseUrl: () => url };
    if (options.roles.has("worker")) {
      const work = startPanelWork(panelDeps);
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
      return {
        url: null,
        announceStop: () => undefined,
        async stop() {
          await tasks.drain(config.drainSeconds * 1000);
          closing = true;
          await closeAll(closers);
        },
      };
    }

    const ledger = createSettlePipeline({
      url: databaseUrl,
      applicationName: "tollgate",
      onError: db.overhear(onError("a ledger connection broke")),
      onParked(requestId) {
        metrics.suspicious("receipt_parked");
        log.error(
          { requestId },
          "a receipt could not be written; the money was settled and the receipt is parked in usage.parked",
        );
      },
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

    const callers = openCallers({ ...base, ledger, onError });
    closers.push(() => callers.close());
    const { authenticator, noteUse } = callers;

    const requestDone = createRequestLog({ logger: log, metrics });
    const clientAddress = createClientAddress(config.trustedProxies);
    let openConnections = (): number => 0;
    const chat = await openChat({
      ...base,
      ledger,
      limits,
      outgoing,
      routing,
      clientAddress,
      callers: () => openConnections(),
      requestDone,
      saveCountSample: (sample) => saveCountSample(db, sample),
      onTickFailed: onError("a tick failed"),
      ...(options.stalledMs === undefined ? {} : { stalledMs: options.stalledMs }),
    });
    closers.push(() => chat.close());
    watchWork(metrics, chat.service, ledger);
    const disks = watchDisks(metrics, config, onError("the room on the disks could not be read"));
    closers.push(() => disks.stop());
    const chatRoutes = chat.routesAt({
      prefix: "/v1",
      authenticate(headers, fresh) {
        const found = fresh
          ? authenticator.authenticateFresh(headers)
          : authenticator.authenticate(headers);
        return found instanceof Promise ? found.then(noteUse) : noteUse(found);
      },
    });
    const inquiries = chatInquiries({ ...base, outgoing });
    const taskDeps = tasks.serve(limits);
    const prices = createPriceHistory(db, env);

    const panel = openPanel({
      ...panelDeps,
      authenticator,
      chat,
      files,
      limits,
      inquiries,
      tasks: taskDeps,
      prices,
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
        ...files.useCases,
      },
      receipts: { db, prices },
      tasks: taskDeps,
      readiness: () => isReady({ db, ledger, files, draining }),
      metrics: { contentType: metrics.contentType, render: () => options.renderMetrics() },
      panel,
      panelPages: openPanelPages(config, staticUrl),
      rawRoutes: new Map([...chatRoutes, ...panel.rawRoutes]),
      onRequestDone: requestDone,
      baseUrl: () => url,
      clientAddress,
      version: VERSION,
      clock,
    });
    openConnections = () => server.connections;
    const wish = {
      host: config.host,
      port: config.port,
      ...(cluster.isWorker ? { sockets: 1 } : {}),
    };
    const port = await server.listen(wish).catch((error: unknown) => refusePort(error, config));
    const shownHost = config.host.includes(":") ? `[${config.host}]` : config.host;
    url = config.baseUrl ?? `http://${shownHost}:${port}`;
    const listeningUrl = `http://${shownHost}:${port}`;
    log.info({ url: listeningUrl }, "listening");

    return {
      url: listeningUrl,
      announceStop() {
        draining = true;
        server.announceClose();
      },
      async stop() {
        draining = true;
        log.info({ active: chat.service.active, uploads: files.activeUploads }, "draining");
        const drainMs = config.drainSeconds * 1000;
        // While requests finish, the port stays open: readiness says 503, and so does every new
        // chat request and upload.
        await Promise.all([
          chat.service.drain(drainMs),
          files.drain(drainMs),
          tasks.drain(drainMs),
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

/**
 * What a catalogue may not name when it comes from the panel: the operator who edits prices there
 * need not be who runs the server.
 */
import { credentialNames } from "../../catalogue/catalogue.ts";
import { parseCatalogue, type CatalogueReading } from "../../catalogue/parse-catalogue.ts";
import type { Environment } from "../../catalogue/interpolate.ts";
import { mistakeAt } from "../../contract/catalogue/mistake-at.ts";

/**
 * The gateway's own: sent to an upstream as an address or a credential, they would give away all
 * there is.
 */
const OWN_SECRETS = new Set([
  "DATABASE_URL",
  "DATABASE_REPLICA_URL",
  "TOLLGATE_INHERITED_DATABASE_URL",
  "SESSION_SECRET",
  "STORAGE_URL",
  "SMTP_URL",
  "PAYMENTS_SECRET_KEY",
  "TELEGRAM_BOT_TOKEN",
  "OTEL_EXPORTER_OTLP_HEADERS",
]);

/** As `parseCatalogue`, with mistakes also for variables that are the gateway's own secrets. */
export function parseFromPanel(source: string, env: Environment): CatalogueReading {
  const visible = Object.fromEntries(
    Object.entries(env).filter(([name]) => !OWN_SECRETS.has(name)),
  );
  const reading = parseCatalogue(source, visible);
  if (!reading.ok) return reading;
  const mistakes = [...reading.catalogue.upstreams.values()].flatMap((upstream) =>
    credentialNames(upstream)
      .filter((credential) => OWN_SECRETS.has(credential))
      .map((variable) =>
        mistakeAt({ path: `upstreams.${upstream.name}.apiKeyEnv`, line: null }, "own_secret", {
          variable,
        }),
      ),
  );
  return mistakes.length === 0 ? reading : { ok: false, mistakes, warnings: reading.warnings };
}

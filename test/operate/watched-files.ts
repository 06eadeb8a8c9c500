/** What lies in `ops` for those who watch a gateway: the alerts, their planted faults, the dashboard. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

export const OPS = join(import.meta.dirname, "../../ops");

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary?: string; readonly summary_ru?: string };
}

const { groups } = parse(read("prometheus/alerts.yaml")) as {
  groups: readonly { rules: readonly AlertRule[] }[];
};
export const ALERT_RULES: readonly AlertRule[] = groups.flatMap(({ rules }) => rules);

const { tests } = parse(read("prometheus/alerts.test.yaml")) as {
  tests: readonly {
    name: string;
    input_series: readonly { series: string }[];
    promql_expr_test: readonly { expr: string; exp_samples: readonly unknown[] }[];
  }[];
};
/** The first is of a healthy gateway. */
export const ALERT_TESTS = tests;

interface DashboardQuery {
  /** Of its panel. */
  readonly title: string;
  readonly expr: string;
}

const { panels } = JSON.parse(read("grafana/tollgate.json")) as {
  panels: readonly { title: string; targets?: readonly { expr: string }[] }[];
};
export const DASHBOARD_QUERIES: readonly DashboardQuery[] = panels.flatMap(
  ({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })),
);

function read(path: string): string {
  return readFileSync(join(OPS, path), "utf8");
}

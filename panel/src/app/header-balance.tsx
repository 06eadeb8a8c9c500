/** The account's balance in the header, on its way to being topped up. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { overviewQuery } from "../api/overview-query.ts";
import { useFormats } from "../i18n/locale.tsx";
import { useShell } from "./use-shell.ts";

export function HeaderBalance(): ReactNode {
  const shell = useShell();
  const { moneyBrief } = useFormats();
  const { data } = useQuery(overviewQuery);
  return (
    <Link className="header-balance" to="/billing" title={shell.topUp}>
      <span className="quiet only-wide">{shell.balance}</span>{" "}
      <b className="figure">{data === undefined ? "…" : moneyBrief(data.balance, "down")}</b>
    </Link>
  );
}

/** On phones: what the account may spend, in the header, on its way to being topped up. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { overviewQuery } from "../api/overview-query.ts";
import { Money } from "../ui/money.tsx";
import { useShell } from "./use-shell.ts";

export function HeaderBalance(): ReactNode {
  const shell = useShell();
  const { data } = useQuery(overviewQuery);
  return (
    <Link className="header-balance only-narrow" to="/billing" title={shell.topUp}>
      <span className="unseen">{shell.available}</span>{" "}
      <b className="figure">
        {data === undefined ? "…" : <Money amount={data.available} brief="down" />}
      </b>
    </Link>
  );
}

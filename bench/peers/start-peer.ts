/** All rows of the comparison by name; a new peer gets a line here. */
import { THIS_CHECKOUT } from "./checkout.ts";
import type { Absence, Peer, PeerContext, PeerName } from "./peer.ts";
import { startBareProxy } from "./start-bare-proxy.ts";
import { startDirect } from "./start-direct.ts";
import { startLeastGateway } from "./start-least-gateway.ts";
import { startLitellm } from "./start-litellm.ts";
import { startNginx } from "./start-nginx.ts";
import { startPortkey } from "./start-portkey.ts";
import { startTollgate, type TollgateOptions } from "./start-tollgate.ts";

/** As the tables call the one that `--against` names. */
export const OTHER_CHECKOUT = "that checkout";
export const FILLED_ENTRIES = 10_000_000;

function tollgate(name: PeerName, title: string, options: Partial<TollgateOptions> = {}) {
  return (context: PeerContext): Promise<Peer | Absence> =>
    startTollgate(context, {
      name,
      title,
      checkout: THIS_CHECKOUT,
      workers: 1,
      filledEntries: 0,
      bills: true,
      ...options,
    });
}

function otherCheckout(context: PeerContext): Promise<Peer | Absence> | Absence {
  const { against } = context;
  if (against === null) return { absent: "no other checkout was named (--against)" };
  return tollgate("against", OTHER_CHECKOUT, { checkout: against })(context);
}

const STARTS: Readonly<
  Record<PeerName, (context: PeerContext) => Peer | Absence | Promise<Peer | Absence>>
> = {
  direct: startDirect,
  bare: startBareProxy,
  least: (context) => startLeastGateway(context, false),
  "least-billed": (context) => startLeastGateway(context, true),
  nginx: startNginx,
  portkey: startPortkey,
  litellm: startLitellm,
  tollgate: tollgate("tollgate", "Tollgate"),
  "tollgate-2": tollgate("tollgate-2", "Tollgate, WORKERS=2", { workers: 2 }),
  "tollgate-4": tollgate("tollgate-4", "Tollgate, WORKERS=4", { workers: 4 }),
  "tollgate-big": tollgate("tollgate-big", "Tollgate, big ledger", {
    filledEntries: FILLED_ENTRIES,
  }),
  unbilled: tollgate("unbilled", "Tollgate, billing off", { bills: false }),
  against: otherCheckout,
};

export async function startPeer(name: PeerName, context: PeerContext): Promise<Peer | Absence> {
  return STARTS[name](context);
}

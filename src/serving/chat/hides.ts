/**
 * What hides the operator's words in what an upstream says: the same for all calls of a route by one
 * credential, so it is made once for each.
 */
import { hideOperatorWords, type HideWords } from "../../protocol/operator-words.ts";
import type { Credential, ReadyRoute } from "../routing/route-selection.ts";

export class Hides {
  /** Routes are made ready anew with each catalogue, and what is kept here goes with them. */
  readonly #known = new WeakMap<ReadyRoute, Map<Credential, HideWords>>();

  /** `soldModel`: as all requests for the route's model have it. */
  of(ready: ReadyRoute, credential: Credential, soldModel: string | null): HideWords {
    const known = this.#known.get(ready)?.get(credential);
    if (known !== undefined) return known;
    const hide = hideOperatorWords({
      credential: credential.value,
      upstreamModel: ready.route.model,
      soldModel,
    });
    const ofRoute = this.#known.get(ready) ?? new Map<Credential, HideWords>();
    this.#known.set(ready, ofRoute.set(credential, hide));
    return hide;
  }
}

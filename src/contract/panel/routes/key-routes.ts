/** Routes of the panel for API keys. */
import {
  NewPanelKey,
  PanelKey,
  PanelKeyChange,
  PanelKeyList,
  PanelKeyMade,
  PanelKeyQuery,
  PanelKeyRoll,
  PanelKeysFrozen,
} from "../panel-key.ts";
import { Done, type PanelRouteTable } from "./panel-route.ts";

export const KEY_ROUTES = {
  "GET /keys": { summary: "The account's keys", query: PanelKeyQuery, answer: PanelKeyList },
  "POST /keys": { summary: "Make a key", body: NewPanelKey, answer: PanelKeyMade, status: 201 },
  "POST /keys/freeze-all": { summary: "Freeze every key", answer: PanelKeysFrozen },
  "GET /keys/{hash}": { summary: "One key", answer: PanelKey },
  "POST /keys/{hash}": { summary: "Change a key", body: PanelKeyChange, answer: PanelKey },
  "POST /keys/{hash}/roll": {
    summary: "Put a new key in its place",
    body: PanelKeyRoll,
    answer: PanelKeyMade,
    status: 201,
  },
  "POST /keys/{hash}/freeze": { summary: "Freeze a key", answer: PanelKey },
  "POST /keys/{hash}/unfreeze": { summary: "Let a frozen key work again", answer: PanelKey },
  "DELETE /keys/{hash}": { summary: "Delete a key", answer: Done },
} as const satisfies PanelRouteTable;

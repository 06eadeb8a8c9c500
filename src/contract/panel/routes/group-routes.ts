/** Routes of the panel for groups of keys. */
import { NewPanelGroup, PanelGroup, PanelGroupChange, PanelGroupList } from "../panel-group.ts";
import { Done, type PanelRouteTable } from "./panel-route.ts";

const uuids = ["id"];

export const GROUP_ROUTES = {
  "GET /groups": { summary: "The account's groups of keys, by name", answer: PanelGroupList },
  "POST /groups": {
    summary: "Make a group of keys",
    body: NewPanelGroup,
    answer: PanelGroup,
    status: 201,
  },
  "GET /groups/{id}": { summary: "One group", uuids, answer: PanelGroup },
  "POST /groups/{id}": {
    summary: "Change a group",
    uuids,
    body: PanelGroupChange,
    answer: PanelGroup,
  },
  "POST /groups/{id}/freeze": { summary: "Switch a group off", uuids, answer: PanelGroup },
  "POST /groups/{id}/unfreeze": { summary: "Switch it on again", uuids, answer: PanelGroup },
  "DELETE /groups/{id}": {
    summary: "Delete a group; its keys go on in none",
    uuids,
    answer: Done,
  },
} as const satisfies PanelRouteTable;

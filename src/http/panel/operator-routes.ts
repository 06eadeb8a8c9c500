/**
 * What the business itself sees and does: the panel's routes for it. To members who are not
 * operators each is the 404 of a path that is not there.
 */
import type { Route } from "../route.ts";
import {
  operatorAccountsRoutes,
  type OperatorAccountsUseCases,
} from "./operator/accounts-routes.ts";
import {
  operatorBusinessRoutes,
  type OperatorBusinessUseCases,
} from "./operator/business-routes.ts";
import {
  operatorCatalogueRoutes,
  type OperatorCatalogueUseCases,
} from "./operator/catalogue-routes.ts";
import { operatorWorkRoutes, type OperatorWorkUseCases } from "./operator/work-routes.ts";

export type OperatorUseCases = OperatorAccountsUseCases &
  OperatorWorkUseCases &
  OperatorCatalogueUseCases &
  OperatorBusinessUseCases;

export function operatorRoutes(useCases: OperatorUseCases): Route[] {
  return [
    ...operatorAccountsRoutes(useCases),
    ...operatorWorkRoutes(useCases),
    ...operatorCatalogueRoutes(useCases),
    ...operatorBusinessRoutes(useCases),
  ];
}

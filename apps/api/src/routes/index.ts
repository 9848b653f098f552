import type { Hono } from 'hono';
import type { MergeSchemaPath } from 'hono/types';
import type { Services } from '../services.ts';
import { agentRoutes } from './agents.ts';
import { annotationRoutes } from './annotations.ts';
import { checkpointRoutes, goneRoutes } from './checkpoints.ts';
import { compareRoutes } from './compare.ts';
import { demoRoutes } from './demo.ts';
import { eventRoutes, loginRoutes, metricsRoutes, statusRoutes } from './server.ts';
import { diffRoutes } from './diff.ts';
import { exportRoutes } from './export.ts';
import { historyRoutes, searchRoutes } from './search.ts';
import { itemChangeRoutes } from './item-changes.ts';
import { maskingRoutes } from './masking.ts';
import { planRoutes } from './plans.ts';
import { proposalRoutes } from './proposals.ts';
import { router } from './router.ts';
import { stateRoutes } from './state.ts';
import { storageRoutes } from './storage.ts';
import { storeRoutes } from './stores.ts';
import { taskRoutes } from './tasks.ts';
import { failureRoutes } from './failures.ts';

/** All routes below `/api`, chained so that their types reach the client. */
export function apiRoutes(services: Services) {
  return router()
    .route('/', statusRoutes(services))
    .route('/', storeRoutes(services))
    .route('/', taskRoutes(services))
    .route('/', checkpointRoutes(services))
    .route('/', stateRoutes(services))
    .route('/', historyRoutes(services))
    .route('/', goneRoutes(services))
    .route('/', itemChangeRoutes(services))
    .route('/', diffRoutes(services))
    .route('/', compareRoutes(services))
    .route('/', exportRoutes(services))
    .route('/', demoRoutes(services))
    .route('/', loginRoutes(services))
    .route('/', maskingRoutes(services))
    .route('/', planRoutes(services))
    .route('/', proposalRoutes(services))
    .route('/', agentRoutes(services))
    .route('/', searchRoutes(services))
    .route('/', storageRoutes(services))
    .route('/', failureRoutes(services))
    .route('/', annotationRoutes(services))
    .route('/', metricsRoutes(services))
    .route('/', eventRoutes(services));
}

/** Exactly what the wire carries: JSON has no `undefined`, an absent key is absent. */
type Exact<T> = T extends string | number | boolean | null ? T : { [K in keyof T]: Exact<Exclude<T[K], undefined>> };
type ExactAnswer<Endpoint> = Endpoint extends { output: infer Output }
  ? Omit<Endpoint, 'output'> & { output: Exact<Output> }
  : Endpoint;
type ExactSchema<S> = { [Path in keyof S]: { [Method in keyof S[Path]]: ExactAnswer<S[Path][Method]> } };
type Below<App, Prefix extends string> =
  App extends Hono<infer E, infer S, infer _Base> ? Hono<E, ExactSchema<MergeSchemaPath<S, Prefix>>> : never;

/** What the typed client sees. */
export type AppType = Below<ReturnType<typeof apiRoutes>, '/api'>;

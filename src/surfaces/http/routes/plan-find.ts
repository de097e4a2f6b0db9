import { PlanHistory, PlanPage } from '../../../contracts/index.ts';
import { planHistory } from '../../shared/plans/history.ts';
import { route } from '../route.ts';
import { PlanHistoryQuery, PlanListQuery, PlanParams } from './shapes.ts';

export const listPlans = route({
  method: 'GET',
  path: '/v1/plans',
  operation: 'listPlans',
  summary: 'Find plans',
  description:
    'Pages of plans: first those that wait for their turn, then those that have begun, the newest change first. Every parameter narrows. ' +
    'What has begun is listed from the plan journal, on the host of the pool; elsewhere only what waits. A plan that moves meanwhile may stand on two pages.',
  tag: 'plans',
  access: ['read'],
  query: PlanListQuery,
  responses: { 200: { description: 'A page; `next` is the cursor of the following one.', schema: PlanPage } },
  problems: ['INVALID_ARGUMENT', 'REDIS_UNAVAILABLE', 'STORAGE_UNAVAILABLE'],
  handle: async ({ query: { limit, cursor, ...filter }, services: { plans } }) => ({
    status: 200,
    body: await plans.plans.list(filter, { limit, ...(cursor === undefined ? {} : { cursor }) }),
  }),
});

export const readPlanHistory = route({
  method: 'GET',
  path: '/v1/plans/:id/history',
  operation: 'readPlanHistory',
  summary: 'The steps of a plan with their times',
  description: 'In the order in which they ended, with those that a retry has voided. What they found is not told here: `GET /v1/plans/{id}?memory=true`.',
  tag: 'plans',
  access: ['read'],
  params: PlanParams,
  query: PlanHistoryQuery,
  responses: { 200: { description: 'A page of steps; `next` is the cursor of the following one.', schema: PlanHistory } },
  problems: ['INVALID_ARGUMENT', 'NOT_FOUND', 'INVALID_RESULT', 'REDIS_UNAVAILABLE', 'STORAGE_UNAVAILABLE'],
  handle: async ({ params: { id }, query: { limit, cursor }, services: { plans } }) => ({
    status: 200,
    body: await planHistory(id, { limit, ...(cursor === undefined ? {} : { cursor }) }, plans.plans),
  }),
});

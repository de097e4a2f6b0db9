import type { AnyRoute } from '../route.ts';
import { approvePlan, denyPlan, listApprovals } from './approvals.ts';
import { actOnIndex, readIndex } from './content-index.ts';
import { searchContents } from './content-search.ts';
import { eventsRoute } from './events.ts';
import { HEALTH_ROUTES } from './health.ts';
import { listKeys } from './keys.ts';
import { issueLease } from './leases.ts';
import { callMcp } from './mcp.ts';
import { deleteMessage, rebuildMessages, submitMessages } from './message-ingest.ts';
import { searchMessages } from './message-search.ts';
import { cancelOneTask, retryOneTask, undoOneTask } from './operate.ts';
import { listPlans, readPlanHistory } from './plan-find.ts';
import { cancelOnePlan, retryOnePlan } from './plan-operate.ts';
import { undoOnePlan } from './plan-undo.ts';
import { readPlan, submitPlan } from './plans.ts';
import { listQueues, switchOneQueue } from './queues.ts';
import { retryManyPlans, retryManyTasks } from './retry-many.ts';
import { actOnOneSchedule, listSchedules, readSchedule, registerSchedule } from './schedules.ts';
import { endOneSession, listSessions } from './sessions.ts';
import { listTasks, readTask, submitTasks } from './tasks.ts';
import { listNotices, listWebhooks, readNotice, resendDead, resendNotice, testEndpoint } from './webhooks.ts';

/** Every route of the API that works on tasks and what belongs to them. */
const TASK_ROUTES: readonly AnyRoute[] = [
  submitTasks,
  listTasks,
  retryManyTasks,
  readTask,
  retryOneTask,
  undoOneTask,
  cancelOneTask,
  submitPlan,
  listPlans,
  retryManyPlans,
  readPlan,
  readPlanHistory,
  retryOnePlan,
  cancelOnePlan,
  undoOnePlan,
  approvePlan,
  denyPlan,
  listApprovals,
  listQueues,
  switchOneQueue,
  searchContents,
  searchMessages,
  readIndex,
  actOnIndex,
  submitMessages,
  deleteMessage,
  rebuildMessages,
  callMcp,
  issueLease,
  registerSchedule,
  listSchedules,
  readSchedule,
  actOnOneSchedule,
  listSessions,
  endOneSession,
  listKeys,
  listWebhooks,
  listNotices,
  readNotice,
  resendNotice,
  resendDead,
  testEndpoint,
  eventsRoute(),
];

/** The API, a row per route. */
export const ROUTES: readonly AnyRoute[] = [...TASK_ROUTES, ...HEALTH_ROUTES];

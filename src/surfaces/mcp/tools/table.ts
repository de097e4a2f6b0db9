import type { AnyTool } from '../tool.ts';
import { answerApprovalTool, listApprovalsTool } from './approvals.ts';
import { cancelPlanTool, cancelTaskTool } from './cancel.ts';
import { search } from './content-search.ts';
import { indexStatus } from './index-status.ts';
import { searchMessages, searchMessagesProduct } from './message-search.ts';
import { retryPlansTool, retryPlanTool } from './plan-retry.ts';
import { undoPlanTool } from './plan-undo.ts';
import { getPlan, getPlanHistory, listPlansTool, submitPlan } from './plans.ts';
import { listQueuesTool, pauseQueue, resumeQueue } from './queues.ts';
import { addScheduleTool, getSchedule, listSchedulesTool, pauseSchedule, removeSchedule, resumeSchedule } from './schedules.ts';
import { listTasksTool, retryTasksTool } from './task-find.ts';
import { checkTask, getTask, retryTaskTool, submitTask, undoTaskTool } from './tasks.ts';
import { getNotice, listNoticesTool, listWebhooksTool, resendNoticesTool, testWebhookTool } from './webhooks.ts';

/** The tools, a row each, in the order in which they are listed. */
export const TOOLS: readonly AnyTool[] = [
  search,
  searchMessages,
  searchMessagesProduct,
  submitTask,
  checkTask,
  getTask,
  listTasksTool,
  retryTaskTool,
  retryTasksTool,
  undoTaskTool,
  cancelTaskTool,
  submitPlan,
  getPlan,
  listPlansTool,
  getPlanHistory,
  retryPlanTool,
  retryPlansTool,
  undoPlanTool,
  cancelPlanTool,
  listApprovalsTool,
  answerApprovalTool,
  listQueuesTool,
  pauseQueue,
  resumeQueue,
  listSchedulesTool,
  getSchedule,
  addScheduleTool,
  pauseSchedule,
  resumeSchedule,
  removeSchedule,
  listWebhooksTool,
  listNoticesTool,
  getNotice,
  resendNoticesTool,
  testWebhookTool,
  indexStatus,
];

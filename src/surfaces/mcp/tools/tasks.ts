import { z } from 'zod';
import { DryRun, EndpointId, OfferedManifest, TaskId, TaskReceipt, TaskView } from '../../../contracts/index.ts';
import { audited } from '../../../core/audited.ts';
import { dryRun } from '../../shared/tasks/dry-run.ts';
import { retryDetail, retryTask } from '../../shared/tasks/retry.ts';
import { submitTask as submitToQueue } from '../../shared/tasks/submit.ts';
import { unknownTask } from '../../shared/tasks/task-id.ts';
import { readTaskStatus, waitForOutcome } from '../../shared/tasks/task-status.ts';
import { undoTask as undoEffect } from '../../shared/tasks/undo.ts';
import { shownTask } from '../../shared/tasks/view.ts';
import { readWhen } from '../../shared/when.ts';
import { LOOKS_ONLY, tool } from '../tool.ts';
import { endWithin, operatorServices, RECEIPTS, submitter } from './outcome.ts';
import { lease, regrant, sign, taskId, waitMs, waitS, when } from './shapes.ts';
import { webhooksOf } from './webhooks.ts';

/** Told with `task` when it has ended: before, or while the call waited. */
const ended = TaskView.optional().meta({ description: 'The task with its signed result, if it has ended.' });
const queue_paused = TaskReceipt.shape.queue_paused.meta({ description: 'The wait was in vain because the queue is paused: resume_queue lets it go on.' });
const receipt = z.enum(['accepted', 'in_flight', 'retried', 'finished']);

export const submitTask = tool({
  name: 'submit_task',
  title: 'Submit a task',
  description:
    'Queues a file operation, a search or a tool call: a manifest, with a lease for exactly its bytes. The same task may be submitted any number of times: it has ' +
    'one effect and one answer. get_task tells how it ended.',
  access: ['submit'],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    manifest: OfferedManifest,
    lease,
    sign,
    attempts: z.int().min(1).max(25).optional().meta({ description: 'Tries for errors that may pass; 1 if absent.' }),
    queue: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta({ description: "Queue including its pool, file@archive; if absent the capability's own, or for a TOOL_CALL the one that its lease names." }),
    ...when,
    webhook: EndpointId.optional().meta({ description: 'Endpoint of the settings that is told of the end, beside those of the key.' }),
    wait_s: waitS,
  }),
  output: z.strictObject({ task_id: TaskId, receipt, queue: z.string().optional(), task: ended, queue_paused }),
  async run(call) {
    const { input, services, caller } = call;
    const { manifest, attempts, queue, webhook } = input;
    if (webhook !== undefined) webhooksOf(services);
    const [tasks, audit] = [await services.tasks(), await services.audit()];
    const job = { v: 1, manifest, ...(input.lease === undefined ? {} : { lease: input.lease }) } as const;
    const push = {
      ...(attempts === undefined ? {} : { attempts }),
      ...(queue === undefined ? {} : { queue }),
      ...readWhen(input),
    };
    const submitServices = {
      tasks,
      audit,
      clock: services.clock,
      signatures: services.signatures,
      kernel: services.kernel,
      ...(services.webhooks && { webhooks: services.webhooks }),
    };
    const done = await submitToQueue(job, { sign: input.sign === true, push, webhook }, submitter(caller), submitServices);
    const answer = { task_id: done.taskId, receipt: RECEIPTS[done.kind] };
    if (done.kind !== 'finished') return { ...answer, queue: done.queue, ...(await endWithin(done.taskId, input.wait_s, call, tasks)) };
    const status = await readTaskStatus(done.taskId, tasks);
    return { ...answer, ...(status.state === 'finished' ? { task: shownTask(done.taskId, status, await services.signatures()) } : {}) };
  },
});

export const checkTask = tool({
  name: 'check_task',
  title: 'What a task would meet',
  description:
    'A dry run of submit_task: authority, paths, what would be done and what stands in the way. Nothing is queued, signed or recorded. Files are looked ' +
    'at only under a lease that holds, or with sign and the role kernel.',
  access: ['submit'],
  annotations: LOOKS_ONLY,
  input: z.strictObject({ manifest: OfferedManifest, lease, sign }),
  output: DryRun,
  async run({ input, services, caller }) {
    const job = { v: 1, manifest: input.manifest, ...(input.lease === undefined ? {} : { lease: input.lease }) } as const;
    const { clock, signatures, kernel } = services;
    return dryRun(job, { sign: input.sign === true, push: {} }, caller, { tasks: await services.tasks(), clock, signatures, kernel });
  },
});

export const getTask = tool({
  name: 'get_task',
  title: 'Where a task stands',
  description: 'Asks queue, ledger and journal, and waits for the end if told to. The result is the exact signed document.',
  access: ['submit', 'read'],
  annotations: LOOKS_ONLY,
  input: z.strictObject({ task_id: taskId, wait_s: waitS }),
  output: TaskView,
  async run({ input: { task_id: id, wait_s }, services, signal }) {
    const status = await waitForOutcome(id, await services.tasks(), { timeoutMs: waitMs(wait_s, services.maxWaitS), signal });
    if (status.state === 'unknown') throw unknownTask(id);
    return shownTask(id, status, await services.signatures());
  },
});

export const retryTaskTool = tool({
  name: 'retry_task',
  title: 'Run a failed task again',
  description: 'With its full budget of tries, and under a new lease where the old one has expired and regrant allows it. Audited.',
  access: ['operate'],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    task_id: taskId,
    regrant,
    wait_s: waitS,
  }),
  output: z.strictObject({ task_id: TaskId, regranted: z.boolean(), task: ended, queue_paused }),
  async run(call) {
    const { input, services, caller } = call;
    const terms = input.regrant === undefined ? {} : { regrant: input.regrant };
    const operator = await operatorServices(call);
    const entry = { surface: 'mcp', who: caller.name, action: 'task.retry', subject: input.task_id, detail: terms } as const;
    const { regranted } = await audited(await services.audit(), entry, () => retryTask(input.task_id, terms, operator), retryDetail);
    return { task_id: input.task_id, regranted, ...(await endWithin(input.task_id, input.wait_s, call, operator.tasks)) };
  },
});

export const undoTaskTool = tool({
  name: 'undo_task',
  title: 'Take back what a task did',
  description: 'The kernel computes and signs the task that takes the effect back; it runs like any other and has an id of its own. Audited.',
  access: ['operate'],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: z.strictObject({ task_id: taskId, wait_s: waitS }),
  output: z.strictObject({ task_id: TaskId.meta({ description: 'The task that takes it back.' }), undo_of: TaskId, receipt, task: ended, queue_paused }),
  async run(call) {
    const { input, services, caller } = call;
    const operator = await operatorServices(call);
    const entry = { surface: 'mcp', who: caller.name, action: 'task.undo', subject: input.task_id } as const;
    const { undoId, receipt: done } = await audited(await services.audit(), entry, () => undoEffect(input.task_id, operator));
    // A conflict was thrown.
    const word = done.kind === 'conflict' ? 'finished' : RECEIPTS[done.kind];
    return { task_id: undoId, undo_of: input.task_id, receipt: word, ...(await endWithin(undoId, input.wait_s, call, operator.tasks)) };
  },
});

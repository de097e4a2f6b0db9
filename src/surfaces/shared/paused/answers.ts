import { z } from 'zod';
import * as contracts from '../../../contracts/index.ts';

/**
 * The answers of which somebody may wait in vain, with what says so. They are the contracts of `src/contracts` and one member
 * more: what a surface adds, and no part of what queues, ledger and kernel share.
 */

/** Of a task: it waits in a queue that is paused, told after a wait that was in vain. */
const task = { queue_paused: z.literal(true).optional() };
/** Of a plan: the paused queue in which it, or its step, waits. Nothing goes on until somebody resumes that queue. */
const plan = { paused_queue: z.string().optional() };

export const TaskReceipt = contracts.TaskReceipt.extend(task);
export type TaskReceipt = z.infer<typeof TaskReceipt>;
export const RetryAnswer = contracts.RetryAnswer.extend(task);
export type RetryAnswer = z.infer<typeof RetryAnswer>;
export const UndoAnswer = contracts.UndoAnswer.extend(task);
export type UndoAnswer = z.infer<typeof UndoAnswer>;
export const CancelAnswer = contracts.CancelAnswer.extend(task);
export type CancelAnswer = z.infer<typeof CancelAnswer>;
/** What was sent waits for the writer of messages. */
export const IngestReceipt = contracts.IngestReceipt.extend(task);
export type IngestReceipt = z.infer<typeof IngestReceipt>;

export const PlanStatus = contracts.PlanStatus.extend(plan);
export type PlanStatus = z.infer<typeof PlanStatus>;
export const PlanSubmitted = contracts.PlanSubmitted.extend(plan);
export type PlanSubmitted = z.infer<typeof PlanSubmitted>;
export const PlanRetryAnswer = contracts.PlanRetryAnswer.extend(plan);
export type PlanRetryAnswer = z.infer<typeof PlanRetryAnswer>;
export const PlanCancelAnswer = contracts.PlanCancelAnswer.extend(plan);
export type PlanCancelAnswer = z.infer<typeof PlanCancelAnswer>;
export const PlanUndoAnswer = contracts.PlanUndoAnswer.extend(plan);
export type PlanUndoAnswer = z.infer<typeof PlanUndoAnswer>;

/** Members for the answers of tools. */
export const HELD_TASK = task;
export const HELD_PLAN = plan;

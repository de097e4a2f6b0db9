import { z } from 'zod';
import { BOUNDS } from './bounds.ts';
import { TaskId } from './ids.ts';

/** The tool of steps that take back what a finished task did. Bound to capabilities of ours, it has rules of its own (docs/plan-protocol.md 9). */
export const UNDO_TOOL = 'writ.undo';

/** What the lease of a plan must allow for such a step; no lease does unless it was asked for this. */
export const UNDO_PERMISSION = 'UNDO';

/** What such a step takes back, with the signed SUCCESS that the kernel verifies; no part of the task's inputs. */
export const UndoParam = z.strictObject({ task_id: TaskId, success: z.string().min(1).max(BOUNDS.readResult) });
export type UndoParam = z.infer<typeof UndoParam>;

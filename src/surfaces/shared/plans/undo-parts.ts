import {
  APPROVAL,
  CONTENT_SEARCH,
  type PlanStepRecord,
  type PlanUndoStep,
  SEARCH_CAPABILITIES,
  type TaskManifest,
  TOOL_CALL,
  ToolCallInputs,
} from '../../../contracts/index.ts';
import { isWritError } from '../../../core/errors.ts';
import { failureCause } from '../../../core/failure-cause.ts';
import type { PlanPreview } from '../../../core/ports/index.ts';
import { undoManifest } from '../../../core/undo-manifest.ts';
import type { OperatorServices } from '../tasks/operator.ts';
import type { FinishedTask } from '../tasks/stored-outcome.ts';
import { readTaskStatus } from '../tasks/task-status.ts';
import { manifestOf } from '../tasks/undo.ts';

/** A step of the plan as its undo sees it; with what takes it back, when something does. */
export interface JudgedStep {
  readonly shown: PlanUndoStep;
  /** The signed SUCCESS, and the manifest that the kernel will sign for. */
  readonly planned?: { readonly success: string; readonly manifest: TaskManifest };
  /** The undo of a plan that has taken it back, so that it does not stand. */
  readonly undoneIn?: string;
}

export interface UndoServices extends OperatorServices {
  readonly preview: PlanPreview;
}

/** Failures after which nobody can say that nothing was done. */
const UNSURE: ReadonlySet<string> = new Set(['outcome_unknown', 'tool_outcome_unknown', 'worker_lost', 'worker_fault', 'io_error', 'disk_full', 'unexplained']);

/** What is to be taken back of each step, the last one first; from the first that cannot be, nothing more is (docs/plan-protocol.md 9). */
export async function judgeSteps(steps: readonly PlanStepRecord[], services: UndoServices): Promise<readonly JudgedStep[]> {
  const judged: JudgedStep[] = [];
  let isOver = false;
  for (const step of steps.toReversed()) {
    const one: JudgedStep = isOver ? shownAs(step, 'not_reached') : await judge(step, services);
    isOver ||= one.shown.undo === 'impossible';
    judged.push(one);
  }
  return judged;
}

async function judge(step: PlanStepRecord, services: UndoServices): Promise<JudgedStep> {
  if (READS.has(step.capability_id ?? '')) return shownAs(step, 'nothing', 'it only looks');
  if (step.capability_id === APPROVAL) return shownAs(step, 'nothing', "it was somebody's word");
  const status = await readTaskStatus(step.task_id, services.tasks);
  if (step.state === 'failure') return judgeFailure(step, status);
  if (status.state !== 'finished' || status.outcome.status !== 'SUCCESS') return shownAs(step, 'impossible', 'its signed result is no longer kept');
  const undoneBy = (await services.tasks.journal?.view(step.task_id))?.success?.undoneBy;
  if (undoneBy?.startsWith('u-')) return shownAs(step, 'nothing', `it was taken back by ${undoneBy}`);
  try {
    const manifest = await manifestOf(step.task_id, status, services);
    if (manifest.capability_id === TOOL_CALL) return judgeCall(step, manifest, services);
    const undoneIn = undoneBy === undefined ? undefined : await planOf(undoneBy, services);
    return { ...planned(step, manifest, status), ...(undoneIn === undefined ? {} : { undoneIn }) };
  } catch (error) {
    if (isWritError(error) && SAYS_WHY.has(error.code)) return shownAs(step, 'impossible', error.message);
    throw error;
  }
}

/** The plan whose step a task is; `undefined` where nobody knows its manifest any more. */
async function planOf(taskId: string, services: UndoServices): Promise<string | undefined> {
  const status = await readTaskStatus(taskId, services.tasks);
  if (status.state !== 'finished') return undefined;
  return (await manifestOf(taskId, status, services)).provenance?.plan_sha256;
}

const READS: ReadonlySet<string> = new Set([...SEARCH_CAPABILITIES, CONTENT_SEARCH]);
const SAYS_WHY: ReadonlySet<string> = new Set(['WRONG_STATE', 'INVALID_RESULT', 'NOT_FOUND']);

/** @throws WritError WRONG_STATE for a capability that has no undo */
function planned(step: PlanStepRecord, manifest: TaskManifest, { outcome, result }: FinishedTask): JudgedStep {
  return { ...shownAs(step, 'planned'), planned: { success: result, manifest: undoManifest(manifest, outcome, 0) } };
}

function judgeFailure(step: PlanStepRecord, status: Awaited<ReturnType<typeof readTaskStatus>>): JudgedStep {
  const known = status.state === 'finished' && status.outcome.error !== null ? status.outcome.error : undefined;
  const { reason } = failureCause(step.error_code ?? '', known?.message ?? '');
  if (!UNSURE.has(reason)) return shownAs(step, 'nothing', 'it failed and did nothing');
  return shownAs(step, 'impossible', 'it failed, and nobody can tell what of it was done');
}

function judgeCall(step: PlanStepRecord, { inputs }: TaskManifest, { preview }: UndoServices): JudgedStep {
  const call = ToolCallInputs.safeParse(inputs);
  const looksOnly = call.success && effectOf(call.data, preview) === 'none';
  return looksOnly ? shownAs(step, 'nothing', 'it only looks') : shownAs(step, 'impossible', 'a request to the outside has no undo');
}

/** What the binding of this host says of the call; `once` where it says nothing. */
function effectOf({ tool: ref, operation }: ToolCallInputs, preview: PlanPreview): string {
  const envelope = { context: { memory: { session_id: 'undo', state: {} } }, input: { steps: [{ type: 'tool', ref, operation, params: {} }] } };
  try {
    const effect = preview.outline(preview.link(envelope).envelope)[0]?.effect;
    return effect?.kind === 'request' ? effect.effect : 'once';
  } catch (error) {
    if (isWritError(error)) return 'once';
    throw error;
  }
}

function shownAs({ path, task_id, capability_id }: PlanStepRecord, undo: PlanUndoStep['undo'], why?: string): JudgedStep {
  return { shown: { path, task_id, ...(capability_id === undefined ? {} : { capability_id }), undo, ...(why === undefined ? {} : { why }) } };
}

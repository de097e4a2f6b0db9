import { UNDO_TOOL } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { PlanPreview, Plans } from '../../../core/ports/index.ts';
import { planHistory } from './history.ts';
import type { JudgedStep } from './undo-parts.ts';

/** The plan that takes another one back now. */
export interface ChosenUndo {
  readonly undoId: string;
  readonly envelope: JsonObject;
  readonly judged: readonly JudgedStep[];
}

export interface UndoLookup {
  readonly plans: Pick<Plans, 'history' | 'view'>;
  readonly preview: Pick<PlanPreview, 'link'>;
}

/** More undos of one plan than anybody makes; a bound for the loop. */
const MAX_UNDOS = 1000;

/**
 * The undo that has taken steps back, or is at it, where it is of the very steps that are to be taken back; else a new one of those
 * that stand: the first whose number has not succeeded, since what an undo with a lower number has done was done again
 * (docs/plan-protocol.md 9).
 *
 * @param judge looks at the steps; once more when an undo has succeeded since, whose steps would seem to stand
 * @returns the steps alone when nothing stands and no undo has taken it back
 */
export async function chooseUndo(
  id: string,
  judge: () => Promise<readonly JudgedStep[]>,
  lookup: UndoLookup,
): Promise<ChosenUndo | { readonly undoId?: never; readonly judged: readonly JudgedStep[] }> {
  const succeeded = new Set<string>();
  for (;;) {
    const judged = await judge();
    const known = succeeded.size;
    const chosen = (await findAgain(id, judged, lookup)) ?? (await findNext(id, judged, lookup, succeeded));
    if (succeeded.size === known || chosen?.number === 0) return chosen ?? { judged };
  }
}

/** An undo that is at it, or was, of these very steps. */
async function findAgain(id: string, judged: readonly JudgedStep[], lookup: UndoLookup): Promise<NumberedUndo | undefined> {
  const earlier = new Set(judged.flatMap(({ undoneIn }) => (undoneIn === undefined ? [] : [undoneIn])));
  for (const undo of earlier) {
    const found = await findNumbered(id, takenBackBefore(judged, undo), lookup, async (undoId) => (undoId === undo ? 'this' : isKnown(undoId, lookup)));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first that has not succeeded; those that have are noted. */
function findNext(id: string, judged: readonly JudgedStep[], lookup: UndoLookup, succeeded: Set<string>): Promise<NumberedUndo | undefined> {
  return findNumbered(id, takenBackBefore(judged, undefined), lookup, async (undoId) => {
    if (!(await hasSucceeded(undoId, lookup))) return 'this';
    succeeded.add(undoId);
    return 'next';
  });
}

/** Steps that another undo than this one has taken back are none of it. */
function takenBackBefore(judged: readonly JudgedStep[], undo: string | undefined): readonly JudgedStep[] {
  return judged.map(({ planned, ...one }) =>
    one.undoneIn === undefined || one.undoneIn === undo
      ? { ...one, ...(planned && { planned }) }
      : { ...one, shown: { ...one.shown, undo: 'nothing', why: `it was taken back by plan ${one.undoneIn}` } },
  );
}

type Verdict = 'this' | 'next' | 'none';

interface NumberedUndo extends ChosenUndo {
  readonly number: number;
}

async function findNumbered(
  id: string,
  judged: readonly JudgedStep[],
  { preview }: UndoLookup,
  judge: (undoId: string) => Promise<Verdict>,
): Promise<NumberedUndo | undefined> {
  if (judged.every(({ planned }) => planned === undefined)) return undefined;
  for (let number = 0; number < MAX_UNDOS; number += 1) {
    const { envelope, planSha256: undoId } = preview.link(envelopeOf(id, judged, number));
    const verdict = await judge(undoId);
    if (verdict !== 'next') return verdict === 'this' ? { undoId, envelope, judged, number } : undefined;
  }
  throw new WritError('WRONG_STATE', `plan ${id} was taken back more than ${MAX_UNDOS} times`);
}

async function isKnown(undoId: string, { plans }: UndoLookup): Promise<Verdict> {
  return (await plans.history(undoId, { limit: 1 })) === undefined && (await plans.view(undoId)) === undefined ? 'none' : 'next';
}

async function hasSucceeded(undoId: string, { plans }: UndoLookup): Promise<boolean> {
  if ((await plans.history(undoId, { limit: 1 })) === undefined) return (await plans.view(undoId))?.state === 'success';
  return (await planHistory(undoId, { limit: 1 }, plans)).state === 'success';
}

/** The same for the same steps and number: nothing in it says when, or who. */
function envelopeOf(id: string, judged: readonly JudgedStep[], number: number): JsonObject {
  const steps = judged.flatMap(({ shown: { task_id }, planned }): JsonObject[] => {
    if (planned === undefined) return [];
    const { capability_id, inputs, constraints } = planned.manifest;
    // Computed from a manifest and a result, which are JSON.
    const params = { ...inputs, constraints, undo: { task_id, success: planned.success } } as JsonObject;
    return [{ type: 'tool', ref: UNDO_TOOL, operation: capability_id, params }];
  });
  const name = `undo-${id}${number === 0 ? '' : `-${number}`}`;
  const header = { id: name, version: '1.0', timestamp: '1970-01-01T00:00:00Z', source: 'writ', destination: 'executor', type: 'execution' };
  return { header, payload: { steps, memory: { session_id: name, state: {} }, options: { maxSteps: Math.min(1000, steps.length) } } };
}

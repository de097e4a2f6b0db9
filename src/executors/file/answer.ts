import type { TaskManifest } from '../../contracts/index.ts';
import type { JsonObject } from '../../core/json.ts';
import { success } from '../../core/outcome.ts';
import type { FileIntent } from '../../core/ports/index.ts';
import { stopped } from '../../core/stopped.ts';
import type { OpenBases } from './bases.ts';
import type { FileDeps, RunEnd } from './deps.ts';
import type { Attempt, Effect } from './effect.ts';
import { pathText } from './opened-path.ts';

/** From how the effects ended to the end of the run; an incident is on disk before anybody hears the answer. */
export async function answer(effect: Effect, attempt: Attempt, manifest: TaskManifest, deps: FileDeps): Promise<RunEnd> {
  const { intent, n, bases } = attempt;
  switch (effect.kind) {
    case 'done': {
      const outcome = success(outputOf(manifest, intent, bases, effect.sha256));
      return { execution: { kind: 'outcome', outcome }, opened: { n, identity: effect.identity, doubtful: false } };
    }
    case 'failed':
      if (effect.incident) await deps.journal.reportIncident({ taskId: intent.taskId, ...effect.incident }, deps.clock.now());
      return { execution: { kind: 'outcome', outcome: effect.outcome }, opened: { n, identity: undefined, doubtful: effect.incident !== undefined } };
    case 'stopped':
      return { execution: stopped(effect.reason), opened: { n, identity: undefined, doubtful: false } };
  }
}

/**
 * The output of a SUCCESS (file-executor.md 9.1), from the intent alone, so that recovery answers with the same bytes as
 * the run that was lost. Paths are absolute and normalized, `bytes` is the size of the source.
 *
 * @param sha256 of the content, where it was read anyway (copies)
 */
function outputOf(manifest: TaskManifest, intent: FileIntent, bases: OpenBases, sha256: string | undefined): JsonObject {
  const source = pathText(bases, intent.source);
  const destination = pathText(bases, intent.destination);
  const bytes = Number(intent.sourceIdentity.size);
  const head = { task_id: manifest.task_id, capability_id: manifest.capability_id };
  const hashed = sha256 === undefined ? {} : { sha256 };
  switch (intent.operation) {
    case 'move':
      return { ...head, result_summary: { source, destination, bytes, ...hashed }, undo_metadata: { original_path: source } };
    case 'copy':
      return { ...head, result_summary: { source, destination, bytes, ...hashed } };
    case 'delete':
      return { ...head, result_summary: { source, bytes }, undo_metadata: { original_path: source, recovery_path: destination } };
  }
}

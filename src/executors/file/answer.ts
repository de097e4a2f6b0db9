import type { TaskManifest } from '../../contracts/index.ts';
import { success } from '../../core/outcome.ts';
import { stopped } from '../../core/stopped.ts';
import type { FileDeps } from './deps.ts';
import type { Attempt, Effect } from './effect.ts';
import { outputOf } from './output.ts';
import type { RunEnd } from './runs.ts';

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

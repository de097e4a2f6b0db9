import { setTimeout as delay } from 'node:timers/promises';
import type { SubmitOptions, TaskManifest, TaskView } from '../../../../src/surfaces/client/index.ts';
import { codeOf, insist, isPassing } from '../insist.ts';
import type { TaskAsk } from '../model.ts';
import type { Stage } from '../stage.ts';

const CAPABILITIES = { move: 'FILE_MOVE', copy: 'FILE_COPY', delete: 'FILE_DELETE' } satisfies Record<TaskAsk['does'], string>;

/** The same at every push. */
export function manifestOf({ id, does, source, destination }: TaskAsk): TaskManifest {
  return {
    task_id: id,
    capability_id: CAPABILITIES[does],
    inputs: { source_path: source, ...(destination === undefined ? {} : { destination_path: destination }) },
    constraints: does === 'delete' ? { reversible: true } : {},
  };
}

/** Whoever has no answer in this time asks whether there is a task, and pushes it again where Redis has lost it. */
const PATIENCE_MS = 4000;
const PAUSE_MS = 200;

function keep({ model }: Stage, id: string, signature: string): void {
  model.answers.set(id, (model.answers.get(id) ?? new Set<string>()).add(signature));
}

/** As a producer: pushes until there is an answer. A push without an answer may have been taken, so it is made again. */
export async function finishTask(stage: Stage, ask: TaskAsk, options: Omit<SubmitOptions, 'wait'> = {}): Promise<TaskView<unknown> | undefined> {
  const { client } = stage.site;
  const manifest = manifestOf(ask);
  while (!stage.over.aborted) {
    await insist(() => client.tasks.submit(manifest as never, { sign: true, ...options }), stage.over);
    try {
      const view = await client.tasks.result(ask.id, { timeoutMs: PATIENCE_MS + Math.max(0, (ask.notBefore ?? 0) - Date.now()) });
      if (view.result?.status === 'SUCCESS') keep(stage, ask.id, view.result.signature);
      return view;
    } catch (error) {
      if (!isPassing(error) && codeOf(error) !== 'NOT_FOUND') throw error;
      await delay(PAUSE_MS);
    }
  }
  return undefined;
}

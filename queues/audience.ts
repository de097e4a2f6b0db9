import { CAPABILITY_QUEUE, type QueueKind, type TaskManifest, TOOL_CALL } from '../src/contracts/index.ts';
import type { Bindings } from '../src/core/ports/index.ts';
import { queueName } from './catalog.ts';

/** The queue of a pool that serves a manifest, which its lease names; `undefined` when none does. */
export function audienceIn(pool: string, bindings: Bindings): (manifest: Pick<TaskManifest, 'capability_id' | 'inputs'>) => string | undefined {
  const queues: ReadonlyMap<string, QueueKind> = new Map(Object.entries(CAPABILITY_QUEUE));
  return ({ capability_id, inputs }) => {
    const bound = capability_id === TOOL_CALL ? bindings(String(inputs['tool'])) : undefined;
    const kind = bound && bound.adapter !== 'writ' ? (`tool-${bound.provider}` as const) : queues.get(capability_id);
    return kind && queueName(kind, pool);
  };
}

import { CAPABILITY_QUEUE, LeasePayload, type QueueKind, type TaskJob, type TaskManifest, TOOL_CALL } from '../src/contracts/index.ts';
import { peekPayload } from '../src/core/peek-token.ts';
import type { Bindings } from '../src/core/ports/index.ts';
import { queueName, queueOf, toolQueueIn } from './catalog.ts';

/** The queue of a pool that serves a manifest, which its lease names; `undefined` when none does. */
export function audienceIn(pool: string, bindings: Bindings): (manifest: Pick<TaskManifest, 'capability_id' | 'inputs'>) => string | undefined {
  const queues: ReadonlyMap<string, QueueKind> = new Map(Object.entries(CAPABILITY_QUEUE));
  return ({ capability_id, inputs }) => {
    const bound = capability_id === TOOL_CALL ? bindings(String(inputs['tool'])) : undefined;
    const kind = bound && bound.adapter !== 'writ' ? (`tool-${bound.provider}` as const) : queues.get(capability_id);
    return kind && queueName(kind, pool);
  };
}

/**
 * The queue of a pool that a job goes to unless its push names one. A call of a tool goes to that of its provider, which only
 * the kernel knows: it stands in the lease, and whoever pushes reads no bindings (D486). Nothing of the lease is verified here.
 */
export function queueOfJob({ manifest, lease = '' }: Pick<TaskJob, 'manifest' | 'lease'>, pool: string): string {
  const { capability_id } = manifest;
  const named = capability_id === TOOL_CALL ? toolQueueIn(LeasePayload.safeParse(peekPayload(lease)).data?.aud ?? '') : undefined;
  return named === undefined ? queueOf(capability_id, pool) : queueName(named, pool);
}

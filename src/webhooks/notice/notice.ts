import { sha256Hex } from '../../core/hash.ts';
import type { Json, JsonObject } from '../../core/json.ts';

/** What a notice of a finished task is about. `result` is the exact text that the executor has signed. */
export interface FinishedOutcome {
  readonly taskId: string;
  readonly capabilityId: string;
  /** Hash of the manifest that the result's signature covers. */
  readonly manifestSha256: string;
  readonly result: string;
  /** When the task ended, milliseconds since 1970. */
  readonly at: number;
}

/** The JSON of a notice, as Standard Webhooks has it: type, timestamp, data. */
export interface NoticeBody {
  readonly type: 'task.succeeded' | 'task.failed' | 'webhook.test';
  readonly timestamp: string;
  readonly data: Readonly<Record<string, Json>>;
}

/**
 * The id of a notice (`webhook-id`): the same outcome of the same task has the same id at the same endpoint, whatever was lost in
 * between, so that a receiver can tell what it has had already. It holds no dot, which would end it in the signed text.
 */
export function noticeId(endpoint: string, { taskId, result }: Pick<FinishedOutcome, 'taskId' | 'result'>): string {
  return `msg_${sha256Hex(JSON.stringify([endpoint, taskId, result])).slice(0, 40)}`;
}

/** The text of the notice of an outcome. It never changes between two attempts: the signed bytes are these. */
export function noticeBody({ taskId, capabilityId, manifestSha256, result, at }: FinishedOutcome): string {
  const outcome = JSON.parse(result) as JsonObject;
  const body: NoticeBody = {
    type: outcome['status'] === 'SUCCESS' ? 'task.succeeded' : 'task.failed',
    timestamp: new Date(at).toISOString(),
    data: { task_id: taskId, capability_id: capabilityId, manifest_sha256: manifestSha256, result: outcome },
  };
  return JSON.stringify(body);
}

/** The text of a notice that only tries an endpoint. */
export function testBody(endpoint: string, at: number): string {
  return JSON.stringify({ type: 'webhook.test', timestamp: new Date(at).toISOString(), data: { endpoint } } satisfies NoticeBody);
}

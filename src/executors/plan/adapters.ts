import type { JsonObject } from '../../core/json.ts';
import { isObject } from './json-copy.ts';
import { readEnvelope } from './read-envelope.ts';

/** The Result of a result envelope: success exactly if there is no error (plan-executor.md, result contract). */
export function toResult(resultEnvelope: JsonObject): JsonObject {
  const { output = null, error = null } = resultEnvelope;
  return { success: error === null, data: output, error, meta: {} };
}

/** An execution envelope with the result in `payload.result`, for who wants one instead of the legacy-compatible result envelope. */
export function toPayloadResult(resultEnvelope: JsonObject, envelope: unknown): JsonObject {
  const { header = null, output } = resultEnvelope;
  const read = readEnvelope(envelope);
  const memory = isObject(output) ? (output['memory'] ?? null) : null;
  const payload = read.ok ? read.envelope.payload : {};
  return { header, payload: { ...payload, memory, result: toResult(resultEnvelope) } };
}

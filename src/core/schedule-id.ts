import { canonicalJson } from './canonical-json.ts';
import { sha256Hex } from './hash.ts';
import type { Json, JsonObject } from './json.ts';

/** Task ids that the kernel gives to firings of schedules, and signs for nothing else. */
export const FIRING_ID = /^s-[0-9a-f]{64}$/;

/** `header.id` of the plans that schedules make, which the kernel signs for nothing else. */
const FIRING_HEADER = /^firing-[0-9a-f]{64}$/;

/**
 * The task id of a firing: the same schedule, manifest and planned time are always the same task (docs/protocol.md 11).
 *
 * @param manifestSha256 of the manifest as it was registered
 * @param planned whole minutes since 1970
 */
export function firingId(schedule: string, manifestSha256: string, planned: number): string {
  return `s-${digestOf(schedule, manifestSha256, planned)}`;
}

/**
 * The plan of a firing (docs/plan-protocol.md 11): the linked envelope with an id and a time of its own, and the planned time where steps
 * find it. Everything else is as it was registered.
 *
 * @param linked of the execution form
 * @param planSha256 its hash
 * @param planned whole minutes since 1970
 */
export function firingEnvelope(schedule: string, linked: JsonObject, planSha256: string, planned: number): JsonObject {
  const header = objectOf(linked['header']);
  const payload = objectOf(linked['payload']);
  const options = objectOf(payload['options']);
  const context = { ...objectOf(options['context']), schedule: { id: schedule, planned: timeOf(planned) } };
  return {
    ...linked,
    header: { ...header, id: `firing-${digestOf(schedule, planSha256, planned)}`, timestamp: timeOf(planned) },
    payload: { ...payload, options: { ...options, context } },
  };
}

/** Whether an envelope bears the name of a schedule's plan. */
export function isNamedAsFiring(envelope: JsonObject): boolean {
  const { id } = objectOf(envelope['header']);
  return typeof id === 'string' && FIRING_HEADER.test(id);
}

/** What the plan itself says at the place where its schedule is told; `undefined`: nothing. */
export function ownScheduleContext({ payload }: JsonObject): Json | undefined {
  return objectOf(objectOf(objectOf(payload)['options'])['context'])['schedule'];
}

function digestOf(schedule: string, registered: string, planned: number): string {
  return sha256Hex(canonicalJson([schedule, registered, timeOf(planned)]));
}

function timeOf(planned: number): string {
  return new Date(planned * 60_000).toISOString();
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

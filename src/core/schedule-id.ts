import { canonicalJson } from './canonical-json.ts';
import { sha256Hex } from './hash.ts';

/** Task ids that the kernel gives to firings of schedules, and signs for nothing else. */
export const FIRING_ID = /^s-[0-9a-f]{64}$/;

/**
 * The task id of a firing: the same schedule, manifest and planned time are always the same task (docs/protocol.md 11).
 *
 * @param manifestSha256 of the manifest as it was registered
 * @param planned whole minutes since 1970
 */
export function firingId(schedule: string, manifestSha256: string, planned: number): string {
  return `s-${sha256Hex(canonicalJson([schedule, manifestSha256, new Date(planned * 60_000).toISOString()]))}`;
}

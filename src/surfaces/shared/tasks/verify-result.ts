import { CAPABILITY_QUEUE } from '../../../contracts/index.ts';
import type { SignatureReader } from '../../../core/ports/front-door.ts';
import { jobDataOf } from './job-data.ts';
import type { Finished } from './standing.ts';

/**
 * Whether the executor signed this result for this task. A FAILURE does not name its capability, so the known ones are
 * tried: the signature tells which it was.
 */
export async function verifies(taskId: string, standing: Finished, signatures: SignatureReader): Promise<boolean> {
  const manifest = jobDataOf(standing.job)?.manifest;
  const hash = standing.manifestSha256 || jobDataOf(standing.job)?.manifestSha256;
  if (hash === undefined) return false;
  const named = standing.outcome.output?.['capability_id'];
  const candidates = new Set([named, manifest?.capability_id, ...Object.keys(CAPABILITY_QUEUE)].filter((id) => typeof id === 'string'));
  for (const capabilityId of candidates) {
    if (await signatures.verifyResult(standing.result, { taskId, capabilityId, manifestSha256: hash })) return true;
  }
  return false;
}

import { CAPABILITY_QUEUE } from '../../../contracts/index.ts';
import type { SignatureReader } from '../../../core/ports/signatures.ts';
import { jobDataOf } from './job-data.ts';
import type { FinishedTask } from './stored-outcome.ts';

/**
 * Whether the executor signed this result for this task. A FAILURE does not name its capability, so the known ones are
 * tried: the signature tells which it was.
 */
export async function verifies(taskId: string, status: FinishedTask, signatures: SignatureReader): Promise<boolean> {
  const manifest = jobDataOf(status.job)?.manifest;
  const hash = status.manifestSha256 || jobDataOf(status.job)?.manifestSha256;
  if (hash === undefined) return false;
  const named = status.outcome.output?.['capability_id'];
  const candidates = new Set([named, manifest?.capability_id, ...Object.keys(CAPABILITY_QUEUE)].filter((id) => typeof id === 'string'));
  for (const capabilityId of candidates) {
    if (await signatures.verifyResult(status.result, { taskId, capabilityId, manifestSha256: hash })) return true;
  }
  return false;
}

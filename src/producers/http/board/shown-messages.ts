const JOB_ID = /^i_[0-9A-Za-z]{1,64}$/;

/** How many operations an ingest job has; undefined for another job. What they say is nobody's business here. */
export function ingestOperations(jobId: string, data: unknown): { readonly operations: number; readonly stored: boolean } | undefined {
  if (!JOB_ID.test(jobId) || typeof data !== 'object' || data === null || !('ops' in data)) return undefined;
  const { ops } = data;
  if (Array.isArray(ops)) return { operations: ops.length, stored: false };
  return typeof ops === 'number' && Number.isSafeInteger(ops) ? { operations: ops, stored: true } : undefined;
}

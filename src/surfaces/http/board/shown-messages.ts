const JOB_ID = /^i_[0-9A-Za-z]{1,64}$/;

export interface ShownIngest {
  readonly operations: number;
  readonly stored: boolean;
  /** The full text is made anew. */
  readonly rebuild?: true;
  /** Of an import: records that were stored before this job. */
  readonly import_stored?: number;
}

/** How many operations an ingest job has, and what it belongs to; undefined for another job. What they say is nobody's business here. */
export function ingestOperations(jobId: string, data: unknown): ShownIngest | undefined {
  if (!JOB_ID.test(jobId) || typeof data !== 'object' || data === null || !('ops' in data)) return undefined;
  const { ops } = data;
  if (Array.isArray(ops)) return { operations: ops.length, stored: false, ...belonging(ops) };
  return typeof ops === 'number' && Number.isSafeInteger(ops) ? { operations: ops, stored: true } : undefined;
}

function belonging(ops: readonly unknown[]): Pick<ShownIngest, 'rebuild' | 'import_stored'> {
  const kinds = ops.filter((op): op is { readonly op: unknown; readonly items?: unknown } => typeof op === 'object' && op !== null && 'op' in op);
  const stored = kinds.find(({ op }) => op === 'mark')?.items;
  return {
    ...(kinds.some(({ op }) => op === 'rebuild') ? { rebuild: true } : {}),
    ...(typeof stored === 'number' ? { import_stored: stored } : {}),
  };
}

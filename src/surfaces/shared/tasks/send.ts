import { isWritError } from '../../../core/errors.ts';
import type { Enqueue, Grant, KernelClient, LeaseTerms, PushOptions, Receipt } from '../../../core/ports/index.ts';
import type { ParsedTask, Rejection } from '../input/parse-task.ts';

/** What one chunk became: every offer is in exactly one of the lists. */
export interface Sent {
  readonly receipts: readonly (readonly [ParsedTask, Receipt])[];
  readonly rejections: readonly Rejection[];
}

export interface Signed {
  readonly offers: readonly ParsedTask[];
  readonly rejections: readonly Rejection[];
}

/** Asks the kernel for the leases that are missing, all in one request. A lease that came with the task is kept. */
export async function signChunk(chunk: readonly ParsedTask[], kernel: Pick<KernelClient, 'issue'> | undefined, terms: LeaseTerms): Promise<Signed> {
  const bare = chunk.filter(({ job }) => job.lease === undefined);
  if (kernel === undefined || bare.length === 0) return { offers: chunk, rejections: [] };
  const grants = await kernel.issue(
    bare.map(({ job }) => job.manifest),
    terms,
  );
  const grantOf = new Map<ParsedTask, Grant | undefined>(bare.map((offer, at) => [offer, grants[at]]));
  const offers: ParsedTask[] = [];
  const rejections: Rejection[] = [];
  for (const offer of chunk) {
    const grant = grantOf.get(offer);
    if (!grantOf.has(offer)) offers.push(offer);
    else if (grant?.kind === 'granted') offers.push({ ...offer, job: { ...offer.job, lease: grant.lease } });
    else rejections.push(rejection(offer, grant ?? { code: 'KERNEL_UNAVAILABLE', message: 'the kernel did not answer for this task' }));
  }
  return { offers, rejections };
}

/** Pushes one chunk. When a job of it is refused as it stands, the others are pushed one by one. */
export async function sendChunk({ offers, rejections }: Signed, enqueue: Enqueue, options: PushOptions): Promise<Sent> {
  if (offers.length === 0) return { receipts: [], rejections };
  try {
    const receipts = await enqueue.pushMany(
      offers.map(({ job }) => job),
      options,
    );
    return { receipts: offers.flatMap((offer, at) => (receipts[at] ? [[offer, receipts[at]] as const] : [])), rejections };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return oneByOne(offers, rejections, enqueue, options);
  }
}

async function oneByOne(offers: readonly ParsedTask[], before: readonly Rejection[], enqueue: Enqueue, options: PushOptions): Promise<Sent> {
  const receipts: (readonly [ParsedTask, Receipt])[] = [];
  const rejections = [...before];
  for (const offer of offers) {
    try {
      receipts.push([offer, await enqueue.push(offer.job, options)]);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      rejections.push(rejection(offer, error));
    }
  }
  return { receipts, rejections };
}

/** About this one task; every other error is about the system and ends the push. */
function isRefusal(error: unknown): error is Parameters<typeof rejection>[1] {
  return isWritError(error) && (error.code === 'INVALID_MANIFEST' || error.code === 'INVALID_ARGUMENT');
}

function rejection({ line, job }: ParsedTask, { code, message, field }: { code: Rejection['code']; message: string; field?: string | undefined }): Rejection {
  return { line, task_id: job.manifest.task_id, code, message, ...(field === undefined ? {} : { field }) };
}

import type { LeasePayload, TaskJob, TaskManifest } from '../../src/contracts/index.ts';
import { manifestSha256 } from '../../src/core/hash.ts';
import { signLease } from '../../src/lease/index.ts';
import type { SimTask } from './scenario.ts';
import { EPOCH_MS } from './scheduler.ts';
import { cheapEd25519, simKey } from './twins/crypto.ts';

export const KERNEL_KEY = simKey('kernel-1', 'lease');
export const EXECUTOR_KEY = simKey('executor-1', 'result');
export const ISSUER = 'writ-kernel';

/** Two file systems; every task has its own names below them. */
export const DATA = '/data';
export const OTHER = '/other';
export const PROVIDER = 'sim';
export const TOOL_QUEUE = `tool-${PROVIDER}`;

/** A task as it is pushed, and what of the world belongs to it. */
export interface Ticket {
  readonly index: number;
  readonly id: string;
  readonly task: SimTask;
  readonly queue: string;
  readonly manifest: TaskManifest;
  readonly lease: LeasePayload;
  readonly job: TaskJob;
  /** Of file tasks. */
  readonly source: string | undefined;
  readonly destination: string | undefined;
  readonly content: string;
}

export async function ticketOf(task: SimTask, index: number): Promise<Ticket> {
  const id = `task-${index}`;
  const source = `${DATA}/in/${index}.txt`;
  const file = !task.kind.startsWith('tool');
  const base = task.kind.endsWith('across') ? OTHER : DATA;
  const destination = file && task.kind !== 'delete' ? `${base}/out/${index}.txt` : undefined;
  const manifest = manifestOf(task, id, source, destination);
  const iat = Math.floor((EPOCH_MS + task.at) / 1000);
  const queue = file ? 'file' : TOOL_QUEUE;
  const lease: LeasePayload = {
    v: 1,
    iss: ISSUER,
    aud: queue,
    jti: `lease-${index}`,
    task_id: id,
    capability_id: manifest.capability_id,
    manifest_sha256: manifestSha256(manifest),
    iat,
    exp: iat + task.ttlS,
  };
  const job: TaskJob = { v: 1, manifest, lease: await signLease(lease, KERNEL_KEY, cheapEd25519) };
  return { index, id, task, queue, manifest, lease, job, source: file ? source : undefined, destination, content: `the content of ${id}` };
}

function manifestOf({ kind }: SimTask, id: string, source: string, destination: string | undefined): TaskManifest {
  const head = { task_id: id, constraints: {} };
  if (kind === 'tool-none' || kind === 'tool-once') {
    return { ...head, capability_id: 'TOOL_CALL', inputs: { tool: 'sim.tool', operation: kind === 'tool-once' ? 'once' : 'none', params: {} } };
  }
  if (kind === 'delete') return { ...head, capability_id: 'FILE_DELETE', inputs: { source_path: source }, constraints: { reversible: true } };
  const capability = kind.startsWith('copy') ? 'FILE_COPY' : 'FILE_MOVE';
  return { ...head, capability_id: capability, inputs: { source_path: source, destination_path: destination } };
}

import { Readable, Writable } from 'node:stream';
import { inlineEd25519, nodeEd25519 } from '../../../../src/adapters/crypto/index.ts';
import { createMemoryLedger } from '../../../../src/adapters/memory/ledger.ts';
import { createMemoryChannels } from '../../../../src/adapters/memory/signals.ts';
import { LeasePayload, type TaskJob, type TaskManifest } from '../../../../src/contracts/index.ts';
import { GENESIS, sealRecord } from '../../../../src/core/audit-chain.ts';
import { WritError } from '../../../../src/core/errors.ts';
import { manifestSha256 } from '../../../../src/core/hash.ts';
import { failure, type Outcome, success } from '../../../../src/core/outcome.ts';
import type { AuditLog, Enqueue, JobState, KernelDoor, OperatorRecord, Receipt, SignatureReader, TaskDoor } from '../../../../src/core/ports/index.ts';
import { authenticateLease, createResultSigner, fixedKeyring, generateKey, signingKey, signLease, verifyResult } from '../../../../src/lease/index.ts';
import { runCli } from '../../../../src/producers/cli/program.ts';
import type { CliDeps, CliServices } from '../../../../src/producers/cli/services.ts';

/** What one command line said. */
export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** stdout as JSON lines. */
  readonly lines: readonly Record<string, unknown>[];
}

/** Queues, ledger, kernel and clock in memory, with real signatures. */
export interface World {
  readonly tasks: TaskDoor;
  readonly clock: { ms: number; now(): number; monotonic(): number };
  manifest(taskId: string, changes?: Partial<TaskManifest>): TaskManifest;
  lease(manifest: TaskManifest, ttlS?: number): Promise<string>;
  /** Pushes with a lease. */
  push(manifest: TaskManifest, ttlS?: number): Promise<Receipt>;
  /** What a worker does: claim, record, settle. */
  work(taskId: string, outcome?: Outcome): Promise<void>;
  /** Claims and stops there. */
  begin(taskId: string): Promise<void>;
  /** A refusal before the claim. */
  refuse(taskId: string, outcome: Outcome): Promise<void>;
  /** BullMQ forgets the job. */
  forget(taskId: string): void;
  readonly asked: { issue: number; regrant: number; undo: { taskId: string; earlierUndos: number }[]; revoked: unknown[]; pushed: string[][] };
  /** Called after every push, for workers that answer at once. */
  onPush: ((taskId: string) => void) | undefined;
  interrupt: AbortController;
  /** What the command line wrote down about itself. */
  readonly audit: OperatorRecord[];
  cli(args: readonly string[], input?: string | AsyncIterable<Uint8Array>, changes?: Partial<CliServices>): Promise<Said>;
}

interface StoredJob {
  job: TaskJob;
  state: JobState;
  failedReason: string | undefined;
}

const ISSUER = 'writ-kernel';

export async function createWorld(): Promise<World> {
  const clock = { ms: Date.parse('2026-01-01T00:00:00Z'), now: () => clock.ms, monotonic: () => clock.ms };
  const channels = createMemoryChannels();
  const ledger = createMemoryLedger({ clock, channels, retentionMs: 86_400_000 });
  await ledger.markGeneration('g');
  const ed25519 = inlineEd25519(nodeEd25519());
  const kernelKey = signingKey(generateKey({ use: 'lease', capabilities: ['*'] }));
  const executorKey = signingKey(generateKey({ use: 'result', capabilities: ['*'] }));
  const signer = createResultSigner(executorKey, ed25519);
  const jobs = new Map<string, StoredJob>();
  const leased = new Map<string, TaskManifest>();
  const records: OperatorRecord[] = [];
  const audit: AuditLog = {
    async append(action) {
      const record = sealRecord(records.at(-1) ?? GENESIS, action, clock.now());
      records.push(record);
      return record;
    },
  };
  const asked: World['asked'] = { issue: 0, regrant: 0, undo: [], revoked: [], pushed: [] };

  const push = async (job: TaskJob): Promise<Receipt> => {
    const taskId = job.manifest.task_id;
    const place = { taskId, queue: 'file', jobId: `t_${taskId}` };
    if (JSON.stringify(job).length > 200_000) throw new WritError('INVALID_MANIFEST', 'the job is too large');
    const row = await ledger.row(taskId);
    const known = jobs.get(taskId);
    const sha = manifestSha256(job.manifest);
    if (row && row.manifestSha256 !== '' && row.manifestSha256 !== sha) return { kind: 'conflict', taskId };
    if (row?.state === 'success') return { kind: 'finished', taskId, result: row.result ?? '' };
    if (known && known.state !== 'failed') return { kind: 'in-flight', ...place };
    jobs.set(taskId, { job, state: 'waiting', failedReason: undefined });
    world.onPush?.(taskId);
    return { kind: known ? 'retried' : 'accepted', ...place };
  };
  const enqueue: Enqueue = {
    push,
    async pushMany(many) {
      asked.pushed.push(many.map(({ manifest }) => manifest.task_id));
      const receipts: Receipt[] = [];
      for (const job of many) receipts.push(await push(job));
      return receipts;
    },
    async retry(taskId, { lease } = {}) {
      const known = jobs.get(taskId);
      if (!known) return { kind: 'not-found' };
      if (known.state !== 'failed') return { kind: 'wrong-state', state: known.state };
      jobs.set(taskId, { job: { ...known.job, ...(lease === undefined ? {} : { lease }) }, state: 'waiting', failedReason: undefined });
      world.onPush?.(taskId);
      return { kind: 'retried' };
    },
    async jobState(taskId) {
      const known = jobs.get(taskId);
      return (
        known && {
          queue: 'file',
          jobId: `t_${taskId}`,
          state: known.state,
          data: known.job,
          failedReason: known.failedReason,
          attemptsMade: 0,
          addedAt: clock.now(),
        }
      );
    },
  };
  const tasks: TaskDoor = { enqueue, ledger, signals: channels, journal: undefined };

  const lease: World['lease'] = (manifest, ttlS = 3600) => {
    const iat = Math.floor(clock.now() / 1000);
    const { task_id, capability_id } = manifest;
    leased.set(task_id, manifest);
    const payload: LeasePayload = {
      v: 1,
      iss: ISSUER,
      aud: 'file',
      jti: `jti-${task_id}`,
      task_id,
      capability_id,
      manifest_sha256: manifestSha256(manifest),
      iat,
      exp: iat + ttlS,
    };
    return signLease(payload, kernelKey, ed25519);
  };
  const kernel: KernelDoor = {
    async issue(manifests, { ttlS, confirmedBy }) {
      asked.issue += 1;
      return Promise.all(
        manifests.map(async (manifest) => {
          if (manifest.constraints.hrc_required === true && confirmedBy === undefined)
            return { kind: 'refused', code: 'HRC_REQUIRED', message: 'needs a person' } as const;
          return { kind: 'granted', lease: await lease(manifest, ttlS) } as const;
        }),
      );
    },
    async regrant(manifest) {
      asked.regrant += 1;
      return lease(manifest);
    },
    async undo({ manifest, earlierUndos }) {
      asked.undo.push({ taskId: manifest.task_id, earlierUndos });
      const undo = world.manifest(`undo-${manifest.task_id}-${earlierUndos}`, { provenance: { undo_of: manifest.task_id } });
      return { v: 1, manifest: undo, lease: await lease(undo) };
    },
    async revoke(given) {
      asked.revoked.push(given);
      return { n: 7, jti: typeof given === 'string' ? 'jti-of-token' : given.jti, published: true };
    },
    leasedManifest: async (taskId) => leased.get(taskId),
    ping: async () => undefined,
  };
  const signatures: SignatureReader = {
    peek: (token) => {
      try {
        return LeasePayload.safeParse(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())).data;
      } catch {
        return undefined;
      }
    },
    async readLease(token, manifest) {
      const claimed = signatures.peek(token);
      if (!claimed) return { ok: false, message: 'this is no lease' };
      const expected = manifest ? { manifest, manifestSha256: manifestSha256(manifest) } : { manifest: claimed, manifestSha256: claimed.manifest_sha256 };
      const answer = await authenticateLease(token, { ...expected, aud: claimed.aud, iss: ISSUER }, { keyring: fixedKeyring([kernelKey]), ed25519 });
      return answer.ok ? { ok: true, payload: answer.lease, kid: answer.authority.kid } : answer;
    },
    revocationOf: async (jti) => (jti === 'jti-revoked' ? 3 : undefined),
    verifyResult: async (result, about) => (await verifyResult(result, about, { keyring: fixedKeyring([executorKey]), ed25519 })).ok,
  };

  const claim = async (taskId: string): Promise<number> => {
    const stored = jobs.get(taskId);
    if (!stored) throw new Error(`no job of ${taskId}`);
    stored.state = 'active';
    const request = {
      taskId,
      manifestSha256: manifestSha256(stored.job.manifest),
      jobKey: `file:t_${taskId}`,
      instance: 'w1',
      exp: 4_000_000_000,
      now: clock.now(),
    };
    const answer = await ledger.claim(request);
    if (!('epoch' in answer)) throw new Error(`claim answered ${answer.kind}`);
    return answer.kind === 'cancelled' ? -answer.epoch : answer.epoch;
  };
  const end = (taskId: string, outcome: Outcome): void => {
    const stored = jobs.get(taskId);
    if (!stored) return;
    stored.state = outcome.status === 'SUCCESS' ? 'completed' : 'failed';
    stored.failedReason = outcome.error === null ? undefined : `${outcome.error.error_code}: ${outcome.error.message}`;
  };

  const world: World = {
    tasks,
    clock,
    asked,
    onPush: undefined,
    interrupt: new AbortController(),
    audit: records,
    manifest: (task_id, changes = {}) => ({
      task_id,
      capability_id: 'FILE_COPY',
      inputs: { source_path: '/b/s', destination_path: '/b/d' },
      constraints: {},
      ...changes,
    }),
    lease,
    push: async (manifest, ttlS) => push({ v: 1, manifest, lease: await lease(manifest, ttlS) }),
    async work(taskId, given) {
      const epoch = await claim(taskId);
      const stored = jobs.get(taskId);
      if (!stored) return;
      const { manifest } = stored.job;
      const outcome =
        epoch < 0
          ? failure('EXECUTION_FAILED', 'cancelled')
          : (given ?? success({ task_id: taskId, capability_id: manifest.capability_id, result_summary: {} }));
      const result = await signer.sign(manifest, manifestSha256(manifest), outcome);
      await ledger.record({ taskId, epoch: Math.abs(epoch), status: outcome.status, errorCode: outcome.error?.error_code, result, now: clock.now() });
      end(taskId, outcome);
    },
    async begin(taskId) {
      await claim(taskId);
    },
    async refuse(taskId, outcome) {
      const stored = jobs.get(taskId);
      if (!stored) throw new Error(`no job of ${taskId}`);
      await ledger.refuse(taskId, `file:t_${taskId}`, await signer.sign(stored.job.manifest, manifestSha256(stored.job.manifest), outcome));
      end(taskId, outcome);
    },
    forget: (taskId) => void jobs.delete(taskId),
    async cli(args, input = '', changes = {}) {
      const stdout = sink();
      const stderr = sink();
      const stdin = typeof input === 'string' ? Readable.from([Buffer.from(input)]) : Readable.from(input);
      const services: CliServices = {
        dataDir: '/data',
        maxTtlS: 100,
        regrantByDefault: true,
        showPath: (base, segments) => [`/${base}`, ...segments].join('/'),
        tasks: async () => tasks,
        kernel: async () => kernel,
        signatures: async () => signatures,
        status: unavailable,
        vault: unavailable,
        diagnose: unavailable,
        rebuildLedger: unavailable,
        initialise: unavailable,
        makeKey: unavailable,
        who: 'tester',
        audit: async () => audit,
        auditReader: () => ({ verify: unavailable, records: () => ({ [Symbol.asyncIterator]: () => ({ next: unavailable }) }) }),
        access: {
          keys: unavailable,
          links: unavailable,
          apiUrl: () => 'http://127.0.0.1:1',
          secretFile: (name) => `/data/keys/${name}.key`,
          assertNew: unavailable,
          keepSecret: unavailable,
        },
        [Symbol.asyncDispose]: async () => undefined,
        ...changes,
      };
      const deps: CliDeps = {
        version: '9.9.9',
        io: {
          stdin,
          stdout: stdout.stream,
          stderr: stderr.stream,
          async openFile(path) {
            if (path !== 'input') throw new WritError('INVALID_ARGUMENT', `there is no file ${path}`);
            return { stream: stdin as AsyncIterable<Uint8Array>, bytes: undefined };
          },
        },
        clock,
        open: async () => services,
        roles: { up: async () => 0, api: async () => 0, worker: async (_options, { queues }) => queues?.length ?? 0, kernel: async () => 3 },
        interrupted: () => world.interrupt.signal,
      };
      const code = await runCli(args, deps);
      const out = stdout.text();
      return {
        code,
        out,
        err: stderr.text(),
        lines: args.includes('--json')
          ? out
              .split('\n')
              .filter(Boolean)
              .map((line) => JSON.parse(line) as Record<string, unknown>)
          : [],
      };
    },
  };
  return world;
}

function unavailable(): Promise<never> {
  throw new WritError('REDIS_UNAVAILABLE', 'Redis does not answer');
}

function sink(): { stream: Writable; text(): string } {
  const parts: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      parts.push(chunk.toString());
      done();
    },
  });
  return { stream, text: () => parts.join('') };
}

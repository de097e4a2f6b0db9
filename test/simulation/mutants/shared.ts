import type { Outcome } from '../../../src/core/outcome.ts';
import type { ResultReader } from '../../../src/core/ports/index.ts';
import type { Seams } from '../seams.ts';
import { executorWith, type Mutant } from './mutant.ts';

/** What hosts share: who lives, who may, the ledger and the queue. */
export const SHARED_MUTANTS: readonly Mutant[] = [
  // Fencing
  { name: 'the process behind an intent is taken for dead', seams: { instances: (instances) => ({ ...instances, ensureDead: async () => true }) } },
  { name: 'the process behind an intent is never taken for dead', seams: { instances: (instances) => ({ ...instances, ensureDead: async () => false }) } },
  {
    name: 'nobody counts as alive',
    seams: {
      deps: (deps) => ({ ...deps, presence: { ...deps.presence, isAlive: async () => false } }),
      instances: (instances) => ({ ...instances, ensureDead: async () => true }),
    },
  },
  {
    name: 'everybody counts as alive',
    seams: { deps: (deps) => ({ ...deps, presence: { beat: async () => undefined, gone: async () => undefined, isAlive: async () => true } }) },
  },

  // Authority
  {
    name: 'the gate is always open',
    seams: executorWith((executor) => ({ execute: (task, run) => executor.execute(task, { ...run, gate: () => undefined }) })),
  },
  {
    name: 'leases do not expire and are not revoked',
    seams: { deps: (deps) => ({ ...deps, authorities: { ...deps.authorities, authorize: () => undefined } }) },
  },
  { name: 'revocations are not looked for', seams: { deps: (deps) => ({ ...deps, authorities: { ...deps.authorities, refresh: async () => undefined } }) } },
  { name: 'every stored result is believed', seams: { deps: (deps) => ({ ...deps, results: CREDULOUS }) } },

  // Ledger
  { name: 'a lost ledger is not rebuilt', seams: { deps: (deps) => ({ ...deps, recoverLedger: async () => undefined }) } },
  { name: 'takeovers are not counted', seams: { ledger: (ledger) => ({ ...ledger, claim: async (request) => uncounted(await ledger.claim(request)) }) } },
  { name: 'takeovers are counted twice', seams: { ledger: (ledger) => ({ ...ledger, claim: async (request) => countedTwice(await ledger.claim(request)) }) } },
  { name: 'neither epoch nor owner of a record is looked at', seams: { ledger: withoutEpochs } },
  {
    name: 'the owner of a claim is not looked at, and epochs begin anew after a loss of Redis',
    seams: {
      ledger: (ledger) => ({
        ...ledger,
        record: ({ owner: _owner, ...request }) => ledger.record(request),
        release: (taskId, epoch, why) => ledger.release(taskId, epoch, why),
      }),
    },
  },
  {
    name: 'a count that only Redis has is told as a fact',
    seams: { deps: (deps) => ({ ...deps, signer: { ...deps.signer, sign: (manifest, sha, outcome) => deps.signer.sign(manifest, sha, asFact(outcome)) } }) },
  },
  { name: 'a stored result that does not verify is not discarded', seams: { ledger: (ledger) => ({ ...ledger, discard: async () => undefined }) } },

  // Queue
  {
    name: 'nobody looks for stalled jobs',
    seams: { openWorker: (open) => (queue, handle, options) => open(queue, handle, { ...options, stalledInterval: 10_000_000 }) },
  },
  {
    name: 'the delay of a busy job is for ever',
    seams: {
      openWorker: (open) => (queue, handle, options) =>
        open(queue, (job, token) => handle({ ...job, moveToDelayed: (at: number) => job.moveToDelayed(at + 3_600_000) } as typeof job, token), options),
    },
  },
  { name: 'nobody looks for jobs that wrong clocks keep delayed', seams: { looksForLate: false } },
  {
    name: 'locks are not renewed',
    seams: { openWorker: (open) => (queue, handle, options) => open(queue, handle, { ...options, lockRenewTime: 10_000_000 }) },
  },
];

/** Reads whatever stands there. */
const CREDULOUS: ResultReader = {
  async read(text, { manifestSha256s, capabilityId, likely = '' }) {
    return { outcome: JSON.parse(text), manifestSha256: manifestSha256s[0] ?? '', capabilityId: capabilityId ?? likely };
  },
};

function asFact(outcome: Outcome): Outcome {
  if (outcome.status === 'SUCCESS') return outcome;
  return { ...outcome, error: { ...outcome.error, message: outcome.error.message.replace('by the count in Redis, ', '') } };
}

type Claimed = Awaited<ReturnType<Parameters<NonNullable<Seams['ledger']>>[0]['claim']>>;

function uncounted(answer: Claimed): Claimed {
  return answer.kind === 'takeover' ? { kind: 'new', epoch: answer.epoch } : answer;
}

function countedTwice(answer: Claimed): Claimed {
  return answer.kind === 'takeover' ? { ...answer, takeovers: 2 * answer.takeovers } : answer;
}

/** Records under whatever epoch the row has, whoever has claimed it. */
function withoutEpochs(ledger: Parameters<NonNullable<Seams['ledger']>>[0]): typeof ledger {
  return {
    ...ledger,
    async record({ owner: _owner, ...request }) {
      const row = await ledger.row(request.taskId);
      return ledger.record({ ...request, epoch: row?.epoch ?? request.epoch });
    },
  };
}

import type { PlanDeps } from '../../processors/plan/context.ts';
import type { Slots } from '../../processors/slots.ts';
import { BOUNDS } from '../../src/contracts/index.ts';
import { WritError } from '../../src/core/errors.ts';
import { success } from '../../src/core/outcome.ts';
import type {
  ConfinedDirectory,
  ConfinedFile,
  ConfinedFileSystem,
  FsResult,
  HostMemory,
  PlanJournal,
  ResultReader,
  TaskExecutor,
} from '../../src/core/ports/index.ts';
import type { Seams } from './seams.ts';

/** A fault in the protocol, put in between two parts of the product. Every one of them must be found. */
export interface Mutant {
  /** What is wrong, in the words of a change that somebody might make. */
  readonly name: string;
  readonly seams: Seams;
}

type Directory = (directory: ConfinedDirectory) => ConfinedDirectory;
type File = (file: ConfinedFile) => ConfinedFile;

/** A file system whose directories and files are other ones. */
function fileSystemWith(directory: Directory, file: File = (same) => same): Pick<Seams, 'fileSystem'> {
  const wrapped = new WeakMap<ConfinedDirectory, ConfinedDirectory>();
  const opened = <T>(result: FsResult<T>, wrap: (value: T) => T): FsResult<T> => (result.ok ? { ok: true, value: wrap(result.value) } : result);
  const wrap = (inner: ConfinedDirectory): ConfinedDirectory => {
    const outer = directory({
      ...inner,
      openFile: async (name) => opened(await inner.openFile(name), file),
      createFile: async (name) => opened(await inner.createFile(name), file),
    });
    wrapped.set(outer, inner);
    return outer;
  };
  return {
    fileSystem: (inner): ConfinedFileSystem => ({
      ...inner,
      async openBase(id, path) {
        const base = await inner.openBase(id, path);
        return { ...base, directory: async (segments) => opened(await base.directory(segments), wrap) };
      },
    }),
  };
}

const DONE = { ok: true, value: undefined } as const;

function executorWith(change: (executor: TaskExecutor) => Partial<TaskExecutor>): Pick<Seams, 'executor'> {
  return { executor: (executor) => ({ ...executor, ...change(executor) }) };
}

function memoryWith(change: (memory: HostMemory) => Partial<HostMemory>): Pick<Seams, 'executor'> {
  return executorWith((executor) => (executor.memory === undefined ? {} : { memory: { ...executor.memory, ...change(executor.memory) } }));
}

export const MUTANTS: readonly Mutant[] = [
  // Durability
  { name: 'the intent is answered before it is synced', seams: { unsynced: { file: ['open'] } } },
  { name: 'the end of an attempt is answered before it is synced', seams: { unsynced: { file: ['close'] } } },
  { name: 'the intent of a once request is answered before it is synced', seams: { unsynced: { tool: ['open', 'close'] } } },
  { name: 'directories are not synced', seams: fileSystemWith((directory) => ({ ...directory, sync: async () => DONE })) },
  { name: 'only the vaults and what is not called in are synced', seams: { disk: (disk) => unsyncedBelow(disk, '/in') } },
  { name: 'the destination is not synced', seams: { disk: (disk) => unsyncedBelow(disk, '/out') } },
  {
    name: 'a copy is not synced before it is published',
    seams: fileSystemWith(
      (same) => same,
      (file) => ({ ...file, sync: async () => DONE }),
    ),
  },

  // Order
  {
    name: 'the ledger is told before the journal is closed',
    seams: {
      ...memoryWith((memory) => ({
        async conclude(task, status, result) {
          LATER.set(task.manifest.task_id, () => memory.conclude(task, status, result));
        },
      })),
      ledger: (ledger) => ({
        ...ledger,
        async record(request) {
          const answer = await ledger.record(request);
          await LATER.get(request.taskId)?.();
          LATER.delete(request.taskId);
          return answer;
        },
      }),
    },
  },
  {
    name: 'the marker of the generation is set before the rows are restored',
    seams: {
      ledger: (ledger) => ({
        ...ledger,
        async restore(rows, now) {
          await ledger.markGeneration('early');
          await new Promise((resolve) => setTimeout(resolve, 400));
          await ledger.restore(rows, now);
        },
      }),
      ...memoryWith(() => ({ recall: async () => ({ kind: 'unknown' }) })),
    },
  },

  // Memory
  { name: 'the journal is not asked what it remembers', seams: memoryWith(() => ({ recall: async () => ({ kind: 'unknown' }) })) },
  {
    name: 'an open intent is not recovered but run anew',
    seams: executorWith((executor) =>
      executor.memory === undefined ? {} : { memory: { ...executor.memory, recover: (task, run) => executor.execute(task, run) } },
    ),
  },
  { name: 'the end of an attempt is not written', seams: memoryWith(() => ({ conclude: async () => undefined })) },
  {
    name: 'no intent is written for a file',
    seams: { fileJournal: (journal) => ({ ...journal, open: async () => ({ kind: 'opened', n: 1 }), close: async () => undefined }) },
  },
  { name: 'no intent is written for a once request', seams: { toolJournal: withoutIntents } },
  { name: 'the seal is not written', seams: { fileJournal: (journal) => ({ ...journal, seal: async () => undefined }) } },
  {
    name: 'a recovered failure counts as a success of the journal',
    seams: memoryWith((memory) => ({ conclude: (task, _status, result) => memory.conclude(task, 'SUCCESS', result) })),
  },

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
  { name: 'the epoch of a record is not looked at', seams: { ledger: withoutEpochs } },
  { name: 'a stored result that does not verify is not discarded', seams: { ledger: (ledger) => ({ ...ledger, discard: async () => undefined }) } },

  // File system
  { name: 'a rename replaces what stands there', seams: fileSystemWith(replacing) },
  {
    name: 'a link that was made is not unlinked at its source',
    seams: fileSystemWith((directory) => ({ ...directory, unlink: async (name) => (name.startsWith('.writ-') ? directory.unlink(name) : DONE) })),
  },

  // Tools and plans
  { name: 'a once request that was sent is written down as unsent', seams: { toolJournal: unsent } },
  { name: 'a plan is not woken by the answer to its step', seams: { deps: (deps) => ({ ...deps, wakePlan: async () => undefined }) } },
  { name: 'nobody looks for plans whose jobs are lost', seams: { sweeps: false } },

  // Findings that were mended: each mend is taken back
  { name: 'A1: the answer of a tool is not judged before it is signed', seams: executorWith(unjudged) },
  { name: 'A3: jobs that wait for the end of their task are not woken', seams: { promote: () => async () => 0 } },
  { name: 'A5: an answer is read only in the form in which its tool is bound now', seams: { plan: oneForm } },
  {
    name: 'A6: crashes are counted as lost workers',
    seams: { ledger: (ledger) => ({ ...ledger, claim: async (request) => countedAsLost(await ledger.claim(request)) }) },
  },
  {
    name: 'A6: an outage is counted as a crash',
    seams: { ledger: (ledger) => ({ ...ledger, release: (taskId, epoch) => ledger.release(taskId, epoch, 'crashed') }) },
  },
  {
    name: "A8: a plan's crash costs the more the more steps it has had",
    seams: { plan: (deps) => ({ ...deps, faults: { ...deps.faults, note: (id, error) => ({ ...deps.faults.note(id, error), inRow: 5 }) } }) },
  },
  { name: "A8: a raw producer's plan is not woken by its end", seams: { plan: (deps) => ({ ...deps, promote: async () => 0 }) } },

  // Resident walks and steps without a job
  {
    name: 'a step without a job does not claim its task',
    seams: { localDeps: (deps) => ({ ...deps, ledger: { ...deps.ledger, claim: async () => ({ kind: 'new', epoch: 1 }) } }) },
  },
  { name: 'a step begins before the answer that it follows from is on disk', seams: { planJournal: written50MsLater } },
  {
    name: 'a walk that waits for its step never parks',
    seams: { plan: (deps) => ({ ...deps, ...(deps.residents && { residents: { ...deps.residents, hear: () => new Promise(() => undefined) } }) }) },
  },
  { name: 'a step without a job does not give its slot back', seams: { slots: keptByLocalSteps } },
  {
    name: 'a step without a job runs on when its plan is parked, and nobody asks whether it lives',
    seams: { local: (local) => ({ ...local, isHeld: async () => false }) },
  },
  { name: 'steps without a job take no slots', seams: { slots: (slots) => ({ ...slots, tryTake: () => true, give: () => undefined, take: () => undefined }) } },

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
  {
    name: 'locks are not renewed',
    seams: { openWorker: (open) => (queue, handle, options) => open(queue, handle, { ...options, lockRenewTime: 10_000_000 }) },
  },
];

/** Reads whatever stands there. */
const CREDULOUS: ResultReader = {
  async read(text, { manifestSha256s }) {
    return { outcome: JSON.parse(text), manifestSha256: manifestSha256s[0] ?? '' };
  },
};

/** Answers before the entry is written. */
function written50MsLater(journal: PlanJournal): PlanJournal {
  const append: PlanJournal['append'] = async (planSha256, entry, now) => {
    setTimeout(() => void journal.append(planSha256, entry, now).catch(() => undefined), 50);
    return { ...entry, voided: false };
  };
  return new Proxy(journal, { get: (target, key, receiver) => (key === 'append' ? append : (Reflect.get(target, key, receiver) as unknown)) });
}

function keptByLocalSteps(slots: Slots): Slots {
  let kept = 0;
  return {
    ...slots,
    tryTake() {
      const taken = slots.tryTake();
      kept += Number(taken);
      return taken;
    },
    give() {
      if (kept === 0) return slots.give();
      kept -= 1;
    },
  };
}

const LATER = new Map<string, () => Promise<void>>();

function unsent<T extends { close(...args: never[]): unknown }>(journal: T): T {
  return new Proxy(journal, {
    get(target, key, receiver) {
      const value: unknown = Reflect.get(target, key, receiver);
      if (key !== 'close' || typeof value !== 'function') return value;
      return (taskId: string, n: number, end: object, now: number) => Reflect.apply(value, target, [taskId, n, { ...end, sent: false }, now]) as unknown;
    },
  });
}

function withoutIntents<T extends { open: unknown; close: unknown; withdraw: unknown }>(journal: T): T {
  return new Proxy(journal, {
    get(target, key, receiver) {
      if (key === 'open') return async () => ({ kind: 'opened', n: 1 });
      if (key === 'close' || key === 'withdraw') return async () => undefined;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
}

function unsyncedBelow(disk: { sync(directory: { readonly label: string }): void }, part: string): void {
  const sync = disk.sync.bind(disk);
  disk.sync = (directory) => {
    if (!directory.label.includes(part)) sync(directory);
  };
}

/** What a result has no room for is a SUCCESS all the same. */
function unjudged(executor: TaskExecutor): Partial<TaskExecutor> {
  return {
    async execute(task, run) {
      const end = await executor.execute(task, run);
      const isTooLarge = end.kind === 'outcome' && end.outcome.error?.message.includes('a result has room for');
      return isTooLarge ? { kind: 'outcome', outcome: success({ data: { said: 'x'.repeat(BOUNDS.result) } }) } : end;
    },
  };
}

/** The kernel refuses the answers that a step got while its tool was not bound. */
function oneForm(deps: PlanDeps): PlanDeps {
  const isOther = ({ result }: { readonly result: string }): boolean => result.includes('TOOL_UNAVAILABLE') && deps.bindings('files') !== undefined;
  return {
    ...deps,
    kernel: {
      async derive(request) {
        if ([...request.answers, ...request.voided].some(isOther)) throw new WritError('INVALID_RESULT', 'the answer was not signed for this step');
        return deps.kernel.derive(request);
      },
    },
  };
}

type Claimed = Awaited<ReturnType<Parameters<NonNullable<Seams['ledger']>>[0]['claim']>>;

function uncounted(answer: Claimed): Claimed {
  return answer.kind === 'takeover' ? { kind: 'new', epoch: answer.epoch } : answer;
}

function countedAsLost(answer: Claimed): Claimed {
  if (!('crashes' in answer) || answer.crashes === undefined) return answer;
  return { kind: 'takeover', epoch: answer.epoch, takeovers: answer.crashes + (answer.kind === 'takeover' ? answer.takeovers : 0) };
}

function countedTwice(answer: Claimed): Claimed {
  return answer.kind === 'takeover' ? { ...answer, takeovers: 2 * answer.takeovers } : answer;
}

/** Records under whatever epoch the row has. */
function withoutEpochs(ledger: Parameters<NonNullable<Seams['ledger']>>[0]): typeof ledger {
  return {
    ...ledger,
    async record(request) {
      const row = await ledger.row(request.taskId);
      return ledger.record({ ...request, epoch: row?.epoch ?? request.epoch });
    },
  };
}

function replacing(directory: ConfinedDirectory): ConfinedDirectory {
  return {
    ...directory,
    async renameNoReplace(name, to, toName) {
      const moved = await directory.renameNoReplace(name, to, toName);
      if (moved.ok || moved.refusal !== 'exists') return moved;
      await to.unlink(toName);
      return directory.renameNoReplace(name, to, toName);
    },
  };
}

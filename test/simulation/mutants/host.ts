import type { ConfinedDirectory, ConfinedFileSystem } from '../../../src/core/ports/index.ts';
import type { World } from '../world.ts';
import { DONE, executorWith, fileSystemWith, type Mutant, memoryWith } from './mutant.ts';

/** What a host does with its disk, its journals and its memory. */
export const HOST_MUTANTS: readonly Mutant[] = [
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
      ...memoryWith((memory, { world }) => ({
        async conclude(task, status, result) {
          laterIn(world).set(task.manifest.task_id, () => memory.conclude(task, status, result));
        },
      })),
      ledger: (ledger, { world }) => ({
        ...ledger,
        async record(request) {
          const answer = await ledger.record(request);
          await laterIn(world).get(request.taskId)?.();
          laterIn(world).delete(request.taskId);
          return answer;
        },
      }),
    },
  },
  {
    name: 'the marker of the generation is set before the rows are restored',
    seams: {
      ledger: (ledger, { world, process }) => ({
        ...ledger,
        async restore(rows, now) {
          await ledger.markGeneration('early');
          await world.wait(process, 400);
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

  // File system
  { name: 'nobody looks whether the path of a base directory leads to it still', seams: { fileSystem: unseenExchange } },
  { name: 'a rename replaces what stands there', seams: fileSystemWith(replacing) },
  {
    name: 'a link that was made is not unlinked at its source',
    seams: fileSystemWith((directory) => ({ ...directory, unlink: async (name) => (name.startsWith('.writ-') ? directory.unlink(name) : DONE) })),
  },
];

type Later = Map<string, () => Promise<void>>;

/** What is written into the journal when the ledger has answered, of each history. */
const LATER = new WeakMap<World, Later>();

function laterIn(world: World): Later {
  const later = LATER.get(world) ?? new Map();
  LATER.set(world, later);
  return later;
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

function unseenExchange(fileSystem: ConfinedFileSystem): ConfinedFileSystem {
  return { ...fileSystem, openBase: async (id, path) => ({ ...(await fileSystem.openBase(id, path)), standing: () => ({ same: true }) }) };
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

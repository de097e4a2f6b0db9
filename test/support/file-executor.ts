import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createConfinedFileSystem } from '../../src/adapters/linux/confined-fs/index.ts';
import { createInstanceRegistry, type LinuxInstanceRegistry } from '../../src/adapters/linux/instances.ts';
import { createFileJournal, type SqliteFileJournal } from '../../src/adapters/sqlite/journal/journal.ts';
import type { TaskManifest } from '../../src/contracts/index.ts';
import { systemClock } from '../../src/core/clock.ts';
import { manifestSha256 } from '../../src/core/hash.ts';
import type { Execution, Outcome } from '../../src/core/outcome.ts';
import type { ConfinedFileSystem, RunContext, Task } from '../../src/core/ports/index.ts';
import { createFileExecutor, type FileExecutor, type FileExecutorOptions } from '../../src/executors/file/index.ts';

/** The file executor over its real adapters, in temporary directories of its own. */
export interface FileRig {
  readonly directory: string;
  /** Two base directories on one file system, and one (`far`) on another. */
  readonly near: string;
  readonly next: string;
  readonly far: string;
  readonly journal: SqliteFileJournal;
  readonly instances: LinuxInstanceRegistry;
  readonly fileSystem: ConfinedFileSystem;
  /** A started executor over the same journal. */
  executor(options?: Partial<FileExecutorOptions>): Promise<FileExecutor>;
  close(): Promise<void>;
}

export const ALL_FILESYSTEMS = ['ext4', 'xfs', 'btrfs', 'tmpfs', 'overlay', 'zfs', 'f2fs'];

/** @param roots two directories on different file systems; the journal lies beside `near` */
export async function createFileRig(roots = { near: tmpdir(), far: '/dev/shm' }): Promise<FileRig> {
  const directory = mkdtempSync(path.join(roots.near, 'writ-file-'));
  const far = mkdtempSync(path.join(roots.far, 'writ-file-'));
  const [near, next] = [path.join(directory, 'near'), path.join(directory, 'next')];
  for (const base of [near, next]) await mkdir(base);
  const journal = createFileJournal({ file: path.join(directory, 'journal.sqlite') });
  const instances = createInstanceRegistry({ directory: path.join(directory, 'workers') });
  await Promise.all([journal.start(), instances.start()]);
  const fileSystem = createConfinedFileSystem({ level: 'auto', allowedFilesystems: ALL_FILESYSTEMS });
  const executors: FileExecutor[] = [];

  return {
    directory,
    near,
    next,
    far,
    journal,
    instances,
    fileSystem,
    async executor(options = {}) {
      const executor = createFileExecutor({
        bases: [
          { id: 'near', path: near },
          { id: 'next', path: next },
          { id: 'far', path: far },
        ],
        fileSystem,
        journal,
        instances,
        limits: { maxRunMs: 60_000, maxBytes: 1024 ** 3, hashMaxBytes: 1024 ** 3, vaultQuotaBytes: 1024 ** 3 },
        clock: systemClock,
        ...options,
      });
      executors.push(executor);
      await executor.start();
      return executor;
    },
    async close() {
      for (const executor of executors) await executor.stop();
      await Promise.all([journal.stop(), instances.stop()]);
      for (const made of [directory, far]) rmSync(made, { recursive: true, force: true });
    },
  };
}

let counter = 0;

export interface TaskOptions {
  readonly id?: string;
  readonly epoch?: number;
  readonly constraints?: TaskManifest['constraints'];
  readonly undoOf?: string;
}

export function fileTask(capability_id: string, inputs: Record<string, unknown>, options: TaskOptions = {}): Task {
  counter += 1;
  const manifest: TaskManifest = {
    task_id: options.id ?? `task-${counter}`,
    capability_id,
    inputs,
    constraints: options.constraints ?? {},
    ...(options.undoOf === undefined ? {} : { provenance: { undo_of: options.undoOf } }),
  };
  return {
    manifest,
    manifestSha256: manifestSha256(manifest),
    authority: { jti: `jti-${counter}`, exp: 4_000_000_000, kid: 'kernel' },
    epoch: options.epoch ?? 1,
  };
}

export const moveTask = (source_path: string, destination_path: string, options?: TaskOptions): Task =>
  fileTask('FILE_MOVE', { source_path, destination_path }, options);
export const copyTask = (source_path: string, destination_path: string, options?: TaskOptions): Task =>
  fileTask('FILE_COPY', { source_path, destination_path }, options);
export const deleteTask = (source_path: string, options?: TaskOptions): Task =>
  fileTask('FILE_DELETE', { source_path }, { constraints: { reversible: true }, ...options });

export function context(options: { signal?: AbortSignal; gate?: RunContext['gate'] } = {}): RunContext {
  return { signal: options.signal ?? new AbortController().signal, gate: options.gate ?? ((): undefined => undefined) };
}

/** What the pipeline does around an executor, without queue and ledger; the stored text stands for the signed result. */
export async function deliver(
  executor: FileExecutor,
  task: Task,
  options: { context?: RunContext; mayRedo?: boolean } = {},
): Promise<Exclude<Execution, { kind: 'outcome' }> | { kind: 'outcome'; outcome: Outcome; replayed: boolean; text: string }> {
  const { memory } = executor;
  const run = options.context ?? context();
  const recall = await memory.recall(task.manifest.task_id);
  if (recall.kind !== 'unknown' && recall.manifestSha256 !== task.manifestSha256) throw new Error('conflict');
  if (recall.kind === 'finished') {
    const outcome: Outcome = JSON.parse(recall.result);
    return { kind: 'outcome', outcome, replayed: true, text: recall.result };
  }
  const execution = recall.kind === 'open' ? await memory.recover(task, run, { mayRedo: options.mayRedo ?? true }) : await executor.execute(task, run);
  if (execution.kind !== 'outcome') return execution;
  const text = JSON.stringify(execution.outcome);
  await memory.conclude(task, execution.outcome.status, text);
  return { ...execution, replayed: false, text };
}

/** `SUCCESS`, or `CODE: message`, or the kind of the execution. */
export async function ending(delivered: ReturnType<typeof deliver>): Promise<string> {
  const end = await delivered;
  if (end.kind !== 'outcome') return end.kind;
  return end.outcome.status === 'SUCCESS' ? 'SUCCESS' : `${end.outcome.error.error_code}: ${end.outcome.error.message}`;
}

/** Stands for kill -9 in the same process: nothing after the point happens. */
export class SimulatedCrash extends Error {}

/** Every file below a directory with its content; symbolic links and the vault's mark left out. */
export async function contents(directory: string, prefix = ''): Promise<Record<string, string>> {
  return contentsNow(directory, prefix);
}

/** At once: thousands of small reads cost several times as much by way of other threads. */
function contentsNow(directory: string, prefix: string): Record<string, string> {
  const all: Record<string, string> = {};
  for (const entry of readdirSync(path.join(directory, prefix), { withFileTypes: true })) {
    const name = path.join(prefix, entry.name);
    if (entry.isDirectory()) Object.assign(all, contentsNow(directory, name));
    else if (entry.isFile() && entry.name !== '.writ-mark') all[name] = readFileSync(path.join(directory, name), 'utf8');
  }
  return all;
}

/** Writes a file and names it. */
export async function put(directory: string, name: string, content = `content of ${name}`): Promise<string> {
  const file = path.join(directory, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

/** A directory of one test's own in each base. */
export interface Room {
  readonly near: string;
  readonly next: string;
  readonly far: string;
  /** Its name below each base. */
  readonly dir: string;
}

let rooms = 0;

export async function makeRoom(rig: FileRig): Promise<Room> {
  rooms += 1;
  const dir = `room-${rooms}`;
  for (const base of [rig.near, rig.next, rig.far]) await mkdir(`${base}/${dir}`);
  return { near: `${rig.near}/${dir}`, next: `${rig.next}/${dir}`, far: `${rig.far}/${dir}`, dir };
}

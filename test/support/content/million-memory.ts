import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { BackendKind } from '../../../src/core/ports/index.ts';
import { type HostNews, type HostProcess, hostsSettings, startHost, treesOf } from './index-host.ts';
import { plantManyFiles } from './million-files.ts';

export interface HostMemoryOptions {
  /** Where tree and index are made and removed again; in memory, so that no disk slows it down. */
  readonly parent: string;
  readonly files: number;
  /** Of each file. */
  readonly bytes: number;
  /** Files that change at once. */
  readonly changed: number;
  readonly backend: BackendKind;
}

/** Peaks of the resident memory of the host's process (VmHWM), after each kind of work; watches lie in the kernel beside it. */
export interface HostMemoryEvidence {
  readonly files: number;
  readonly directories: number;
  readonly watches: number;
  readonly kernelBytesOfWatches: number;
  readonly builtBytes: number;
  readonly updatedBytes: number;
  readonly validatedBytes: number;
  readonly buildMs: number;
  readonly updateMs: number;
  readonly validateMs: number;
}

/** An inode that is held and a mark (search-rules 24). */
const WATCH_BYTES = 1024;

/** What an index host takes for a tree of many small files: a build, an update, a pass over everything. */
export async function hostMemory({ parent, files, bytes, changed, backend }: HostMemoryOptions): Promise<HostMemoryEvidence> {
  const folder = mkdtempSync(path.join(parent, 'writ-many-'));
  const [root, cacheRoot] = [path.join(folder, 'tree'), path.join(folder, 'cache')];
  mkdirSync(root);
  mkdirSync(cacheRoot, { mode: 0o700 });
  let host: HostProcess | undefined;
  try {
    const directories = plantManyFiles(root, { files, bytes, seed: 1 });
    const usual = hostsSettings(cacheRoot);
    const settings = hostsSettings(cacheRoot, { build: { ...usual.build, timeoutMs: 3_600_000 }, maxDbBytes: 2 ** 33, debounceMs: 1_000 });
    const trees = treesOf(root, []);
    host = await startHost({ settings, trees, backend });
    const build = await ended(host, 'build');
    await host.until('COMPLETE');
    const builtBytes = peakOf(host.pid);
    const watches = watchesOf(host.pid);
    const update = ended(host, 'update');
    for (let at = 0; at < changed; at += 1) appendFileSync(path.join(root, 'd0', 'd0', `f${at % 250}.txt`), `changed ${at}\n`);
    const { elapsedMs: updateMs } = await update;
    const updatedBytes = peakOf(host.pid);
    await host.kill();

    host = await startHost({ settings, trees, backend });
    const { elapsedMs: validateMs } = await ended(host, 'reconcile');
    return {
      ...{ files, directories, watches, kernelBytesOfWatches: watches * WATCH_BYTES },
      ...{ builtBytes, updatedBytes, validatedBytes: peakOf(host.pid), buildMs: build.elapsedMs, updateMs, validateMs },
    };
  } finally {
    await host?.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

type TaskNews = Extract<HostNews, { kind: 'task' }>;

/** The end of a task of this kind that is over, or comes. */
async function ended(host: HostProcess, task: string): Promise<TaskNews> {
  const fits = (news: HostNews): news is TaskNews => news.kind === 'task' && news.task === task && news.outcome !== 'skipped';
  const news = await host.told(fits);
  if (!fits(news) || !['done', 'nothing'].includes(news.outcome)) throw new Error(`the ${task} ended with ${JSON.stringify(news)}`);
  return news;
}

function peakOf(pid: number): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

function watchesOf(pid: number): number {
  const files = readdirSync(`/proc/${pid}/fdinfo`).map((fd) => readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8'));
  return files.reduce((sum, text) => sum + (text.match(/^inotify wd:/gm)?.length ?? 0), 0);
}

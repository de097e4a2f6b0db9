import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { metricsSources } from '../../src/observability/metrics-directory.ts';
import { readSocket } from '../../src/observability/read-socket.ts';
import type { Installation } from './installation.ts';
import { type Used, usedBy } from './processes.ts';

/** What an installation has used since it started, and what it keeps. */
export interface Snapshot {
  readonly workers: Used;
  readonly api: Used;
  readonly kernel: Used;
  readonly redisCpuUs: number;
  readonly redisBytes: number;
  readonly journalBytes: number;
  readonly kernelBytes: number;
  readonly indexBytes: number;
  readonly commits: number;
  readonly commitUs: number;
}

const SCRAPE_MS = 10_000;
const MICROS = 1e6;

export async function snapshot({ site, pids }: Installation): Promise<Snapshot> {
  const { places, redis } = site;
  const [cpu, memory] = await Promise.all([redis.info('cpu'), redis.info('memory')]);
  const figure = (text: string, name: string): number => Number(new RegExp(`^${name}:(.*)$`, 'm').exec(text)?.[1]);
  return {
    workers: pids.workers.map(usedBy).reduce(together),
    api: usedBy(pids.api),
    kernel: usedBy(pids.kernel),
    redisCpuUs: Math.round((figure(cpu, 'used_cpu_user') + figure(cpu, 'used_cpu_sys')) * MICROS),
    redisBytes: figure(memory, 'used_memory'),
    journalBytes: databases(places.journal) + databases(places.planJournal) + databases(places.toolJournal),
    kernelBytes: databases(places.kernelStore) + fileBytes(places.audit),
    indexBytes: databases(places.taskIndex),
    ...(await commitsOf(places.metrics)),
  };
}

/** CPU of several workers is added up; memory is that of the largest. */
function together(a: Used, b: Used): Used {
  return {
    loopUs: a.loopUs + b.loopUs,
    threadsUs: a.threadsUs + b.threadsUs,
    childrenUs: a.childrenUs + b.childrenUs,
    residentBytes: Math.max(a.residentBytes, b.residentBytes),
    childResidentBytes: Math.max(a.childResidentBytes, b.childResidentBytes),
  };
}

/** Pages in use of a database, or of all in a directory: what stands in the write-ahead log counts as well. */
function databases(place: string): number {
  if (!existsSync(place)) return 0;
  if (!statSync(place).isDirectory()) return pagesOf(place);
  const names = readdirSync(place).filter((name) => name.endsWith('.db'));
  return names.reduce((sum, name) => sum + pagesOf(path.join(place, name)), 0);
}

function pagesOf(file: string): number {
  const db = new Database(file, { readonly: true });
  try {
    const pragma = (name: string): number => Number(db.pragma(name, { simple: true }));
    return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size');
  } finally {
    db.close();
  }
}

function fileBytes(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

async function commitsOf(directory: string): Promise<{ readonly commits: number; readonly commitUs: number }> {
  const sum = { commits: 0, commitUs: 0 };
  for (const { role, path: socket } of await metricsSources(directory)) {
    if (role !== 'worker') continue;
    const read = await readSocket(socket, '/metrics', SCRAPE_MS);
    if (!('text' in read)) throw new Error(`the metrics of a worker cannot be read: ${read.trouble}`);
    const value = (name: string): number => Number(new RegExp(`^writ_journal_commit_seconds_${name}(?:\\{.*?\\})? (.*)$`, 'm').exec(read.text)?.[1] ?? 0);
    sum.commits += value('count');
    sum.commitUs += value('sum') * MICROS;
  }
  return sum;
}

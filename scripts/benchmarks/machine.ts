import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { packageRoot } from '../../config/package.ts';
import { askProgramSync } from '../../src/adapters/processes/program.ts';

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly kernel: string;
  /** Programs and libraries, by their name. */
  readonly versions: Readonly<Record<string, string>>;
}

const PACKAGES = ['bullmq', 'ioredis', 'better-sqlite3', '@duckdb/node-api', '@vscode/ripgrep'];
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  redis: ['redis-server', '--version'],
  ugrep: ['ugrep', '--version'],
  postgresql: ['psql', '--version'],
};

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}

export function thisMachine(): Machine {
  const { packages: locked } = JSON.parse(readFileSync(path.join(packageRoot(), 'package-lock.json'), 'utf8')) as Lock;
  const packages = PACKAGES.map((name) => ({ name, version: locked[`node_modules/${name}`]?.version }));
  const programs = Object.entries(PROGRAMS).map(([name, [program = '', ...words]]) => ({ name, version: programVersion(program, words) }));
  const known = [...packages, ...programs].flatMap(({ name, version }) => (version === undefined ? [] : [[name, version] as const]));
  return {
    processor: os.cpus()[0]?.model.trim() ?? 'unknown',
    cores: os.availableParallelism(),
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    kernel: os.release(),
    versions: { node: process.versions.node, ...Object.fromEntries(known) },
  };
}

function programVersion(program: string, words: readonly string[]): string | undefined {
  try {
    return /\d+\.\d+(?:\.\d+)?/.exec(askProgramSync(program, words).stdout)?.[0];
  } catch {
    // A suite that needs it says so itself.
    return undefined;
  }
}

/** The share of all processors that was used within so many milliseconds, by whomever: 0 to 1, two decimals. */
export async function busyShare(ms: number): Promise<number> {
  const before = processorTimes();
  await delay(ms);
  const after = processorTimes();
  const all = after.all - before.all;
  return all === 0 ? 0 : Math.round((1 - (after.idle - before.idle) / all) * 100) / 100;
}

function processorTimes(): { readonly all: number; readonly idle: number } {
  const times = os.cpus().map(({ times: one }) => one);
  const idle = times.reduce((sum, one) => sum + one.idle, 0);
  return { all: times.reduce((sum, one) => sum + one.user + one.nice + one.sys + one.irq + one.idle, 0), idle };
}

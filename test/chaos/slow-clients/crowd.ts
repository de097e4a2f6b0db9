import { once } from 'node:events';
import { type Running, startModule } from '../door/role-process.ts';
import type { CrowdReport, CrowdSetup } from './crowd-process.ts';
import { SLOW_KIND_NAMES, SLOW_KINDS, type SlowKindName, STREAMS_OF_A_KEY } from './kinds.ts';

export type CrowdReports = Readonly<Record<SlowKindName, CrowdReport>>;

/** All slow clients, a process for each kind. */
export interface Crowd {
  report(): Promise<CrowdReports>;
  leave(): Promise<void>;
}

export interface CrowdOptions {
  readonly url: string;
  readonly clients: number;
  readonly seed: number;
  key(name: string): Promise<string>;
}

/** Descriptors of a process beside its connections: itself, its modules, its files. */
export const DESCRIPTORS_BESIDE = 500;

/** Resolves when all are connected. */
export async function startCrowd({ url, clients, seed, key }: CrowdOptions): Promise<Crowd> {
  const groups = await Promise.all(
    SLOW_KIND_NAMES.map(async (kind, n) => {
      const count = Math.round(SLOW_KINDS[kind].share * clients);
      const keys: string[] = [];
      for (let at = 0; at < (kind === 'streams' ? count : 1); at += STREAMS_OF_A_KEY) keys.push(await key(`${kind}-${at}`));
      const setup: CrowdSetup = { kind, clients: count, url, keys, from: `127.0.0.${n + 2}`, seed: seed + n };
      return [kind, await startModule(new URL('./crowd-process.ts', import.meta.url), setup, { descriptors: count + DESCRIPTORS_BESIDE })] as const;
    }),
  );
  const all = async (word: 'report' | 'leave'): Promise<CrowdReports> => {
    const reports = await Promise.all(groups.map(async ([kind, process]) => [kind, await said(process, word)] as const));
    return Object.fromEntries(reports) as CrowdReports;
  };
  return {
    report: () => all('report'),
    async leave() {
      await all('leave');
      for (const [, process] of groups) await process.stop();
    },
  };
}

async function said({ child }: Running, word: string): Promise<CrowdReport> {
  const answer = once(child, 'message');
  child.send(word);
  const [report] = (await answer) as [CrowdReport];
  return report;
}

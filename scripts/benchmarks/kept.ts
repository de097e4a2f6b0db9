import { existsSync, readFileSync } from 'node:fs';
import type { Report } from '../../bench/contract.ts';
import { evidencePath, writeEvidence } from '../evidence.ts';
import type { Machine } from './machine.ts';

/** A report of a suite, and what one must know to believe it. */
export interface Kept extends Omit<Report, 'suite'> {
  /** What is compared. */
  readonly what: string;
  readonly commit: string;
  readonly startedAt: string;
  readonly minutes: number;
  /** Share of the processors that somebody else used in the seconds before and after: 0 is a quiet machine. */
  readonly busy: { readonly before: number; readonly after: number };
  readonly machine: Machine;
}

/** Beyond this somebody else was at work. */
export const QUIET = 0.1;

export function isQuiet({ busy }: Kept): boolean {
  return busy.before <= QUIET && busy.after <= QUIET;
}

const FILE = evidencePath('benchmarks');

/** The newest report of each suite, by its name. */
export function keptReports(file = FILE): Readonly<Record<string, Kept>> {
  if (!existsSync(file)) return {};
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly suites: Readonly<Record<string, Kept>> }).suites;
}

/** Takes the place of the suite's report before. */
export function keepReport(suite: string, report: Kept, file = FILE): void {
  const suites = Object.entries({ ...keptReports(file), [suite]: report });
  writeEvidence(file, { suites: Object.fromEntries(suites.sort(([a], [b]) => (a < b ? -1 : 1))) });
}

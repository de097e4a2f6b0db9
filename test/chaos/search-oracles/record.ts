import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { SEED } from '../../../bench/search-executor/sizes.ts';
import { revision, writeEvidence } from '../../../scripts/evidence.ts';
import type { Comparisons } from './comparisons.ts';
import { LIMITS, type Measured } from './measured.ts';

const Entry = z.looseObject({ name: z.string(), passed: z.boolean() });
const Kept = z.object({ entries: z.array(Entry) });

/** What one part of the suite found, with when and on which sources: parts can be run alone. */
export interface PartRecord {
  /** Writes the evidence anew with this part in place of its last run. */
  add(name: string, found: Comparisons | Measured): void;
  /** Whether all parts of the suite are there and have passed. */
  passed(parts: readonly string[]): boolean;
}

export function openRecord(file: string): PartRecord {
  const commit = revision();
  let entries = existsSync(file) ? Kept.parse(JSON.parse(readFileSync(file, 'utf8'))).entries : [];
  const isPassed = (parts: readonly string[]): boolean => parts.every((part) => entries.some(({ name, passed }) => name === part && passed));
  return {
    add(name, found) {
      const passed = 'cases' in found ? found.passed : found.rightAnswer && found.withinMemory;
      const entry = { ...found, name, passed, at: new Date().toISOString(), commit };
      entries = [...entries.filter((one) => one.name !== name), entry];
      process.stdout.write(`${JSON.stringify(entry)}\n`);
      writeEvidence(file, { suite: 'search-oracles', passed: entries.every((one) => one.passed), seed: SEED, limits: LIMITS, entries });
    },
    passed: isPassed,
  };
}

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../config/package.ts';
import type { GeneratedFile } from '../generated.ts';
import { narrowing, type Schema } from './narrowing.ts';
import { type ContractVersion, type Direction, VERSIONS } from './versions.ts';

/** What of a change breaks those who wrote or read values by the earlier schema, one line each. */
const BREAKS: Readonly<Record<Direction, (before: Schema, after: Schema) => readonly string[]>> = {
  accepted: (before, after) => narrowing(before, after).map((why) => `refuses what it took: ${why}`),
  emitted: (before, after) => narrowing(after, before).map((why) => `gives what it did not: ${why}`),
  both: (before, after) => [...BREAKS.accepted(before, after), ...BREAKS.emitted(before, after)],
};

/** Changes of the committed contracts that need a new version and have none, one sentence each. */
export function contractBreaks(files: readonly GeneratedFile[], root = packageRoot()): string[] {
  return files.flatMap(({ path: file, content }) => {
    const name = path.basename(file, '.schema.json');
    const committed = path.join(root, file);
    if (!file.endsWith('.schema.json') || !existsSync(committed)) return [];
    const [before, after] = [JSON.parse(readFileSync(committed, 'utf8')), JSON.parse(content)] as [Schema, Schema];
    return breaksOf(name, (VERSIONS as Readonly<Record<string, ContractVersion>>)[name]?.direction ?? 'both', before, after);
  });
}

/** A schema with another `$id` is another contract: what it says is free, but its number only grows. */
export function breaksOf(name: string, direction: Direction, before: Schema, after: Schema): string[] {
  const [had, has] = [numberOf(before), numberOf(after)];
  if (has > had) return [];
  if (has < had) return [`${name} goes back from version ${had} to ${has}`];
  return BREAKS[direction](before, after).map((why) => `${name} ${has} ${why}; it needs version ${has + 1} in scripts/contracts/versions.ts`);
}

function numberOf({ $id: id }: Schema): number {
  return Number(/:(\d+)$/.exec(String(id))?.[1] ?? 0);
}

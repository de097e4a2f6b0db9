import { statSync } from 'node:fs';
import path from 'node:path';
import type { RegistryCategory } from '../../contracts/index.ts';
import { WritError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { type RegistryRoot, readRegistryRoot } from './registry-root.ts';

/** The definitions that this host adds to envelopes. */
export interface Registries {
  lookup(category: RegistryCategory, ref: string): JsonObject | undefined;
  /** Refs of a category, in code-unit order. */
  refs(category: RegistryCategory): readonly string[];
}

/** Where definitions lie. */
export interface RegistryDirectories {
  /** Root of the package: `registries/` and `config/` of Writ itself. */
  readonly shipped: string;
  /** `plan.registry_dir`: laid out alike; a definition of it replaces the shipped one of the same id. Empty: none. */
  readonly own: string;
}

/** Where definitions and bindings lie: what Writ ships, then what is the user's own, which replaces it. */
export function rootsOf({ shipped, own }: RegistryDirectories): readonly string[] {
  return [shipped, ...(own === '' ? [] : [own])];
}

/**
 * Reads all registries (plan-executor.md, Registry loading). They are read once: a plan holds what it was linked with.
 *
 * @throws WritError INVALID_CONFIG naming the file and, where one is at fault, the field
 */
export function readRegistries({ shipped, own }: RegistryDirectories): Registries {
  const roots: readonly RegistryRoot[] = [...(own === '' ? [] : [readOwn(own)]), readRegistryRoot(shipped)];
  return {
    lookup: (category, ref) => roots.map((root) => root[category].get(ref)?.definition).find((definition) => definition !== undefined),
    refs: (category) => [...new Set(roots.flatMap((root) => [...root[category].keys()]))].sort(),
  };
}

function readOwn(own: string): RegistryRoot {
  if (!path.isAbsolute(own) || statSync(own, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new WritError('INVALID_CONFIG', `plan.registry_dir: ${own} is no directory`, { field: 'plan.registry_dir' });
  }
  return readRegistryRoot(own);
}

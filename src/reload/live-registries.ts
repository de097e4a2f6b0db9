import { type Registries, type RegistryDirectories, readRegistries } from '../adapters/registries/index.ts';
import { RegistryCategory } from '../contracts/index.ts';
import { fileChanges, hashesOf } from './file-changes.ts';
import type { LiveSettings } from './live-settings.ts';

/** What a role says of its definitions beside its settings. */
export const REGISTRIES = 'registries';

/** A hash of all definitions, for `writ doctor`. Throws WritError INVALID_CONFIG. */
export function registriesMark(directories: RegistryDirectories): string {
  return hashesOf(definitionsOf(readRegistries(directories))).mark;
}

/**
 * Reads the definitions, and again with each reload (`docs/operations.md`, Registries and bindings). A plan holds what it was
 * linked with.
 *
 * @param settings absent: they stay as they are
 * @throws WritError INVALID_CONFIG naming the file; later it is the reload that is refused
 */
export function followRegistries(directories: RegistryDirectories, settings: LiveSettings<unknown> | undefined): Pick<Registries, 'lookup' | 'refs'> {
  let current = readRegistries(directories);
  const read = (): ReturnType<typeof hashesOf> => hashesOf(definitionsOf(current));
  settings?.follow(
    () => {
      const next = readRegistries(directories);
      const changed = fileChanges(read().hashes, hashesOf(definitionsOf(next)).hashes, (name) => name);
      if (changed.length === 0) return undefined;
      const commit = (): void => {
        current = next;
      };
      return { commit, abandon: async () => undefined, changed };
    },
    () => ({ [REGISTRIES]: read().mark }),
  );
  return { lookup: (category, ref) => current.lookup(category, ref), refs: (category) => current.refs(category) };
}

/** By category and ref: `tools http.webhook`. */
function definitionsOf(registries: Registries): ReadonlyMap<string, unknown> {
  return new Map(
    RegistryCategory.options.flatMap((category) => registries.refs(category).map((ref) => [`${category} ${ref}`, registries.lookup(category, ref)] as const)),
  );
}

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { BINDINGS_FOLDER } from '../adapters/tool-bindings/folder.ts';

/** What a role follows by itself. */
export interface Watched {
  /** The file of the settings. */
  readonly file: string;
  /** `plan.registry_dir`; empty: none. */
  readonly registryDir: string;
}

/** Where definitions and bindings lie below a root; each folder is flat. */
const REGISTRY_FOLDERS = ['registries', 'config/tools', 'config/capabilities', 'config/use-cases', BINDINGS_FOLDER] as const;
/** Larger files are none of ours, and are told apart by their size and time. */
const MAX_BYTES = 4_194_304;

/** What an event of the file system may be about: the directories, since editors rename and links are exchanged. */
export function watchedDirectories({ file, registryDir }: Watched): readonly string[] {
  return [path.dirname(file), ...(registryDir === '' ? [] : REGISTRY_FOLDERS.map((folder) => path.join(registryDir, folder)))];
}

/** A hash of everything that is followed, as the paths lead to it now; `undefined` while the file of the settings is gone or empty. */
export function stateOf({ file, registryDir }: Watched): string | undefined {
  const own = hashOf(file);
  if (own === undefined) return undefined;
  const others = registryDir === '' ? [] : REGISTRY_FOLDERS.flatMap((folder) => jsonFiles(path.join(registryDir, folder)));
  return sha256(JSON.stringify([own, ...others.map((one) => [one, hashOf(one) ?? 'empty'])]));
}

/** `undefined`: gone or empty. One that cannot be read is told apart by why. */
function hashOf(file: string): string | undefined {
  try {
    const { size, mtimeMs } = statSync(file);
    if (size > MAX_BYTES) return `large:${size}:${mtimeMs}`;
    const text = readFileSync(file);
    return text.toString('utf8').trim() === '' ? undefined : sha256(text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : `unreadable:${code}`;
  }
}

function jsonFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => path.join(folder, name));
  } catch {
    return [];
  }
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

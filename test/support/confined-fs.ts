import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import { createConfinedFileSystem, LOCAL_FILESYSTEMS } from '../../src/adapters/linux/confined-fs/index.ts';
import type { ConfinedBase, ConfinedDirectory, ConfinementLevel, FsRefusal, FsResult } from '../../src/core/ports/confined-fs.ts';
import { makeOnSecondFilesystem } from './mounts.ts';

/** A base in a temporary directory, with a directory beside it that nothing may ever reach. */
export interface ConfinedRig {
  readonly base: ConfinedBase;
  /** Path of the base. */
  readonly inside: string;
  readonly outside: string;
  /** Opens a directory beneath the base; closed with the rig. */
  open(...segments: string[]): Promise<ConfinedDirectory>;
  /** The root directory of a base on another file system. */
  openFar(): Promise<ConfinedDirectory>;
  close(): Promise<void>;
}

export async function createConfinedRig(level: ConfinementLevel): Promise<ConfinedRig> {
  const root = mkdtempSync(path.join(tmpdir(), 'writ-confined-'));
  const [inside, outside] = [path.join(root, 'base'), path.join(root, 'outside')];
  mkdirSync(inside);
  mkdirSync(outside);
  const fileSystem = createConfinedFileSystem({ level, allowedFilesystems: LOCAL_FILESYSTEMS });
  const base = await fileSystem.openBase('rig', inside);
  const cleanups: (() => Promise<void> | void)[] = [() => rmSync(root, { recursive: true }), () => base.close()];

  async function openIn(from: ConfinedBase, segments: string[]): Promise<ConfinedDirectory> {
    const directory = must(await from.directory(segments));
    cleanups.push(() => directory.close());
    return directory;
  }
  return {
    base,
    inside,
    outside,
    open: (...segments) => openIn(base, segments),
    async openFar() {
      const far = makeOnSecondFilesystem('writ-confined-');
      const farBase = await fileSystem.openBase('far', far);
      cleanups.push(
        () => rmSync(far, { recursive: true }),
        () => farBase.close(),
      );
      return openIn(farBase, []);
    },
    async close() {
      for (const cleanup of cleanups.reverse()) await cleanup();
    },
  };
}

/** The value of a result that must be one. */
export function must<T>(result: FsResult<T>): T {
  if (!result.ok) throw new Error(`refused: ${result.refusal} (${result.errno})`);
  return result.value;
}

/** The reason of a refusal; `ok` when there was none. */
export function refusalOf(result: FsResult<unknown>): FsRefusal | 'ok' {
  return result.ok ? 'ok' : result.refusal;
}

export function expectRefusal(result: FsResult<unknown>, refusal: FsRefusal): void {
  expect(refusalOf(result)).toBe(refusal);
}

export function openDescriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

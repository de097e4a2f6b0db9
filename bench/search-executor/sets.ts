import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';

/** Generated data in folders of one directory, each made once. */
export interface DataSets {
  readonly directory: string;
  /**
   * The folder of a set, and what its maker said about it. A folder that an earlier run left for the same `recipe` is
   * taken as it is; a half-made one, or one of another recipe, is made anew.
   *
   * @param recipe everything that decides the content
   * @param make fills an empty folder; what it returns goes through JSON
   */
  get<T>(name: string, recipe: object, shape: z.ZodType<T>, make: (folder: string) => Promise<T> | T): Promise<{ readonly folder: string; readonly facts: T }>;
  /** Removes what this bench made, and nothing else. */
  remove(): void;
}

const LABEL = 'writ-bench.json';
/** Of the generator: a change of it makes kept data worthless. */
const VERSION = 2;

const Label = z.object({ recipe: z.string(), facts: z.unknown().optional() });

/** @param directory of the caller; without it a temporary one, which `remove` removes whole */
export function openDataSets(directory: string | undefined): DataSets {
  const home = directory ?? mkdtempSync(path.join(tmpdir(), 'writ-bench-data-'));
  mkdirSync(home, { recursive: true });
  const used: string[] = [];

  return {
    directory: home,
    async get(name, recipe, shape, make) {
      const folder = path.join(home, name);
      const wanted = JSON.stringify({ version: VERSION, ...recipe });
      used.push(folder);
      const label = labelOf(folder);
      if (label !== undefined && label.recipe === wanted && label.facts !== undefined) return { folder, facts: shape.parse(label.facts) };
      removeOurs(folder);
      mkdirSync(folder);
      writeLabel(folder, { recipe: wanted });
      const facts = await make(folder);
      writeLabel(folder, { recipe: wanted, facts });
      return { folder, facts };
    },
    remove() {
      for (const folder of used) removeOurs(folder);
      if (directory === undefined) rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Throws Error when the directory's file system has less free space, or (where it counts them) fewer free inodes. */
export function needRoom(directory: string, bytes: number, inodes: number): void {
  const { bavail, bsize, files, ffree } = statfsSync(directory);
  if (bavail * bsize < bytes) throw new Error(`${directory} needs ${Math.ceil(bytes / 1e9)} GB of free space; say another place with --data`);
  if (files > 0 && ffree < inodes) throw new Error(`${directory} needs ${inodes} free inodes; say another place with --data`);
}

function labelOf(folder: string): z.infer<typeof Label> | undefined {
  const file = path.join(folder, LABEL);
  return existsSync(file) ? Label.parse(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
}

/** By way of a new file: a run that is ended leaves a label of before or after. */
function writeLabel(folder: string, label: z.infer<typeof Label>): void {
  const file = path.join(folder, LABEL);
  writeFileSync(`${file}.new`, JSON.stringify(label));
  renameSync(`${file}.new`, file);
}

/** What bears no label of ours may be anybody's. */
function removeOurs(folder: string): void {
  if (!existsSync(folder)) return;
  if (labelOf(folder) === undefined) throw new Error(`${folder} is there already and was not made by this bench`);
  rmSync(folder, { recursive: true });
}

import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Api } from './api.ts';

/** The user of the roles in the image. */
const UID = 10_001;
const INSIDE = '/srv/files';

/** How often the one effect of each task was had. All but `tasks` and `mostAtOnce` must be 0. */
export interface Counts {
  readonly tasks: number;
  readonly mostAtOnce: number;
  /** Without an end, or with another than success. */
  readonly lost: number;
  /** What was put under the source's name after the answer is gone, or the destination is there again: the move was done once more. */
  readonly doubled: number;
  /** What came to the destination is missing, or has other bytes. */
  readonly wrong: number;
  readonly said: readonly string[];
}

/**
 * A stream of moves, each of a file of its own. After its answer the destination is taken away and a new file lies under the
 * source's name: a second move would find both as the first did. A destination that stays would have it refused, and hide it.
 */
export interface CountedMoves {
  /** Tasks that were pushed and have no answer yet. */
  underWay(): number;
  /** Pushes no new ones, waits for the ends of those under way, and counts. */
  finish(): Promise<Counts>;
}

/**
 * @param volume where the volume of the files lies on this host
 * @param name a directory of this stream's own
 */
export function startMoves(api: Api, volume: string, name: string, width: number): CountedMoves {
  const files = createFiles(volume, name);
  const said: string[] = [];
  let [pushed, ended, open, mostAtOnce, going] = [0, 0, 0, 0, true];

  const lane = async (): Promise<void> => {
    while (going) {
      const at = pushed++;
      files.write(`${at}.src`, `first ${at}`);
      open += 1;
      mostAtOnce = Math.max(mostAtOnce, open);
      try {
        const { body } = await api.finish({ ...moveOf(files, at), task_id: `${name}-${at}`, capability_id: 'FILE_MOVE', constraints: {} });
        if (body['state'] === 'success') ended += 1;
        else said.push(JSON.stringify(body));
        if (files.read(`${at}.dst`) !== undefined) files.rename(`${at}.dst`, `${at}.kept`);
        files.write(`${at}.src`, `second ${at}`);
      } catch (error) {
        said.push(String(error));
      }
      open -= 1;
    }
  };
  const lanes = Array.from({ length: width }, lane);

  return {
    underWay: () => open,
    async finish() {
      going = false;
      await Promise.all(lanes);
      const all = Array.from({ length: pushed }, (_, at) => at);
      return {
        tasks: pushed,
        mostAtOnce,
        lost: pushed - ended,
        doubled: all.filter((at) => files.read(`${at}.src`) !== `second ${at}` || files.read(`${at}.dst`) !== undefined).length,
        wrong: all.filter((at) => files.read(`${at}.kept`) !== `first ${at}`).length,
        said: said.slice(0, 5),
      };
    },
  };
}

/** Whether the counts are those of effects that were had exactly once. */
export const onceEach = ({ tasks, lost, doubled, wrong }: Counts): boolean => tasks > 0 && lost + doubled + wrong === 0;

const moveOf = (files: Files, at: number): { readonly inputs: object } => ({
  inputs: { source_path: files.inside(`${at}.src`), destination_path: files.inside(`${at}.dst`) },
});

/** A directory in the volume: written from this host, as the roles' user, and named as they see it. */
export interface Files {
  write(name: string, text: string): void;
  rename(from: string, to: string): void;
  /** `undefined`: there is none. */
  read(name: string): string | undefined;
  inside(name: string): string;
}

export function createFiles(volume: string, directory: string): Files {
  const place = path.join(volume, directory);
  // Only root can, and nobody else runs the suite; the test of the counts is run by anybody.
  const own = (what: string): void => (process.getuid?.() === 0 ? chownSync(what, UID, UID) : undefined);
  if (!existsSync(place)) {
    mkdirSync(place);
    own(place);
  }
  const at = (name: string): string => path.join(place, name);
  return {
    write(name, text) {
      writeFileSync(at(name), text);
      own(at(name));
    },
    rename: (from, to) => renameSync(at(from), at(to)),
    read: (name) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : undefined),
    inside: (name) => path.posix.join(INSIDE, directory, name),
  };
}

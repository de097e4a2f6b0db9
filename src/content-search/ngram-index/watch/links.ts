import type { BytePath, WatchEventKind } from '../../../core/ports/index.ts';

/**
 * New names of files. A new name can be a second name (hard link) of an old file; a write by it sends an event for the new
 * name only, and the old one would look unchanged. So the links of a new name are counted once its events are read. If it is
 * gone by then and was written to, nobody can tell which file was written.
 */
export interface NewNames {
  event(kind: WatchEventKind, path: BytePath, cookie: number): void;
  /** Looks at every new name. */
  look(): void;
  /** Forgets all names: no event came since `look`, so what it saw is current. */
  settle(): void;
}

interface Name {
  /** The file was known before, under this name or another: only its links count. */
  readonly isOld: boolean;
  written: boolean;
}

/**
 * @param linksOf number of links of a regular file; `undefined` if there is none
 * @param onDoubt a file has more than one name (`LINKED`), or perhaps had (`GONE`)
 */
export function createNewNames(linksOf: (path: BytePath) => number | undefined, onDoubt: (why: 'LINKED' | 'GONE') => void): NewNames {
  const names = new Map<BytePath, Name>();
  /** The first half of a rename; the second half may never come. */
  let moving: { readonly cookie: number; readonly name: Name } | undefined;

  const take = (path: BytePath): Name => {
    const name = names.get(path) ?? { isOld: true, written: false };
    names.delete(path);
    return name;
  };
  const lose = (name: Name | undefined): void => {
    if (name?.written === true) onDoubt('GONE');
  };
  const endMove = (): void => {
    lose(moving?.name);
    moving = undefined;
  };
  const steps: Partial<Record<WatchEventKind, (path: BytePath, cookie: number) => void>> = {
    CREATE(path) {
      names.set(path, { isOld: false, written: false });
    },
    MODIFY(path) {
      const name = names.get(path);
      if (name !== undefined && !name.isOld) name.written = true;
    },
    ATTRIB(path) {
      if (!names.has(path)) names.set(path, { isOld: true, written: false });
    },
    DELETE(path) {
      lose(take(path));
    },
    MOVED_FROM(path, cookie) {
      endMove();
      moving = { cookie, name: take(path) };
    },
    MOVED_TO(path, cookie) {
      lose(take(path));
      if (moving?.cookie !== cookie) names.set(path, { isOld: false, written: false });
      else {
        names.set(path, moving.name);
        moving = undefined;
      }
    },
  };

  return {
    event: (kind, path, cookie) => steps[kind]?.(path, cookie),
    look() {
      for (const [path, name] of names) {
        const links = linksOf(path);
        if (links === undefined) lose(name);
        else if (links > 1) onDoubt('LINKED');
      }
    },
    settle() {
      endMove();
      names.clear();
    },
  };
}

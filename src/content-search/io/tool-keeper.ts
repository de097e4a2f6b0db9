/** What is kept: something that was opened and must be closed. */
export interface Closable {
  close(): void;
}

/** Keeps what is dear to open for the next one who wants the same. */
export interface ToolKeeper<T extends Closable> {
  /** What is kept under the key, or is opened now. `close` of it gives it back; whoever opened what could not be opened hears why. */
  open(key: string, open: () => Promise<T>): Promise<T>;
  /** Closes what nobody uses; what is used is closed when it is given back. */
  close(): void;
}

interface Kept<T> {
  readonly opened: Promise<T>;
  /** When it was opened, milliseconds. */
  readonly since: number;
  users: number;
  idle: NodeJS.Timeout | undefined;
}

/**
 * Keeps a few tools of searches for processes that search for others: to open an index takes longer than to ask it.
 *
 * @param most  how many are kept while nobody uses them
 * @param keptMs how long after it was opened one is given out, milliseconds: what it saw of programs and places grows old
 */
export function createToolKeeper<T extends Closable>(most: number, keptMs: number): ToolKeeper<T> {
  const kept = new Map<string, Kept<T>>();
  let isOpen = true;

  function drop(key: string, one: Kept<T>): void {
    clearTimeout(one.idle);
    if (kept.get(key) === one) kept.delete(key);
    void one.opened.then((tool) => tool.close());
  }

  /** The longest unused go first. */
  function makeRoom(): void {
    const unused = [...kept].filter(([, { users }]) => users === 0);
    for (const [key, one] of unused.slice(0, Math.max(0, unused.length - (isOpen ? most : 0)))) drop(key, one);
  }

  function giveBack(key: string, one: Kept<T>): void {
    one.users -= 1;
    if (one.users > 0) return;
    const left = one.since + keptMs - Date.now();
    if (left <= 0 || kept.get(key) !== one) {
      drop(key, one);
      return;
    }
    kept.delete(key);
    kept.set(key, one);
    one.idle = setTimeout(() => drop(key, one), left).unref();
    makeRoom();
  }

  return {
    async open(key, open) {
      const known = kept.get(key);
      const isFresh = known !== undefined && known.since + keptMs > Date.now();
      const one = isFresh ? known : { opened: open(), since: Date.now(), users: 0, idle: undefined };
      kept.set(key, one);
      clearTimeout(one.idle);
      one.users += 1;
      try {
        const tool = await one.opened;
        let isUsed = true;
        return {
          ...tool,
          close() {
            if (isUsed) giveBack(key, one);
            isUsed = false;
          },
        };
      } catch (error) {
        if (kept.get(key) === one) kept.delete(key);
        throw error;
      }
    },
    close() {
      isOpen = false;
      makeRoom();
    },
  };
}

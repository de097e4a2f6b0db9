import type { World } from '../world.ts';

/** One file or directory. */
export interface Inode {
  readonly dev: string;
  readonly ino: string;
  readonly entries: Map<string, Inode> | undefined;
  /** Where a directory is, as a path from the root of the world; changes with a rename. */
  label: string;
  data: string;
  /** What of the data would survive the power. */
  durable: string;
  mtimeNs: bigint;
  ctimeNs: bigint;
  nlink: number;
  mode: number;
}

interface NameChange {
  readonly directory: Inode;
  readonly name: string;
  readonly before: Inode | undefined;
  readonly after: Inode | undefined;
}

/** One change of names that happens as a whole, or not at all. */
export interface NameOperation {
  /** Virtual milliseconds. */
  readonly at: number;
  /** Name of the process, or `world`. */
  readonly by: string;
  readonly changes: readonly NameChange[];
  readonly synced: Set<Inode>;
  /** Where it put a file and where it took it from: labels and names at the time. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly inode: Inode;
  /** The power went before it was durable. */
  lost: boolean;
}

/** The kernel's clock of files ticks every 4 ms. */
const TICK_MS = 4;

/**
 * The disk twin: names and bytes as processes see them, and what of them would survive the power. A rename is one change in
 * two directories and durable when both were synced, or a later durable change rests on it. Bytes are durable when their
 * file was synced; else any beginning of them may be left.
 */
export class Disk {
  /** Every change of names, in its order. */
  readonly log: NameOperation[] = [];
  /** What stands at the path of each base directory. */
  readonly roots = new Map<string, Inode>();
  /** Which tree stood at which path from when on, in its order. */
  readonly stood: { readonly path: string; readonly root: Inode; readonly from: number }[] = [];
  readonly #world: World;
  #pending: NameOperation[] = [];
  #inodes = 0;
  /** What has come to a base directory's path and has not gone, newest last; the first is the one of the beginning. */
  readonly #layers = new Map<string, Inode[]>();
  #devices = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** A file system with directories in it, all durable. */
  mount(path: string, dev: string, directories: readonly string[]): void {
    const root = this.create(dev, true, 0o755, path);
    for (const name of directories) root.entries?.set(name, this.create(dev, true, 0o755, `${path}/${name}`));
    this.#stand(path, root);
  }

  /**
   * Something else stands at the path of a base directory: another file system is mounted there, or the directory is renamed away
   * and a new one made. It has the same directories, and nothing in them. Answers how that goes away: what stood there before comes
   * back when all that came since is gone.
   */
  exchangeBase(path: string, how: 'mounted' | 'replaced'): () => void {
    const old = this.roots.get(path);
    if (old === undefined) return () => undefined;
    this.#devices += 1;
    const directories = [...(old.entries ?? [])].flatMap(([name, { entries }]) =>
      entries === undefined || name.startsWith('.') || name.endsWith('.away') ? [] : [name],
    );
    const layers = this.#layers.get(path) ?? [old];
    this.#layers.set(path, layers);
    this.mount(path, how === 'mounted' ? String(100 + this.#devices) : old.dev, directories);
    const layer = this.roots.get(path) ?? old;
    layers.push(layer);
    return () => {
      layers.splice(layers.lastIndexOf(layer), 1);
      const top = layers.at(-1) ?? old;
      if (this.roots.get(path) !== top) this.#stand(path, top);
    };
  }

  #stand(path: string, root: Inode): void {
    this.roots.set(path, root);
    this.stood.push({ path, root, from: this.#world.now });
  }

  /** Whether the tree that a directory is in stood at its path at any moment of the time, virtual milliseconds. */
  stoodWithin(directory: Inode, from: number, to: number): boolean {
    const trees = this.#trees().filter((root) => root === directory || [...below(root)].some(({ inode }) => inode === directory));
    return this.stood.some(({ path, root, from: since }, place) => {
      const until = this.stood.slice(place + 1).find((later) => later.path === path)?.from ?? Number.POSITIVE_INFINITY;
      return trees.includes(root) && since <= to && until >= from;
    });
  }

  #trees(): readonly Inode[] {
    return [...new Set(this.stood.map(({ root }) => root))];
  }

  create(dev: string, directory: boolean, mode: number, label = ''): Inode {
    this.#inodes += 1;
    const time = this.time();
    return {
      dev,
      ino: String(1000 + this.#inodes),
      entries: directory ? new Map() : undefined,
      label,
      data: '',
      durable: '',
      mtimeNs: time,
      ctimeNs: time,
      nlink: 1,
      mode,
    };
  }

  time(): bigint {
    return 1_800_000_000_000_000_000n + BigInt(Math.floor(this.#world.now / TICK_MS) * TICK_MS * 1_000_000);
  }

  /** Carries out changes of names; those that cannot be are the caller's to refuse. */
  change(by: string, inode: Inode, changes: readonly Omit<NameChange, 'before'>[]): NameOperation {
    const full = changes.map((change): NameChange => ({ ...change, before: change.directory.entries?.get(change.name) }));
    const place = (wanted: boolean): string | undefined => {
      const found = full.find(({ after }) => (after !== undefined) === wanted);
      return found && `${found.directory.label}/${found.name}`;
    };
    const operation: NameOperation = { at: this.#world.now, by, changes: full, synced: new Set(), from: place(false), to: place(true), inode, lost: false };
    for (const { directory, name, after } of full) {
      if (after === undefined) directory.entries?.delete(name);
      else directory.entries?.set(name, after);
    }
    inode.ctimeNs = this.time();
    this.log.push(operation);
    this.#pending.push(operation);
    return operation;
  }

  sync(directory: Inode): void {
    for (const operation of this.#pending) if (operation.changes.some((change) => change.directory === directory)) operation.synced.add(directory);
    const durable = new Set<NameOperation>();
    for (const operation of [...this.#pending].reverse()) {
      const whole = operation.changes.every((change) => operation.synced.has(change.directory));
      if (whole || [...durable].some((later) => rests(later, operation))) durable.add(operation);
    }
    if (durable.size > 0) this.#pending = this.#pending.filter((operation) => !durable.has(operation));
  }

  /** The power goes: of what was not synced a part is kept that chance chooses. */
  cut(): void {
    const kept: NameOperation[] = [];
    for (const operation of [...this.#pending].reverse()) {
      if (kept.some((later) => rests(later, operation)) || this.#world.random.chance(0.5)) kept.push(operation);
      else this.#undo(operation);
    }
    this.#pending = [];
    for (const inode of this.files()) {
      if (inode.data === inode.durable) continue;
      inode.data = this.#world.random.chance(0.5) ? inode.durable : inode.data.slice(0, this.#world.random.integer(inode.data.length + 1));
      inode.durable = inode.data;
    }
  }

  #undo(operation: NameOperation): void {
    operation.lost = true;
    for (const { directory, name, before, after } of operation.changes) {
      if (before === undefined) directory.entries?.delete(name);
      else directory.entries?.set(name, before);
      // The count of names is written with the names.
      if (after !== undefined) after.nlink -= 1;
      if (before !== undefined) before.nlink += 1;
    }
  }

  /** Every file that has a name, and where it is. */
  *files(): Generator<Inode> {
    for (const { inode } of this.names()) if (inode.entries === undefined) yield inode;
  }

  /** In every tree, also in those to which no path leads now. */
  *names(): Generator<{ readonly path: string; readonly inode: Inode }> {
    for (const root of this.#trees()) yield* below(root);
  }

  /** What stands at a path now. */
  at(path: string): Inode | undefined {
    for (const [base, root] of this.roots) {
      if (!path.startsWith(`${base}/`)) continue;
      let found: Inode | undefined = root;
      for (const segment of path.slice(base.length + 1).split('/')) found = found?.entries?.get(segment);
      return found;
    }
    return undefined;
  }

  /** Somebody who is not Writ puts a file there, durably. */
  put(path: string, data: string): Inode | undefined {
    const directory = this.at(path.slice(0, path.lastIndexOf('/')));
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (directory?.entries === undefined || directory.entries.has(name)) return undefined;
    const inode = this.create(directory.dev, false, 0o644);
    inode.data = data;
    inode.durable = data;
    this.change('world', inode, [{ directory, name, after: inode }]);
    this.sync(directory);
    return inode;
  }

  /** Somebody moves a file, durably; nothing is replaced. */
  rename(from: string, to: string): void {
    const [here, there] = [from, to].map((path) => ({ directory: this.at(path.slice(0, path.lastIndexOf('/'))), name: path.slice(path.lastIndexOf('/') + 1) }));
    const inode = this.at(from);
    if (inode === undefined || here?.directory === undefined || there?.directory === undefined) return;
    if (here.directory.dev !== there.directory.dev || there.directory.entries?.has(there.name)) return;
    this.change('world', inode, [
      { directory: here.directory, name: here.name, after: undefined },
      { directory: there.directory, name: there.name, after: inode },
    ]);
    this.sync(here.directory);
    this.sync(there.directory);
  }

  /** Somebody sets the times of a file. */
  touch(path: string): void {
    const inode = this.at(path);
    if (inode === undefined) return;
    inode.mtimeNs = this.time() + 1n;
    inode.ctimeNs = this.time() + 1n;
  }

  /** Somebody renames a directory away and makes a new one in its place, durably. */
  exchange(path: string): void {
    const parent = this.roots.get(path.slice(0, path.lastIndexOf('/')));
    const name = path.slice(path.lastIndexOf('/') + 1);
    const old = parent?.entries?.get(name);
    if (parent === undefined || old === undefined || parent.entries?.has(`${name}.away`)) return;
    const fresh = this.create(parent.dev, true, 0o755, old.label);
    this.change('world', old, [
      { directory: parent, name, after: fresh },
      { directory: parent, name: `${name}.away`, after: old },
    ]);
    old.label = `${old.label}.away`;
    this.sync(parent);
  }
}

/** Whether the later change would make no sense without the earlier. */
function rests(later: NameOperation, earlier: NameOperation): boolean {
  return later.changes.some((a) => earlier.changes.some((b) => a.directory === b.directory && a.name === b.name));
}

function* below(directory: Inode): Generator<{ readonly path: string; readonly inode: Inode }> {
  for (const [name, inode] of directory.entries ?? []) {
    yield { path: `${directory.label}/${name}`, inode };
    if (inode.entries !== undefined) yield* below(inode);
  }
}

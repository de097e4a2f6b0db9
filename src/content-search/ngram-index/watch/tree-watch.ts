import type { ArmResult, BytePath, HostVeto, OverlayEntry, OverlayPaths, Published } from '../../../core/ports/index.ts';
import { createOverlay } from './overlay.ts';
import { createVetoes } from './vetoes.ts';
import { openWatchSet, type TreeWatchParts, type WatchSet } from './watch-set.ts';
import { absolute } from './watching.ts';

export interface TreeWatchOptions extends TreeWatchParts {
  readonly onVeto: (veto: HostVeto, seq: number) => void;
  /** Lets the event loop do other work. */
  readonly turn: () => Promise<void>;
  /** The newest number that an earlier watch over this tree has told. */
  readonly firstSeq?: number;
}

/** Events, overlay and vetoes of one root (docs/index-watch.md). */
export interface TreeWatch {
  /** Reads events: every change that was complete when this was called is known afterwards. */
  look(): void;
  /** Why a search must leave nothing out, as of the last `look`; `null`: it may. */
  readonly veto: HostVeto | null;
  readonly published: Published;
  /** Number of the newest event. */
  readonly seq: number;
  readonly entries: number;
  /** A number that changes whenever `overlay()` changes. */
  readonly version: number;
  overlay(): OverlayPaths;
  arm(): Promise<ArmResult>;
  /** Looks, and waits until new directories are watched. */
  pending(limit: number): Promise<{ readonly seq: number; readonly entries: readonly OverlayEntry[]; readonly more: boolean }>;
  publish(published: Published): void;
  close(): void;
}

const NOTHING_PUBLISHED: Published = { state: 'ABSENT', reason: null, guarantee: 'none', snapshot: null, covered: [], coveredThrough: 0, lifts: null };
/** Slices of new directories within one look: a barrier that waited for more would be late. */
const SLICES = 2;
/** Errors that say that this user, or the system, has no more watches, descriptors or memory. */
const LIMITS: ReadonlySet<string> = new Set(['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM']);

/** A watch over one tree. All methods but `arm` and `pending` are synchronous. */
export function createTreeWatch(options: TreeWatchOptions): TreeWatch {
  const { indexed, files, turn, onVeto, firstSeq = 0 } = options;
  const overlay = createOverlay(firstSeq);
  const vetoes = createVetoes();
  let published = NOTHING_PUBLISHED;
  let armed: WatchSet | undefined;
  let isArmed = false;

  const raise = (veto: HostVeto): void => {
    const seq = overlay.next();
    if (vetoes.raise(veto, seq)) onVeto(veto, seq);
  };
  const touch = (kind: OverlayEntry['kind'], path: BytePath): void => {
    const said = overlay.touch(kind, path);
    if (said !== undefined) raise(said);
  };
  const linksOf = (path: BytePath): number | undefined => {
    const stat = files.stat(absolute(indexed.root, path));
    return 'refused' in stat ? undefined : stat.links;
  };
  const close = (): void => {
    isArmed = false;
    armed?.close();
    armed = undefined;
  };
  const look = (): void => {
    if (armed === undefined) return;
    armed.drain();
    for (const veto of armed.lookAround()) raise(veto);
    if (!isArmed || armed.newDirectories.isIdle) return;
    armed.newDirectories.advance(SLICES);
    armed.drain();
  };

  /** Sets the watches slice by slice, reading events in between, until no new directory is left; `ECANCELED`: another arming has begun. */
  const setWatches = async (own: WatchSet): Promise<{ readonly warnings: number } | { readonly refused: string }> => {
    const arming = own.start();
    let warnings: number | undefined;
    while (warnings === undefined || !own.newDirectories.isIdle) {
      if (warnings !== undefined) own.newDirectories.advance(1);
      else {
        const said = arming.step();
        if (said?.ok === false) return said;
        warnings = said?.warnings;
      }
      await turn();
      if (own !== armed) return { refused: 'ECANCELED' };
      own.drain();
    }
    return { warnings };
  };
  const refusal = (why: string): ArmResult => {
    if (why !== 'ECANCELED') close();
    return { ok: false, refused: LIMITS.has(why) ? 'LIMIT' : why };
  };

  return {
    look,
    get veto() {
      const up = vetoes.up;
      const isReliedOn = published.guarantee !== 'stat';
      if (isReliedOn && (!isArmed || armed?.newDirectories.isIdle !== true)) return 'NOT_ARMED';
      return up.find((veto) => isReliedOn || veto !== 'NOT_ARMED') ?? (published.state === 'COMPLETE' ? null : 'NOT_COMPLETE');
    },
    get published() {
      return published;
    },
    get seq() {
      return overlay.seq;
    },
    get entries() {
      return overlay.size;
    },
    get version() {
      return overlay.version;
    },
    overlay: () => overlay.paths(),
    async arm() {
      close();
      // Changes between two sets of watches send no events: a pass over the tree has to find them.
      vetoes.raise('NOT_ARMED', overlay.next());
      vetoes.armBegins();
      const own = openWatchSet(options, { raise, touch, linksOf });
      if (typeof own === 'string') return refusal(own);
      armed = own;
      const said = await setWatches(own);
      if ('refused' in said) return refusal(said.refused);
      if (own.nodes.size === 0) return refusal('ENOENT');
      isArmed = true;
      vetoes.armEnded();
      look();
      return { ok: true, seq: overlay.seq, directories: own.nodes.size, warnings: said.warnings };
    },
    async pending(limit) {
      look();
      while (isArmed && armed?.newDirectories.isIdle === false) {
        await turn();
        look();
      }
      const entries = overlay.take(limit);
      return { seq: overlay.seq, entries, more: overlay.size > entries.length };
    },
    publish(next) {
      published = next;
      overlay.forget(next.covered, next.coveredThrough);
      // An update does for that what a pass does: it has read what the one entry stood for, and nothing else was lost.
      if (!overlay.isWhole) vetoes.drop('BACKLOG');
      if (next.lifts === null) return;
      vetoes.lift(next.lifts.through, next.guarantee === 'inotify');
      // A veto that could not be lifted needs another pass, and the host learns of it by this signal only.
      for (const veto of vetoes.up) if (veto !== 'NOT_ARMED' || next.guarantee === 'inotify') onVeto(veto, overlay.seq);
    },
    close,
  };
}

import type { BytePath, DirectoryWatches, HostVeto, OverlayEntry, WatchEvent } from '../../../core/ports/index.ts';
import { EFFECTS, type Effect, EVERYWHERE } from './effects.ts';
import type { NewNames } from './links.ts';
import type { Nodes } from './nodes.ts';
import { join } from './watching.ts';

export interface EventContext {
  readonly nodes: Nodes;
  readonly names: NewNames;
  readonly watches: Pick<DirectoryWatches, 'remove'>;
  /** Directories of which the watches are to be set. */
  readonly toArm: Set<BytePath>;
  /** Whether a file of this name decides about others. */
  readonly decides: (name: BytePath) => boolean;
  readonly raise: (veto: HostVeto) => void;
  readonly touch: (kind: OverlayEntry['kind'], path: BytePath) => void;
}

/** What one event means (docs/index-watch.md 1). */
export function applyEvent(to: EventContext, event: WatchEvent): void {
  const { kind, watch, name } = event;
  const row = EFFECTS[kind];
  const directories = to.nodes.pathsOf(watch);
  if (row.veto !== null && EVERYWHERE.has(kind) && (kind === 'OVERFLOW' || directories.length > 0)) to.raise(row.veto);
  for (const directory of directories) {
    if (name !== '') applyTo(to, event, join(directory, name), event.isDirectory ? row.directory : row.file);
    else if (directory !== '') applyTo(to, event, directory, row.self);
    else if (row.veto !== null) to.raise(row.veto);
    if (to.decides(name)) to.raise('ELIGIBILITY');
  }
}

function applyTo(to: EventContext, { kind, cookie }: WatchEvent, path: BytePath, effects: readonly Effect[]): void {
  for (const effect of effects) STEPS[effect](to, path, () => to.names.event(kind, path, cookie));
}

const STEPS = {
  file: (to, path) => to.touch('FILE', path),
  subtree: (to, path) => to.touch('SUBTREE', path),
  leave(to, path) {
    for (const watch of to.nodes.leave(path)) to.watches.remove(watch);
  },
  arm(to, path) {
    to.toArm.add(path);
  },
  name(_to, _path, tell) {
    tell();
  },
} satisfies Record<Effect, (to: EventContext, path: BytePath, tell: () => void) => void>;

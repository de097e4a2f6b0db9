import type { Entry, OpenAttempt } from '../../core/ports/index.ts';
import type { DestinationState, Facts, Phase, SourceState } from './classify.ts';
import { sameFile, sameInode, untouched } from './identity.ts';

/** What stands under the names of an open attempt; undefined: nothing, or its directory cannot be reached from its base. */
export interface Found {
  readonly source: Entry | undefined;
  readonly destination: Entry | undefined;
  readonly retired: Entry | undefined;
  readonly temporary: Entry | undefined;
  /** Where the copy is put when it has to go. */
  readonly withdrawn: Entry | undefined;
}

/** Pure: from entries to the words of the tables. */
export function factsOf(open: OpenAttempt, at: Found): Facts {
  const ours = open.method === 'copy' ? open.sealed : open.sourceIdentity;
  const destination = isWithdrawn(open, at) ? 'withdrawn' : destinationState(at.destination, ours);
  const phase = phaseOf(open, destination, at);
  return { phase, source: sourceState(open, phase, at), destination };
}

function destinationState(entry: Entry | undefined, ours: { dev: string; ino: string } | undefined): DestinationState {
  if (!entry) return 'gone';
  return ours && sameInode(entry, ours) ? 'same' : 'replaced';
}

/** Only what was published is withdrawn, so the row may be behind. Looked for first: by link the copy has both names for a moment. */
function isWithdrawn({ sealed }: OpenAttempt, { withdrawn }: Found): boolean {
  return sealed !== undefined && withdrawn !== undefined && sameInode(withdrawn, sealed);
}

function phaseOf(open: OpenAttempt, destination: DestinationState, { temporary }: Found): Phase {
  if (open.method !== 'copy') return open.method;
  if (open.stage === 'intent' || !open.sealed) return 'unsealed';
  if (open.operation === 'move' && (open.stage === 'published' || destination === 'same' || destination === 'withdrawn')) return 'published';
  // A second name is the destination's, given by link, wherever somebody has taken the file since.
  return temporary && sameInode(temporary, open.sealed) && temporary.nlink === 1 ? 'sealed' : 'sealed-bare';
}

function sourceState({ sourceIdentity }: OpenAttempt, phase: Phase, at: Found): SourceState {
  if (phase === 'published' && at.retired && sameFile(at.retired, sourceIdentity)) {
    return at.source && sameInode(at.source, at.retired) ? 'linked' : 'retired';
  }
  if (!at.source) return 'gone';
  const linked = at.destination !== undefined && sameInode(at.source, at.destination) && sameInode(at.source, sourceIdentity);
  // A link made by us changes the ctime, at the resolution of the file system's clock.
  if (phase === 'link' && linked) return 'linked';
  // Only a file with one name is moved by link: the other may be ours, in a directory that somebody has taken away since.
  if (phase === 'link' && at.source.nlink > 1 && sameInode(at.source, sourceIdentity)) return 'twice';
  if (untouched(at.source, sourceIdentity)) return 'same';
  if (phase !== 'rename' && phase !== 'link') return 'changed';
  if (linked) return 'linked';
  return sameInode(at.source, sourceIdentity) ? 'changed' : 'other';
}

import type { Json } from '../../core/json.ts';
import { failure, type Outcome, type StopReason } from '../../core/outcome.ts';
import type { BasePath, FileIdentity, FileIntent, FileJournal, SealedFile } from '../../core/ports/index.ts';
import type { OpenBases } from './bases.ts';
import type { Descriptors } from './descriptors.ts';
import type { OpenedPath } from './opened-path.ts';
import type { PassPoint } from './options.ts';

/** What an operator must know: something is not where the answer says, or nobody can tell. */
export interface IncidentNote {
  readonly what: string;
  readonly details: { readonly [key: string]: Json };
  /** A copy of ours that lies in the vault now. */
  readonly withdrawn: WithdrawnCopy | undefined;
}

/** A copy that was taken from its destination and is kept. */
export interface WithdrawnCopy {
  readonly place: BasePath;
  readonly bytes: number;
}

/** How the effects of an attempt ended. */
export type Effect =
  /** The effect stands and is durable. `identity`: the file under the destination's name. */
  | { readonly kind: 'done'; readonly identity: FileIdentity; readonly sha256: string | undefined }
  | { readonly kind: 'failed'; readonly outcome: Outcome; readonly incident: IncidentNote | undefined }
  /** Told to stop while nothing was visible; our temporary file is removed. */
  | { readonly kind: 'stopped'; readonly reason: StopReason };

/** A sealed temporary file. */
export type Sealed = SealedFile;

/** An open attempt and what its effects need. */
export interface Attempt {
  readonly intent: FileIntent;
  readonly n: number;
  readonly bases: OpenBases;
  readonly journal: FileJournal;
  readonly maxBytes: number;
  readonly hashMaxBytes: number;
  readonly umask: number;
  readonly signal: AbortSignal;
  readonly pass: PassPoint;
  readonly descriptors: Descriptors;
}

/** An attempt whose two directories are open. */
export interface Transfer extends Attempt {
  readonly source: OpenedPath;
  readonly destination: OpenedPath;
}

export function failed(outcome: Outcome): Effect {
  return { kind: 'failed', outcome, incident: undefined };
}

export function executionFailed(message: string): Effect {
  return failed(failure('EXECUTION_FAILED', message));
}

/** A failure that an operator has to look at. */
export function incident(attempt: Attempt, message: string, extra: { readonly [key: string]: Json } = {}, withdrawn?: WithdrawnCopy): Effect {
  const { intent, n } = attempt;
  const place = ({ base, segments }: BasePath): Json => ({ base, path: segments.join('/') });
  return {
    kind: 'failed',
    outcome: failure('EXECUTION_FAILED', message),
    incident: {
      what: message,
      details: {
        attempt: n,
        operation: intent.operation,
        source: place(intent.source),
        destination: place(intent.destination),
        inode: `${intent.sourceIdentity.dev}:${intent.sourceIdentity.ino}`,
        ...(intent.retired ? { retired: place(intent.retired) } : {}),
        ...(withdrawn ? { withdrawn: place(withdrawn.place) } : {}),
        ...extra,
      },
      withdrawn,
    },
  };
}

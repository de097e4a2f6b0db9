/**
 * What recovery does with an open attempt, as tables: `docs/protocol.md` section 6, cell by cell. Nothing here looks at a
 * file; `facts.ts` does, `carry-out.ts` acts.
 */

/**
 * How far the attempt can have come, from its journal row. A sealed move whose copy stands under the destination's name
 * is `published`, whether or not the row says so. `sealed-bare`: sealed, but the temporary file is not there any more, or has a
 * second name.
 */
export type Phase = 'rename' | 'link' | 'unsealed' | 'sealed' | 'sealed-bare' | 'published';

/**
 * What stands under the source's name. `same`: the intent's identity, ctime included. `linked`: the very inode that
 * stands in the place it was to go to. `retired` (published only): the source lies in its retired place, its name is free
 * or somebody else's. `changed`: the same inode, touched; where nothing of the source can have moved yet, also another
 * file. `other` (rename, link): another file, so the source may have moved. `twice` (link): the intent's inode, which had one
 * name then, has another that is not the destination. `gone`: nothing.
 */
export type SourceState = 'same' | 'linked' | 'retired' | 'changed' | 'other' | 'twice' | 'gone';

/**
 * What stands under the destination's name. `same`: the file of ours. `withdrawn` (published only): the file of ours lies in the
 * vault under its withdrawn name, whatever stands under the destination's.
 */
export type DestinationState = 'same' | 'replaced' | 'gone' | 'withdrawn';

export interface Facts {
  readonly phase: Phase;
  readonly source: SourceState;
  readonly destination: DestinationState;
}

/** Why an attempt ends in FAILURE. */
export type FailureReason = 'destination-exists' | 'source-changed' | 'source-missing' | 'source-changed-during-move' | 'source-lost-during-move' | 'unknown';

export type Verdict =
  /** Nothing happened: start from the first effect. */
  | { readonly do: 'redo' }
  /** L1 happened: both names are one file; take the source's name away, then as `finish`. */
  | { readonly do: 'unlink-source' }
  /** The effect stands: make it durable, SUCCESS. */
  | { readonly do: 'finish' }
  /** The temporary file is complete: C4 and on. */
  | { readonly do: 'publish' }
  /** The copy stands: X6 and on. */
  | { readonly do: 'retire' }
  /** X7 happened, half of it by link: take the source's name away, then as `finish-retired`. */
  | { readonly do: 'unlink-retired' }
  /** X7 happened: X8, SUCCESS. */
  | { readonly do: 'finish-retired' }
  /** The copy stands, or lies in its vault already, and the move is given up: the copy goes to its vault, and may be removed there. */
  | { readonly do: 'withdraw' }
  /** Nothing stands; our temporary file, if there is one, is removed. */
  | { readonly do: 'fail'; readonly why: FailureReason; readonly incident: boolean };

export type RecoveryAction = Verdict['do'];

type Row = Readonly<Record<Exclude<DestinationState, 'withdrawn'>, Verdict> & { withdrawn?: Verdict }>;

const redo: Verdict = { do: 'redo' };
const finish: Verdict = { do: 'finish' };
const fail = (why: FailureReason): Verdict => ({ do: 'fail', why, incident: false });
const unknown: Verdict = { do: 'fail', why: 'unknown', incident: true };
const all = (verdict: Verdict): Row => ({ same: verdict, replaced: verdict, gone: verdict });

/** `changed` with the destination `same` would be one inode, which is `linked`. */
const RENAME = {
  same: { same: fail('destination-exists'), replaced: fail('destination-exists'), gone: redo },
  linked: all(unknown),
  changed: { same: unknown, replaced: fail('source-changed'), gone: fail('source-changed') },
  other: { same: finish, replaced: unknown, gone: unknown },
  gone: { same: finish, replaced: unknown, gone: unknown },
} satisfies Record<Exclude<SourceState, 'retired' | 'twice'>, Row>;

const LINK = {
  ...RENAME,
  linked: all({ do: 'unlink-source' }),
  twice: all(unknown),
} satisfies Record<Exclude<SourceState, 'retired'>, Row>;

/** Destination `same` cannot be told before the seal: whatever stands there was not published by us. */
const UNSEALED = {
  same: { same: fail('destination-exists'), replaced: fail('destination-exists'), gone: redo },
  changed: { same: fail('destination-exists'), replaced: fail('destination-exists'), gone: fail('source-changed') },
  gone: { same: fail('destination-exists'), replaced: fail('destination-exists'), gone: fail('source-missing') },
} satisfies Record<Exclude<SourceState, 'retired' | 'linked' | 'other' | 'twice'>, Row>;

/** With the temporary file still there, under its one name, nothing was published. */
const SEALED = {
  same: { same: finish, replaced: fail('destination-exists'), gone: { do: 'publish' } },
  changed: { same: finish, replaced: fail('destination-exists'), gone: fail('source-changed') },
  gone: { same: finish, replaced: fail('destination-exists'), gone: fail('source-changed') },
} satisfies Record<Exclude<SourceState, 'retired' | 'linked' | 'other' | 'twice'>, Row>;

/** Without it, somebody took the copy from under its name after it was published. */
const SEALED_BARE = {
  same: { same: finish, replaced: unknown, gone: unknown },
  changed: { same: finish, replaced: unknown, gone: unknown },
  gone: { same: finish, replaced: unknown, gone: unknown },
} satisfies Record<Exclude<SourceState, 'retired' | 'linked' | 'other' | 'twice'>, Row>;

const changedDuringMove: Verdict = { do: 'fail', why: 'source-changed-during-move', incident: true };

const PUBLISHED = {
  same: { same: { do: 'retire' }, replaced: unknown, gone: unknown, withdrawn: { do: 'withdraw' } },
  linked: all({ do: 'unlink-retired' }),
  retired: all({ do: 'finish-retired' }),
  changed: { same: { do: 'withdraw' }, replaced: changedDuringMove, gone: changedDuringMove, withdrawn: { do: 'withdraw' } },
  gone: { same: { do: 'fail', why: 'source-lost-during-move', incident: true }, replaced: unknown, gone: unknown },
} satisfies Record<Exclude<SourceState, 'other' | 'twice'>, Row>;

type Table = Readonly<Partial<Record<SourceState, Row>>> & { readonly changed: Row };

const TABLES = {
  rename: RENAME,
  link: LINK,
  unsealed: UNSEALED,
  sealed: SEALED,
  'sealed-bare': SEALED_BARE,
  published: PUBLISHED,
} satisfies Record<Phase, Table>;

/** Pure: the verdict for what was found. A standing that a phase does not know reads as `changed`, which never starts an effect. */
export function classify({ phase, source, destination }: Facts): Verdict {
  const table: Table = TABLES[phase];
  return (table[source] ?? table.changed)[destination] ?? unknown;
}

/** Verdicts that would start an effect; a poison task gets its last look without them. */
export const STARTS_EFFECT: ReadonlySet<RecoveryAction> = new Set<RecoveryAction>(['redo', 'publish']);

import type { FileRefusal, TreeFileStat } from '../../../core/ports/index.ts';
import type { Candidate } from '../../search/types.ts';
import type { Difference } from './differences.ts';
import { type DocumentReader, type ReadDocument, readDocument } from './read-document.ts';
import { fillSlot, finishSlot, takeSlot } from './second-reader.ts';
import { type JobRun, readerOf } from './site.ts';
import { CONTROL, openSlots, SLOT_STATE, SLOTS, type Slot, type Slots, type SlotWork, turnAt } from './slots.ts';
import { absolutePath, bytesOf } from './tree-paths.ts';

/** A file that the walk found, and what stat(2) says of it. */
export interface StattedFile extends Candidate {
  readonly stat: TreeFileStat | FileRefusal;
}

/** The differences in their order, with what is in the files; a second thread reads ahead where there is one. */
export function readAhead(run: JobRun, found: Iterable<Difference>): Generator<readonly [Difference, ReadDocument | 'gone']> {
  const reader = readerOf(run.site);
  return ahead(run, reader, found, {
    ...{ work: 'read', files: READ_AT_ONCE },
    candidateOf: (difference) => (difference.kind === 'read' ? difference.candidate : undefined),
    here: (candidate) => readDocument(reader, candidate),
    from: (slot, file, candidate) => slot.read(file, bytesOf(candidate)),
    without: 'gone',
  });
}

/** The files in their order, with their stat. */
export function* statAhead(run: JobRun, files: Iterable<Candidate>): Generator<StattedFile> {
  const { files: treeFiles, indexed } = run.site;
  const each = ahead<Candidate, TreeFileStat | FileRefusal>(run, readerOf(run.site), files, {
    ...{ work: 'stat', files: STAT_AT_ONCE },
    candidateOf: (candidate) => candidate,
    here: (candidate) => treeFiles.stat(absolutePath(indexed.root, candidate)),
    from: (slot, file) => slot.stat(file),
    without: { refused: 'ENOENT' },
  });
  for (const [{ text, raw }, stat] of each) yield { text, raw, stat };
}

/** Files of a slot. */
const READ_AT_ONCE = 8;
const STAT_AT_ONCE = 128;
/** Files of a job until a second reader is started: it takes as long to start as to read these. */
const WORTH_FILES = 2_000;

interface Work<T, R> {
  readonly work: SlotWork;
  readonly files: number;
  /** The file of an item; undefined for one that asks for none. */
  candidateOf(item: T): Candidate | undefined;
  /** Does the work in this thread. */
  here(candidate: Candidate): R;
  /** The result in a slot; undefined if it did not fit. */
  from(slot: Slot, file: number, candidate: Candidate): R | undefined;
  /** The result of an item without a file. */
  readonly without: R;
}

interface Batch<T> {
  readonly items: readonly T[];
  /** Undefined: nobody else is asked. */
  readonly slot: number | undefined;
}

function* ahead<T, R>(run: JobRun, reader: DocumentReader, source: Iterable<T>, work: Work<T, R>): Generator<readonly [T, R]> {
  const { pace } = run;
  const items = source[Symbol.iterator]();
  const queue: Batch<T>[] = [];
  let [taken, isEnded] = [0, false];
  let desk: Desk | undefined;
  let isOpened = false;

  function nextBatch(): Batch<T> | undefined {
    const most = desk === undefined ? 1 : work.files;
    const batch: T[] = [];
    while (batch.length < most && !isEnded) {
      const step = items.next();
      if (step.done === true) isEnded = true;
      else batch.push(step.value);
    }
    taken += batch.length;
    if (batch.length === 0) return undefined;
    return {
      items: batch,
      slot: pace.isFree
        ? desk?.ask(
            work.work,
            batch.flatMap((item) => work.candidateOf(item) ?? []),
          )
        : undefined,
    };
  }

  for (;;) {
    if (!isOpened && taken >= WORTH_FILES && pace.isFree) {
      desk = openDesk(run, reader);
      isOpened = true;
    }
    if (desk?.isLeft === true) desk = undefined;
    while (!isEnded && queue.length < (desk === undefined ? 1 : SLOTS)) {
      const batch = nextBatch();
      if (batch !== undefined) queue.push(batch);
    }
    const head = queue.shift();
    if (head === undefined) return;
    const slot = head.slot === undefined ? undefined : desk?.settle(head.slot);
    let file = 0;
    for (const item of head.items) {
      const candidate = work.candidateOf(item);
      if (candidate === undefined) {
        yield [item, work.without];
        continue;
      }
      // A walk at the pace of the job has counted its files already; to read one is a step of its own.
      if (work.work === 'read') pace.step();
      yield [item, (slot === undefined ? undefined : work.from(slot, file, candidate)) ?? work.here(candidate)];
      file += 1;
    }
    if (head.slot !== undefined) desk?.free(head.slot);
  }
}

/** The slots of a job, as the build thread sees them. */
interface Desk {
  /** The second reader was given up: it has said nothing for too long. */
  readonly isLeft: boolean;
  /** A slot in which files are asked for; undefined if none is free, or they do not fit. */
  ask(work: SlotWork, candidates: readonly Candidate[]): number | undefined;
  /** Waits for a slot, and fills others meanwhile; undefined if the caller has to do its work. */
  settle(slot: number): Slot | undefined;
  free(slot: number): void;
}

function openDesk({ site, pace }: JobRun, reader: DocumentReader): Desk | undefined {
  const { second } = site;
  if (second === undefined) return undefined;
  const memory = second.start();
  const slots: Slots = openSlots(memory, site.indexed.ngramK);
  const { control } = slots;
  const stateOf = (slot: number): number => Atomics.load(control, CONTROL.states + slot);
  let turn = 0;
  let isLeft = false;

  /** Another slot that nobody has begun. */
  function fillAnother(): boolean {
    for (let slot = 0; slot < SLOTS; slot += 1) {
      if (!takeSlot(control, slot)) continue;
      fillSlot(slots.slot(slot), reader);
      finishSlot(control, slot);
      return true;
    }
    return false;
  }

  return {
    get isLeft() {
      return isLeft;
    },
    ask(work, candidates) {
      const slot = Array.from({ length: SLOTS }, (_, number) => number).find((number) => stateOf(number) === SLOT_STATE.free);
      if (slot === undefined || candidates.length === 0 || !slots.slot(slot).ask(work, candidates)) return undefined;
      turn = (turn + 1) | 0;
      Atomics.store(control, turnAt(slot), turn);
      Atomics.store(control, CONTROL.states + slot, SLOT_STATE.asked);
      Atomics.add(control, CONTROL.asked, 1);
      Atomics.notify(control, CONTROL.asked);
      return slot;
    },
    settle(slot) {
      // What nobody has begun is done by the caller, without the way through the slot.
      if (takeSlot(control, slot)) return undefined;
      for (let waited = 0; stateOf(slot) !== SLOT_STATE.done; ) {
        pace.check();
        if (fillAnother()) continue;
        if (Atomics.wait(control, CONTROL.states + slot, SLOT_STATE.taken, LOOK_MS) === 'timed-out') waited += LOOK_MS;
        if (waited < second.patienceMs) continue;
        isLeft = true;
        second.stop();
        return undefined;
      }
      return slots.slot(slot);
    },
    free: (slot) => void Atomics.store(control, CONTROL.states + slot, SLOT_STATE.free),
  };
}
/** Milliseconds between two looks at whether the job has to end. */
const LOOK_MS = 100;

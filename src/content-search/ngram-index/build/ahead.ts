import type { Candidate } from '../../search/types.ts';
import type { Difference } from './differences.ts';
import { type DocumentReader, type ReadDocument, readDocument } from './read-document.ts';
import { fillSlot, finishSlot, takeSlot } from './second-reader.ts';
import { type JobRun, readerOf } from './site.ts';
import { CONTROL, openSlots, SLOT_FILES, SLOT_STATE, SLOTS, type Slot, type Slots, turnAt } from './slots.ts';
import { bytesOf } from './tree-paths.ts';

/** Files of a job until a second reader is started: it takes as long to start as to read these. */
const WORTH_FILES = 2_000;

interface Batch {
  readonly items: readonly Difference[];
  /** Undefined: nobody else is asked. */
  readonly slot: number | undefined;
}

/** The differences in their order, with what is in the files; a second thread reads ahead where there is one. */
export function* readAhead(run: JobRun, found: Iterable<Difference>): Generator<readonly [Difference, ReadDocument | 'gone']> {
  const reader = readerOf(run.site);
  const { pace } = run;
  const items = found[Symbol.iterator]();
  const queue: Batch[] = [];
  let [taken, isEnded] = [0, false];
  let desk: Desk | undefined;
  let isOpened = false;

  function nextBatch(): Batch | undefined {
    const most = desk === undefined ? 1 : SLOT_FILES;
    const batch: Difference[] = [];
    while (batch.length < most && !isEnded) {
      const step = items.next();
      if (step.done === true) isEnded = true;
      else batch.push(step.value);
    }
    taken += batch.length;
    if (batch.length === 0) return undefined;
    const candidates = batch.flatMap((item) => (item.kind === 'read' ? [item.candidate] : []));
    return { items: batch, slot: pace.isFree ? desk?.ask(candidates) : undefined };
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
      if (item.kind === 'gone') {
        yield [item, 'gone'];
        continue;
      }
      pace.step();
      yield [item, slot?.read(file, bytesOf(item.candidate)) ?? readDocument(reader, item.candidate)];
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
  ask(candidates: readonly Candidate[]): number | undefined;
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
    ask(candidates) {
      const slot = Array.from({ length: SLOTS }, (_, number) => number).find((number) => stateOf(number) === SLOT_STATE.free);
      if (slot === undefined || candidates.length === 0 || !slots.slot(slot).ask(candidates)) return undefined;
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

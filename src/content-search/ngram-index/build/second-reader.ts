import { type DocumentReader, readDocument } from './read-document.ts';
import { CONTROL, SLOT_STATE, SLOTS, type Slot, type Slots, turnAt } from './slots.ts';

/** A thread that reads files for a build beside it; who asks never waits for it to begin. */
export interface SecondReader {
  /** Milliseconds that a file may take it; after that the build reads it too, and asks it nothing more. */
  readonly patienceMs: number;
  /** Memory for its slots, from when it has been started; it may answer late, or never. */
  start(): SharedArrayBuffer;
  /** It ends by itself when it has done what it has begun. The memory is not used again. */
  stop(): void;
}

/** Fills slots that are asked for, the oldest first, until it is told to end. Sleeps in between: it is a thread of its own. */
export function serveSlots(slots: Slots, reader: DocumentReader): void {
  const { control } = slots;
  while (Atomics.load(control, CONTROL.quit) === 0) {
    const asked = Atomics.load(control, CONTROL.asked);
    const number = takeOldest(control);
    if (number === undefined) Atomics.wait(control, CONTROL.asked, asked);
    else {
      fillSlot(slots.slot(number), reader);
      finishSlot(control, number);
    }
  }
}

/** Takes the slot that was asked for first. */
function takeOldest(control: Int32Array): number | undefined {
  for (;;) {
    let oldest: number | undefined;
    for (let slot = 0; slot < SLOTS; slot += 1) {
      if (Atomics.load(control, CONTROL.states + slot) !== SLOT_STATE.asked) continue;
      if (oldest === undefined || ((Atomics.load(control, turnAt(slot)) - Atomics.load(control, turnAt(oldest))) | 0) < 0) oldest = slot;
    }
    if (oldest === undefined || takeSlot(control, oldest)) return oldest;
  }
}

/** Whether the slot is the caller's now. */
export function takeSlot(control: Int32Array, slot: number): boolean {
  return Atomics.compareExchange(control, CONTROL.states + slot, SLOT_STATE.asked, SLOT_STATE.taken) === SLOT_STATE.asked;
}

export function finishSlot(control: Int32Array, slot: number): void {
  Atomics.store(control, CONTROL.states + slot, SLOT_STATE.done);
  Atomics.notify(control, CONTROL.states + slot);
}

/** Does what a slot asks for. */
export function fillSlot(slot: Slot, reader: DocumentReader): void {
  for (const [file, raw] of slot.asked().entries()) slot.putRead(file, readDocument(reader, { text: '', raw }));
}

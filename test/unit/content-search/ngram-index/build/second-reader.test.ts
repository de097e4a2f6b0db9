import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { nodeTreeFiles } from '../../../../../src/content-search/io/tree/read.ts';
import { readDocument } from '../../../../../src/content-search/ngram-index/build/read-document.ts';
import { fillSlot, finishSlot, type SecondReader, takeSlot } from '../../../../../src/content-search/ngram-index/build/second-reader.ts';
import { type BuildSite, readerOf } from '../../../../../src/content-search/ngram-index/build/site.ts';
import { CONTROL, openSlots, SLOT_STATE, SLOTS, slotMemory } from '../../../../../src/content-search/ngram-index/build/slots.ts';
import { createSecondReader } from '../../../../../src/content-search/ngram-index/serving/second-thread.ts';
import { memoryIndexFiles } from '../../../../../src/content-search/ngram-index/storage/files-memory.ts';
import type { TreeFiles } from '../../../../../src/core/ports/index.ts';
import { buildSite, doJob, indexedTree } from '../../../../support/content/building.ts';

/** More than a second reader is worth. */
const FILES = 2_600;
const BASE = { generation: 1, delta: 0 };
const NOW = (): number => 2_000_000_000_000;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'writ-second-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Small files, and some of each odd kind at the end, where they are read ahead. */
function plant(): void {
  for (let number = 0; number < FILES; number += 1) {
    if (number % 100 === 0) mkdirSync(join(root, `d${Math.floor(number / 100)}`));
    writeFileSync(join(root, `d${Math.floor(number / 100)}`, `f${number}`), `text of ${number}, and ${number * 7919} more`);
  }
  mkdirSync(join(root, 'z'));
  const letters = Array.from({ length: 90_000 }, (_, at) => String.fromCharCode(32 + ((at * 7919 + (at >> 3) * 104_729) % 95))).join('');
  for (const name of ['many-1', 'many-2', 'many-3']) writeFileSync(join(root, 'z', name), letters);
  writeFileSync(join(root, 'z', 'wide'), 'größer als die Straße \u{1f600} breit '.repeat(20));
  writeFileSync(join(root, 'z', 'binary'), Buffer.alloc(2_000, 0xff));
  writeFileSync(join(root, 'z', 'empty'), '');
}

function built(more: Partial<BuildSite>): Buffer {
  const index = memoryIndexFiles();
  const site = buildSite(root, { index, indexed: indexedTree(root, { maxTokenizedBytes: 200_000 }), nowMs: NOW, ...more });
  expect(doJob(site, { kind: 'build', into: BASE })).toMatchObject({ outcome: 'done', documents: FILES + 6 });
  const file = index.open(BASE);
  if ('refused' in file) throw new Error(file.refused);
  return file.read(0, file.size);
}

/** Files that do something whenever the build itself has looked at one. */
function afterEachLook(look: () => void): TreeFiles {
  const files = nodeTreeFiles();
  return {
    ...files,
    read(...how) {
      look();
      return files.read(...how);
    },
    stat(path) {
      look();
      return files.stat(path);
    },
  };
}

/** A second reader that works between two looks of the build. */
function scripted(work: (control: Int32Array, slot: number, memory: SharedArrayBuffer) => void, patienceMs = 60_000) {
  let memory: SharedArrayBuffer | undefined;
  const second: SecondReader = {
    patienceMs,
    start: () => (memory = slotMemory()),
    stop() {
      memory = undefined;
    },
  };
  const files = afterEachLook(() => {
    if (memory === undefined) return;
    const control = new Int32Array(memory);
    for (let slot = 0; slot < SLOTS; slot += 1) if (takeSlot(control, slot)) return work(control, slot, memory);
  });
  return { second, files };
}

it('a build with a second reader gives the bytes of one without', { tags: ['FR-LSI-BG-20.2'] }, () => {
  plant();
  const reader = readerOf(buildSite(root, { indexed: indexedTree(root, { maxTokenizedBytes: 200_000 }), nowMs: NOW }));
  let filled = 0;
  const helped = built(
    scripted((control, slot, memory) => {
      fillSlot(openSlots(memory, 3).slot(slot), reader);
      finishSlot(control, slot);
      filled += 1;
    }),
  );
  expect(filled).toBeGreaterThan(5);
  expect(helped.equals(built({}))).toBe(true);
});

it('a second reader that never begins holds nothing up', () => {
  plant();
  const second: SecondReader = { patienceMs: 60_000, start: slotMemory, stop: () => undefined };
  expect(built({ second }).equals(built({}))).toBe(true);
});

it('what a second reader begins and never ends is read by the build', () => {
  plant();
  let begun = 0;
  const stuck = scripted(() => {
    begun += 1;
  }, 1);
  expect(built(stuck).equals(built({}))).toBe(true);
  expect(begun).toBeGreaterThan(0);
});

it('the thread finds what the build would find', () => {
  for (const [name, text] of [
    ['a', 'some text'],
    ['ö', 'größer'],
  ] as const)
    writeFileSync(join(root, name), text);
  const indexed = indexedTree(root);
  const second = createSecondReader(indexed);
  const slots = openSlots(second.start(), 3);
  const candidates = ['a', 'ö', 'gone'].map((text) => ({ text, raw: undefined }));
  expect(slots.slot(0).ask(candidates)).toBe(true);
  const { control } = slots;
  Atomics.store(control, CONTROL.states, SLOT_STATE.asked);
  Atomics.add(control, CONTROL.asked, 1);
  Atomics.notify(control, CONTROL.asked);
  // Until the thread has it: no turn of this thread's event loop is needed for that.
  for (const state of [SLOT_STATE.asked, SLOT_STATE.taken]) Atomics.wait(control, CONTROL.states, state);
  const reader = readerOf(buildSite(root, { indexed }));
  for (const [file, candidate] of candidates.entries()) {
    const found = slots.slot(0).read(file, Buffer.from(candidate.text));
    const own = readDocument(reader, candidate);
    expect(found === 'gone' ? found : { ...found?.document, narrow: [...(found?.grams?.narrow ?? [])], wide: [...(found?.grams?.wide ?? [])] }).toEqual(
      own === 'gone' ? own : { ...own.document, narrow: [...(own.grams?.narrow ?? [])], wide: [...(own.grams?.wide ?? [])] },
    );
  }
  second.stop();
});

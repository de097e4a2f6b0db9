import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CONTENT_ANSWER_MAX_BYTES } from '../../src/contracts/index.ts';
import type { SearchBackend } from '../../src/core/ports/index.ts';
import { searchOurs } from './ours.ts';

const FILES = 1000;
const LINES = 1000;
const MIB = 1024 * 1024;

/** How much memory a search takes that has a million matches: with the bound that the tool has, and without any. */
export async function millionMatches(backend: SearchBackend): Promise<Record<string, number>> {
  const root = mkdtempSync(path.join(tmpdir(), 'writ-bench-million-'));
  try {
    mkdirSync(path.join(root, 'd'));
    const content = Array.from({ length: LINES }, (_, line) => `line ${line} has the needle in it, as each line has\n`).join('');
    for (let n = 0; n < FILES; n += 1) writeFileSync(path.join(root, 'd', `file-${n}.txt`), content);
    const bounded = await peakOf(() => searchOurs(root, backend, { name: 'common', pattern: 'needle', fixedStrings: true }, CONTENT_ANSWER_MAX_BYTES));
    const all = await peakOf(() => searchOurs(root, backend, { name: 'common', pattern: 'needle', fixedStrings: true }));
    if (all.events !== FILES * LINES) throw new Error(`${all.events} matches instead of a million`);
    return {
      [`million.${backend.kind}.tool_peak_mib_above_idle`]: bounded.mib,
      [`million.${backend.kind}.tool_events`]: bounded.events,
      [`million.${backend.kind}.library_peak_mib_above_idle`]: all.mib,
      [`million.${backend.kind}.library_s`]: Number((all.ms / 1000).toPrecision(4)),
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function peakOf(search: () => ReturnType<typeof searchOurs>): Promise<{ readonly mib: number; readonly events: number; readonly ms: number }> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 5);
  const { ms, result } = await search();
  clearInterval(watch);
  peak = Math.max(peak, process.memoryUsage.rss());
  return { mib: Math.round((peak - before) / MIB), events: result.events.length, ms };
}

import { appendFileSync, mkdirSync, mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BuildSite } from '../../../../../src/content-search/ngram-index/build/site.ts';
import { liveDocuments } from '../../../../../src/content-search/ngram-index/query/live.ts';
import { openSnapshot } from '../../../../../src/content-search/ngram-index/query/snapshot.ts';
import type { BuildOutcome, SnapshotId } from '../../../../../src/core/ports/index.ts';
import { buildSite, doJob } from '../../../../support/content/building.ts';

let root: string;
/** As if every file had been left alone for a while. */
const LATER = (): number => Date.now() + 60_000;
const NAMES = Array.from({ length: 30 }, (_, at) => (at < 20 ? `${at}` : `d/${at}`)).sort();

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'writ-resume-'));
  mkdirSync(join(root, 'd'));
  for (const name of NAMES) writeFileSync(join(root, name), `some text of ${name}`);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const BASE = { generation: 1, delta: 0 };
const WHOLE: SnapshotId = { generation: 1, deltas: [] };

function trueAfter(times: number): () => boolean {
  let asked = 0;
  return () => {
    asked += 1;
    return asked > times;
  };
}

/** What ends a build after so many looks of it at its pace. */
const HALTS = {
  STOPPED: (after: number) => ({ isStopped: trueAfter(after) }),
  TIME: (after: number) => {
    const isLate = trueAfter(after + 1);
    return { monotonicMs: () => (isLate() ? 5000 : 0) };
  },
} as const;

function pathsOf(site: BuildSite, id: SnapshotId): string[] {
  const opened = openSnapshot(site.index, id, site, site.hasher);
  if (!opened.ok) throw new Error(opened.message);
  const found = Array.from(liveDocuments(opened.snapshot), ({ document }) => document.path.toString());
  opened.snapshot.close();
  return found;
}

/** A build that ends about there. */
const begun = (site: BuildSite, why: keyof typeof HALTS, after: number): BuildOutcome =>
  doJob(site, { kind: 'build', into: BASE, keepOnStop: true }, { pace: HALTS[why](after) });

const goneOn = (site: BuildSite, resume: SnapshotId, pace = {}): BuildOutcome =>
  doJob(site, { kind: 'build', into: { generation: 1, delta: resume.deltas.length + 1 }, resume, keepOnStop: true }, { pace });

describe('a build that is not left in peace', () => {
  it.each(['STOPPED', 'TIME'] as const)(
    'keeps what it has read, and the next one reads the rest: %s',
    { tags: ['FR-LSI-BG-40.3', 'FR-LSI-BG-41.1', 'FR-LSI-BUD-INIT-02.1'] },
    (why) => {
      const ends = new Set<string>();
      const whole = buildSite(root, { nowMs: LATER });
      doJob(whole, { kind: 'build', into: BASE });
      const all = pathsOf(whole, WHOLE);
      for (let after = 0; !ends.has('done') && after < 400; after += 5) {
        const site = buildSite(root, { nowMs: LATER, maxRunBytes: 50 });
        const outcome = begun(site, why, after);
        ends.add(outcome.outcome);
        expect('refused' in site.index.open(BASE)).toBe(outcome.outcome !== 'done' && outcome.outcome !== 'partial');
        if (outcome.outcome !== 'partial') continue;
        const had = pathsOf(site, WHOLE);
        expect(had).toEqual(all.slice(0, had.length));
        expect(outcome).toMatchObject({ why, documents: had.length, read: had.length, lastPath: had.at(-1) });
        expect(goneOn(site, WHOLE)).toMatchObject({ outcome: 'done', read: all.length - had.length });
        expect(pathsOf(site, { generation: 1, deltas: [1] })).toEqual(all);
        expect(doJob(site, { kind: 'check', snapshot: { generation: 1, deltas: [1] } })).toEqual({ outcome: 'checked', findings: [] });
      }
      expect(ends).toEqual(new Set([why === 'TIME' ? 'over-budget' : 'stopped', 'partial', 'done']));
    },
  );

  it('goes on in as many rounds as it takes', () => {
    const site = buildSite(root, { nowMs: LATER });
    let deltas: readonly number[] = [];
    const rounds: string[] = [begun(site, 'TIME', 60).outcome];
    // The later ones have to look at more files before they come to one that is new.
    for (let looks = 60; rounds.at(-1) !== 'done' && looks < 400; looks += 8) {
      const { outcome } = goneOn(site, { generation: 1, deltas }, HALTS.TIME(looks));
      if (outcome === 'over-budget') continue;
      deltas = [...deltas, deltas.length + 1];
      rounds.push(outcome);
    }
    expect(rounds.length).toBeGreaterThan(2);
    expect(rounds.at(-1)).toBe('done');
    expect(pathsOf(site, { generation: 1, deltas })).toHaveLength(NAMES.length);
  });

  it('looks again at each file that it has read: one may have changed or gone while nobody looked', { tags: ['FR-LSI-BG-41.1', 'FR-LSI-BG-51.1'] }, () => {
    const site = buildSite(root, { nowMs: LATER });
    expect(begun(site, 'STOPPED', 60)).toMatchObject({ outcome: 'partial' });
    const [changed = '', removed = '', kept = ''] = pathsOf(site, WHOLE);
    appendFileSync(join(root, changed), ' and more');
    unlinkSync(join(root, removed));
    const reads: string[] = [];
    const watched: BuildSite = {
      ...site,
      files: {
        ...site.files,
        read: (path, most) => {
          reads.push(`${path}`.slice(root.length + 1));
          return site.files.read(path, most);
        },
      },
    };
    expect(goneOn(watched, WHOLE)).toMatchObject({ outcome: 'done' });
    expect(reads).toContain(changed);
    expect(reads).not.toContain(kept);
    expect(pathsOf(site, { generation: 1, deltas: [1] })).toHaveLength(NAMES.length - 1);
    expect(pathsOf(site, { generation: 1, deltas: [1] })).not.toContain(removed);
  });

  it('has nothing to read when all was read and only the word was missing', () => {
    const site = buildSite(root, { nowMs: LATER });
    doJob(site, { kind: 'build', into: BASE });
    expect(goneOn(site, WHOLE)).toEqual({ outcome: 'nothing', hiding: 0 });
  });

  it('tells a beginning that is damaged or gone', { tags: ['FR-LSI-BG-51.2'] }, () => {
    expect(goneOn(buildSite(root), WHOLE)).toMatchObject({ outcome: 'corrupt' });
  });
});

import { describe, expect, it } from 'vitest';
import type { Entry, FileIdentity, OpenAttempt } from '../../../../src/core/ports/index.ts';
import { classify, type DestinationState, type Phase, type SourceState, STARTS_EFFECT } from '../../../../src/executors/file/classify.ts';
import { factsOf } from '../../../../src/executors/file/facts.ts';

/**
 * The tables of docs/protocol.md 6, written a second time by hand, one letter per cell of the columns same, replaced, gone, withdrawn:
 * r redo, f finish, p publish, u unlink the source, t retire, l unlink the retired source, x finish the retirement,
 * w withdraw, ? unknown (incident), ! another failure with an incident, - a failure.
 */
const TABLES: Record<Phase, Record<SourceState, string>> = {
  rename: { same: '--r', linked: '???', changed: '?--', other: 'f??', gone: 'f??', retired: '?--', twice: '?--' },
  link: { same: '--r', linked: 'uuu', changed: '?--', other: 'f??', gone: 'f??', retired: '?--', twice: '???' },
  unsealed: { same: '--r', linked: '---', changed: '---', other: '---', gone: '---', retired: '---', twice: '---' },
  sealed: { same: 'f-p', linked: 'f--', changed: 'f--', other: 'f--', gone: 'f--', retired: 'f--', twice: 'f--' },
  'sealed-bare': { same: 'f??', linked: 'f??', changed: 'f??', other: 'f??', gone: 'f??', retired: 'f??', twice: 'f??' },
  published: { same: 't??w', linked: 'lll?', changed: 'w!!w', other: 'w!!w', gone: '!???', retired: 'xxx?', twice: 'w!!w' },
};
/** What only a published copy can be: everywhere else nobody can tell. */
const DESTINATIONS: readonly DestinationState[] = ['same', 'replaced', 'gone', 'withdrawn'];

function letter(verdict: ReturnType<typeof classify>): string {
  if (verdict.do !== 'fail')
    return { redo: 'r', finish: 'f', publish: 'p', 'unlink-source': 'u', retire: 't', 'unlink-retired': 'l', 'finish-retired': 'x', withdraw: 'w' }[verdict.do];
  return verdict.why === 'unknown' ? '?' : verdict.incident ? '!' : '-';
}

describe('classification', () => {
  for (const [phase, rows] of Object.entries(TABLES) as [Phase, Record<SourceState, string>][]) {
    it(`of an attempt in the phase ${phase} is the protocol's table, cell by cell`, () => {
      for (const [source, cells] of Object.entries(rows) as [SourceState, string][]) {
        const found = DESTINATIONS.map((destination) => letter(classify({ phase, source, destination }))).join('');
        expect([source, found]).toEqual([source, cells.padEnd(4, '?')]);
      }
    });
  }

  it('starts an effect only when the untouched source stands and nothing is in its way', () => {
    for (const [phase, rows] of Object.entries(TABLES) as [Phase, Record<SourceState, string>][]) {
      for (const source of Object.keys(rows) as SourceState[]) {
        for (const destination of DESTINATIONS) {
          if (STARTS_EFFECT.has(classify({ phase, source, destination }).do)) expect([source, destination]).toEqual(['same', 'gone']);
        }
      }
    }
  });
});

describe('facts', () => {
  const identity: FileIdentity = { dev: '1', ino: '10', size: '3', mtimeNs: '100', ctimeNs: '200' };
  const copy: FileIdentity = { dev: '2', ino: '20', size: '3', mtimeNs: '100', ctimeNs: '300' };
  const entry = (of: Partial<FileIdentity>, base: FileIdentity = identity): Entry => ({
    ...base,
    ...of,
    type: 'file',
    nlink: 1,
    mode: 0o600,
    uid: 0,
    gid: 0,
    atimeNs: '0',
    allocatedBytes: '4096',
  });
  const attempt = (of: Partial<OpenAttempt>): OpenAttempt => ({
    taskId: 't',
    manifestSha256: '',
    authority: { jti: '', exp: 0, kid: '' },
    process: { instance: '', pid: 1, startTime: '' },
    operation: 'move',
    method: 'rename',
    source: { base: 'b', segments: ['a'] },
    destination: { base: 'b', segments: ['b'] },
    sourceIdentity: identity,
    temporary: undefined,
    retired: undefined,
    undoOf: undefined,
    n: 1,
    stage: 'intent',
    sealed: undefined,
    ...of,
  });
  const nothing = { source: undefined, destination: undefined, retired: undefined, temporary: undefined, withdrawn: undefined };
  const sealed = { ...copy, sha256: '' };

  it('tells a touched inode from another file, and a link from both', () => {
    const source = (of: Partial<FileIdentity>, destination?: Entry): string => factsOf(attempt({}), { ...nothing, source: entry(of), destination }).source;
    expect(source({})).toBe('same');
    expect(source({ ctimeNs: '201' })).toBe('changed');
    expect(source({ size: '4', mtimeNs: '101', ctimeNs: '201' })).toBe('changed');
    expect(source({ ino: '11' })).toBe('other');
    expect(source({ dev: '2' })).toBe('other');
    expect(source({ ctimeNs: '201' }, entry({ ctimeNs: '201' }))).toBe('linked');
    expect(source({}, entry({}))).toBe('same');
    expect(source({ ino: '11' }, entry({ ino: '11' }))).toBe('other');
    expect(factsOf(attempt({ method: 'link' }), { ...nothing, source: entry({}), destination: entry({}) }).source).toBe('linked');
    expect(factsOf(attempt({}), nothing)).toEqual({ phase: 'rename', source: 'gone', destination: 'gone' });
  });

  it('sees that a link of the attempt stands where nobody looks: the directory of the destination was moved away', { tags: ['FE-24'] }, () => {
    const source = (of: Partial<Entry>, method: 'link' | 'rename', destination?: Entry): string =>
      factsOf(attempt({ method }), { ...nothing, source: { ...entry(of), nlink: 2 }, destination }).source;
    expect(source({ ctimeNs: '201' }, 'link')).toBe('twice');
    // The clock of the file system is coarse.
    expect(source({}, 'link')).toBe('twice');
    expect(source({ mtimeNs: '101', ctimeNs: '201' }, 'link', entry({ ino: '12' }))).toBe('twice');
    expect(source({ ctimeNs: '201' }, 'link', entry({ ctimeNs: '201' }))).toBe('linked');
    expect(source({ ino: '11' }, 'link')).toBe('other');
    expect(source({ ctimeNs: '201' }, 'rename')).toBe('changed');
  });

  it('knows the file of ours at the destination by its inode alone: its content may have changed since', () => {
    const destination = (of: Partial<FileIdentity>): string => factsOf(attempt({}), { ...nothing, destination: entry(of) }).destination;
    expect([destination({ size: '9', mtimeNs: '7' }), destination({ ino: '11' })]).toEqual(['same', 'replaced']);
  });

  it('finds the phase of a copy from stage, destination and temporary file', () => {
    const phase = (of: Partial<OpenAttempt>, at: Partial<Parameters<typeof factsOf>[1]>): string =>
      factsOf(attempt({ method: 'copy', ...of }), { ...nothing, ...at }).phase;
    expect(phase({}, {})).toBe('unsealed');
    expect(phase({ stage: 'sealed', sealed }, { temporary: entry({}, copy) })).toBe('sealed');
    expect(phase({ stage: 'sealed', sealed }, { temporary: entry({ ino: '99' }, copy) })).toBe('sealed-bare');
    expect(phase({ stage: 'sealed', sealed }, {})).toBe('sealed-bare');
    // Published by link, and taken from there: the second name is wherever somebody has moved it.
    expect(phase({ stage: 'sealed', sealed }, { temporary: { ...entry({}, copy), nlink: 2 } })).toBe('sealed-bare');
    expect(phase({ stage: 'sealed', sealed }, { destination: entry({}, copy) })).toBe('published');
    expect(phase({ stage: 'sealed', sealed, operation: 'copy' }, { destination: entry({}, copy) })).toBe('sealed-bare');
    expect(phase({ stage: 'published', sealed }, {})).toBe('published');
    // Before the seal nobody can tell our file from another.
    expect(factsOf(attempt({ method: 'copy' }), { ...nothing, destination: entry({}, copy) })).toMatchObject({ phase: 'unsealed', destination: 'replaced' });
  });

  it('finds a copy that was withdrawn, however far the row is and whatever stands at its destination', () => {
    const found = (of: Partial<OpenAttempt>, at: Partial<Parameters<typeof factsOf>[1]>): object =>
      factsOf(attempt({ method: 'copy', ...of }), { ...nothing, source: entry({}), ...at });
    const withdrawn = entry({}, copy);
    for (const stage of ['sealed', 'published'] as const) {
      for (const destination of [undefined, entry({}, copy), entry({ ino: '99' })])
        expect(found({ stage, sealed }, { withdrawn, destination })).toEqual({ phase: 'published', source: 'same', destination: 'withdrawn' });
    }
    expect(found({ stage: 'published', sealed }, { withdrawn: entry({ ino: '99' }, copy) })).toMatchObject({ destination: 'gone' });
    expect(found({}, { withdrawn })).toMatchObject({ phase: 'unsealed', destination: 'gone' });
  });

  it('looks at the retired place first', () => {
    const source = (at: Partial<Parameters<typeof factsOf>[1]>): string =>
      factsOf(attempt({ method: 'copy', stage: 'published', sealed }), { ...nothing, ...at }).source;
    const moved = entry({ ctimeNs: '250' });
    expect(source({ retired: moved })).toBe('retired');
    expect(source({ retired: moved, source: entry({ ino: '11' }) })).toBe('retired');
    expect(source({ retired: moved, source: entry({ ctimeNs: '250' }) })).toBe('linked');
    expect(source({ retired: entry({ ino: '12' }) })).toBe('gone');
    expect(source({ retired: entry({ ino: '12' }), source: entry({}) })).toBe('same');
    expect(source({ source: entry({ ino: '11' }) })).toBe('changed');
  });
});

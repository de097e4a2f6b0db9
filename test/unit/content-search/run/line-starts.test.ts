import { describe, expect, it } from 'vitest';
import { lineStarts, losesStarts } from '../../../../src/content-search/run/line-starts.ts';
import type { RunEvent } from '../../../../src/content-search/search/types.ts';
import { CONTENT_LINE_MAX_BYTES } from '../../../../src/contracts/index.ts';
import { readerOf } from './reader.ts';
import { QUERY, scripted } from './scripted.ts';

const LONG = 'x'.repeat(200_000);
const event = (file: number, line: number, text: string): RunEvent => ({ file, path: `f${file}`, type: 'match', line, text });

function starts(contents: readonly (string | undefined)[], isWanted: () => boolean = () => true) {
  const readers = contents.map((text) => (text === undefined ? undefined : readerOf(Buffer.from(text))));
  const cut: RunEvent[] = [];
  const chunk = { first: 5, files: contents.map((_, at) => ({ text: `f${5 + at}`, raw: undefined })) };
  const made = lineStarts(chunk, { reader: ({ text }) => readers[Number(text.slice(1)) - 5], onCut: (one) => cut.push(one), isWanted });
  return { ...made, cut, readers };
}

describe('the beginning of a line', () => {
  it('is read from the file where the backend did not print it, and the event counts as cut', async () => {
    const { note, mended, close, cut, readers } = starts([`a\n${LONG}needle\nb needle\n`]);
    const [lost, other] = [event(5, 2, 'needle'), event(5, 3, 'b needle')];
    note(lost, 200_002);
    expect(await mended([lost, other])).toEqual([{ ...lost, text: 'x'.repeat(CONTENT_LINE_MAX_BYTES) }, other]);
    expect(cut.map(({ line }) => line)).toEqual([2]);
    close();
    expect(readers.map((one) => one?.closed)).toEqual([1]);
  });

  it('is not looked for in lines that end shortly before the match, which one read shows', async () => {
    const { note, mended, cut, readers } = starts([`${'short\n'.repeat(20_000)}needle\n`]);
    const far = event(5, 20_001, 'needle');
    note(far, 120_000);
    expect(await mended([far])).toEqual([far]);
    expect([cut, readers[0]?.reads]).toEqual([[], 2]);
  });

  it('is looked for in several lines of several files, each of which is open once and closed before the next', async () => {
    const text = `${LONG}needle\n${LONG.replaceAll('x', 'y')}needle\n`;
    const { note, mended, close, readers } = starts([text, text]);
    const events = [event(5, 1, 'needle'), event(5, 2, 'needle'), event(6, 2, 'needle')];
    for (const [at, one] of events.entries()) note(one, [200_000, 400_007, 400_007][at] ?? 0);
    expect((await mended(events))?.map((one) => one.text.slice(0, 3))).toEqual(['xxx', 'yyy', 'yyy']);
    expect(readers.map((one) => one?.closed)).toEqual([1, 0]);
    close();
    expect(readers.map((one) => one?.closed)).toEqual([1, 1]);
  });

  it('stays as it was printed in a file that is gone, or has no such line any more', async () => {
    const { note, mended } = starts([undefined, 'x'.repeat(70_000)]);
    const events = [event(5, 1, 'needle'), event(6, 9, 'needle')];
    for (const one of events) note(one, 69_000);
    expect(await mended(events)).toEqual(events);
  });

  it('costs nothing while no match is far behind another', () => {
    expect(starts(['x']).mended([event(5, 1, 'needle')])).toBeUndefined();
  });

  it('is not looked for any more when nobody wants the events', async () => {
    let wanted = 2;
    const { note, mended, cut } = starts([LONG.repeat(20)], () => {
      wanted -= 1;
      return wanted > 0;
    });
    const far = event(5, 2, 'needle');
    note(far, 3_000_000);
    expect(await mended([event(5, 1, 'first'), far])).toEqual([event(5, 1, 'first')]);
    expect(cut).toEqual([]);
  });
});

describe('a backend', () => {
  it('loses beginnings of lines if it is ugrep, and no context was asked for', () => {
    const rg = scripted({ lines: new Map() });
    const ugrep = { ...rg, kind: 'ugrep' } as const;
    const loses = [
      { backend: ugrep, query: QUERY },
      { backend: ugrep, query: { ...QUERY, context: 1 } },
      { backend: rg, query: QUERY },
    ].map(losesStarts);
    expect(loses).toEqual([true, false, false]);
  });
});

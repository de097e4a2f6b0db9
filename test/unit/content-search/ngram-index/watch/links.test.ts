import { describe, expect, it } from 'vitest';
import { createNewNames } from '../../../../../src/content-search/ngram-index/watch/links.ts';
import type { WatchEventKind } from '../../../../../src/core/ports/index.ts';

/** Whether the events leave a doubt. `links`: how many links each file has that is there when it is looked at. */
function isDoubted(events: readonly (readonly [WatchEventKind, string, number?])[], links: Readonly<Record<string, number>>): boolean {
  let doubts = 0;
  const names = createNewNames(
    (path) => links[path],
    () => {
      doubts += 1;
    },
  );
  for (const [kind, path, cookie] of events) names.event(kind, path, cookie ?? 0);
  names.look();
  names.settle();
  return doubts > 0;
}

describe('a new name', () => {
  it.each([
    ['is a second one of a file', [['CREATE', 'b']], { b: 2 }],
    ['was moved here and is a second one', [['MOVED_TO', 'b', 1]], { b: 2 }],
    ['had its attributes changed and has a second one', [['ATTRIB', 'b']], { b: 2 }],
    [
      'was written by and is gone',
      [
        ['CREATE', 'b'],
        ['MODIFY', 'b'],
        ['DELETE', 'b'],
      ],
      {},
    ],
    [
      'was written by and is gone without a word',
      [
        ['CREATE', 'b'],
        ['MODIFY', 'b'],
      ],
      {},
    ],
    [
      'was written by and left the tree',
      [
        ['CREATE', 'b'],
        ['MODIFY', 'b'],
        ['MOVED_FROM', 'b', 1],
      ],
      {},
    ],
    [
      'was written by and has another file in its place',
      [
        ['CREATE', 'b'],
        ['MODIFY', 'b'],
        ['MOVED_FROM', 't', 1],
        ['MOVED_TO', 'b', 1],
      ],
      { b: 1 },
    ],
    [
      'was written by, moved and removed',
      [
        ['CREATE', 'b'],
        ['MODIFY', 'b'],
        ['MOVED_FROM', 'b', 1],
        ['MOVED_TO', 'c', 1],
        ['DELETE', 'c'],
      ],
      {},
    ],
  ] as const)('leaves a doubt when it %s', (_, events, links) => {
    expect(isDoubted(events, links)).toBe(true);
  });

  it.each([
    [
      'is the only one',
      [
        ['CREATE', 'b'],
        ['MODIFY', 'b'],
      ],
      { b: 1 },
    ],
    [
      'was never written by',
      [
        ['CREATE', 'b'],
        ['DELETE', 'b'],
      ],
      {},
    ],
    [
      'was written by and moved over another',
      [
        ['CREATE', 't'],
        ['MODIFY', 't'],
        ['MOVED_FROM', 't', 1],
        ['MOVED_TO', 'b', 1],
      ],
      { b: 1 },
    ],
    [
      'is that of a file that was known',
      [
        ['MOVED_FROM', 'a', 1],
        ['MOVED_TO', 'b', 1],
        ['MODIFY', 'b'],
        ['DELETE', 'b'],
      ],
      {},
    ],
  ] as const)('leaves none when it %s', (_, events, links) => {
    expect(isDoubted(events, links)).toBe(false);
  });
});

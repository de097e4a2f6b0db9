import { isDeepStrictEqual } from 'node:util';
import { parseCursor } from '../../../../src/core/task-pages.ts';
import { decodeCursor, encodeCursor } from '../../../../src/messages/search/cursor.ts';
import { type Boundary, FuzzFault, outcomeOf } from '../boundary.ts';

/** Cursors of lists of tasks and of message search. What is read says the same when it is written again. */
export const cursor: Boundary = {
  shape: 'text',
  what: 'cursors of task lists and of message search',
  async open() {
    return {
      seeds: ['1764276000000-12', '0-0', 's3ff0000000000000:i1', 's3ff0000000000000:i1:efts5', 's0:i9:ehybrid', 'sbff0000000000000:i9007199254740991:etantivy'],
      words: ['s', ':i', ':e', ':r', '-', 'fts5', 'hybrid', '7ff8000000000000', '9'.repeat(16)],
      async run(input) {
        const text = input.toString('utf8');
        const read = decodeCursor(text);
        if (read !== undefined && !isDeepStrictEqual(decodeCursor(encodeCursor(read)), read)) throw new FuzzFault('a cursor is read in two ways');
        const list = await outcomeOf(() => parseCursor(text));
        return read === undefined ? list : 'ok';
      },
    };
  },
};

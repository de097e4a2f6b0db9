const MAX_TEXT = 1000;

/**
 * Sequence sets of IMAP (`3,5:9`) for ascending UIDs, each of at most `most` UIDs and about 1000 characters: servers
 * bound the length of a command.
 */
export function* uidSets(uids: readonly number[], most: number): Generator<{ readonly set: string; readonly uids: readonly number[] }> {
  let start = 0;
  while (start < uids.length) {
    let set = '';
    let end = start;
    while (end < uids.length && end - start < most && set.length < MAX_TEXT) {
      const run = runLength(uids, end, most - (end - start));
      const first = uids[end] ?? 0;
      set += `${set === '' ? '' : ','}${run === 1 ? first : `${first}:${first + run - 1}`}`;
      end += run;
    }
    yield { set, uids: uids.slice(start, end) };
    start = end;
  }
}

/** How many UIDs from `index` on follow each other without a gap, at most `most`. */
function runLength(uids: readonly number[], index: number, most: number): number {
  const first = uids[index] ?? 0;
  let run = 1;
  while (run < most && uids[index + run] === first + run) run += 1;
  return run;
}

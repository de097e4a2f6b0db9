/** Whether the bytes from `start` up to `end` contain the needle. */
export type Matcher = (block: Uint8Array, start: number, end: number) => boolean;

/**
 * Finds one needle in many short names, by Knuth, Morris and Pratt: every byte is looked at once, also when somebody
 * made names and query to be compared for long. In UTF-8 no character is a part of another, so that a substring of
 * bytes is one of code points (SE-31).
 */
export function createMatcher(needle: Uint8Array): Matcher {
  const back = failures(needle);
  const length = needle.length;
  const first = needle[0];

  return (block, start, end) => {
    let matched = 0;
    for (let i = start; i < end; i += 1) {
      const byte = block[i];
      if (matched === 0) {
        if (byte !== first) continue;
      } else {
        while (matched > 0 && byte !== needle[matched]) matched = back[matched - 1] ?? 0;
        if (byte !== needle[matched]) continue;
      }
      matched += 1;
      if (matched === length) return true;
    }
    return false;
  };
}

/** For each prefix of the needle the length of the longest shorter prefix that it also ends with. */
function failures(needle: Uint8Array): Uint16Array {
  const back = new Uint16Array(needle.length);
  let matched = 0;
  for (let i = 1; i < needle.length; i += 1) {
    while (matched > 0 && needle[i] !== needle[matched]) matched = back[matched - 1] ?? 0;
    if (needle[i] === needle[matched]) matched += 1;
    back[i] = matched;
  }
  return back;
}

/**
 * Joins the soft line breaks of `format=flowed` (RFC 3676 4): a line that ends in a space goes on in the next one of the
 * same quote depth; a signature line `-- ` does not. One leading space is stuffing.
 *
 * @param text lines end with LF
 * @param delSp the space before a soft break is part of the break
 */
export function joinFlowed(text: string, delSp: boolean): string {
  const pieces: string[] = [];
  let open = -1;
  for (const line of text.split('\n')) {
    const depth = quoteDepth(line);
    const content = line.slice(line.charAt(depth) === ' ' ? depth + 1 : depth);
    if (open === depth && content !== SIGNATURE) pieces.push(content);
    else pieces.push(pieces.length === 0 ? '' : '\n', line.slice(0, depth), depth === 0 ? content : line.slice(depth));
    const flows = content.endsWith(' ') && content !== SIGNATURE;
    open = flows ? depth : -1;
    if (flows && delSp) pieces.push((pieces.pop() ?? '').slice(0, -1));
  }
  return pieces.join('');
}

const SIGNATURE = '-- ';

function quoteDepth(line: string): number {
  let depth = 0;
  while (line.charAt(depth) === '>') depth += 1;
  return depth;
}

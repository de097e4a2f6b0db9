/** A fenced block of a page. */
export interface Block {
  /** Line of its first line within the page, counted from 1. */
  readonly line: number;
  /** The word after the fence: `sh`, `json`, `` for none. */
  readonly language: string;
  /** As a reader copies it: without the indentation of the fence. */
  readonly text: string;
}

const FENCE = /^( *)(```|~~~)(\w*)\s*$/;

/** The fenced blocks of a page in their order. */
export function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  let open: { readonly indent: string; readonly mark: string; readonly language: string; readonly line: number; readonly lines: string[] } | undefined;
  for (const [index, line] of page.split('\n').entries()) {
    const [, indent = '', mark = '', language = ''] = FENCE.exec(line) ?? [];
    if (open === undefined) {
      if (mark !== '') open = { indent, mark, language, line: index + 2, lines: [] };
    } else if (mark === open.mark) {
      blocks.push({ line: open.line, language: open.language, text: open.lines.join('\n') });
      open = undefined;
    } else open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line);
  }
  return blocks;
}

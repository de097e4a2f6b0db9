/** What a page offers to links, and what it links to. */
export interface Page {
  /** Addresses of its headings, as the usual renderers make them. */
  readonly anchors: ReadonlySet<string>;
  readonly links: readonly Link[];
  /** Paths of the tree that stand alone in a code span: `src/core/errors.ts`. */
  readonly paths: readonly Link[];
}

/** A link, an image or a path of a page. */
export interface Link {
  /** Counted from 1. */
  readonly line: number;
  /** As it is written: `leases.md#keys`, `#keys`, `https://…`. */
  readonly target: string;
}

const FENCE = /^ {0,3}(?:```|~~~)/;
const HEADING = /^ {0,3}#{1,6} +(.*?)(?: +#+)? *$/;
/** `[text](target)`, `![text](target "title")`, `[name]: target`. */
const LINKS = [/\]\(\s*<?([^\s<>()]+(?:\([^\s()]*\)[^\s<>()]*)*)>?(?:\s+"[^"]*")?\s*\)/g, /^ {0,3}\[[^\]]+\]:\s*<?([^\s<>]+)>?/g];

/** A code span that is a path; one with a placeholder or a pattern is none. */
const PATH = /(?<!`)`((?:src|queues|processors|config|contracts|test|scripts|bench|examples|docs|prometheus|grafana|deploy)\/[\w./-]*\w)\/?`(?!`)/g;

/** Reads headings and links of a page; what stands in code is neither. */
export function parsePage(markdown: string): Page {
  const anchors = new Set<string>();
  const links: Link[] = [];
  const paths: Link[] = [];
  for (const [index, line] of proseLines(markdown).entries()) {
    const title = HEADING.exec(line)?.[1];
    if (title !== undefined) anchors.add(freeAnchor(anchorOf(title), anchors));
    for (const [, target = ''] of line.matchAll(PATH)) paths.push({ line: index + 1, target });
    const withoutCode = line.replace(/(`+)(?:(?!\1).)+\1/g, '');
    for (const pattern of LINKS) {
      for (const [, target = ''] of withoutCode.matchAll(pattern)) links.push({ line: index + 1, target });
    }
  }
  return { anchors, links, paths };
}

/** Address of a heading within its page, as the usual renderers make it. */
export function anchorOf(title: string): string {
  return title
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/** Lines of a page; those of fenced code are empty, so that the others keep their numbers. */
export function proseLines(markdown: string): string[] {
  let fence = '';
  return markdown.split('\n').map((line) => {
    const mark = FENCE.exec(line)?.[0].trim() ?? '';
    if (fence === '' && mark === '') return line;
    if (fence === '') fence = mark;
    else if (mark === fence) fence = '';
    return '';
  });
}

/** Two headings of the same words: renderers number the second one. */
function freeAnchor(anchor: string, taken: ReadonlySet<string>): string {
  if (!taken.has(anchor)) return anchor;
  let count = 1;
  while (taken.has(`${anchor}-${count}`)) count += 1;
  return `${anchor}-${count}`;
}

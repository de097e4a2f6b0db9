import ts from 'typescript';

/** A test whose title names requirements. */
export interface TracedTest {
  /** Path from the package root. */
  readonly file: string;
  /** Title without the ids. */
  readonly title: string;
  readonly ids: readonly string[];
}

const TEST_FUNCTIONS: ReadonlySet<string> = new Set(['it', 'test', 'describe']);
/** Words shaped like an id: `FE-17`, `LSI-ORDROOT-GEN`, `FR-LSI-ORD-03.1`; not the `A-Z` of a pattern. */
const ID = '[A-Z]+-(?:\\d|[A-Z][A-Z0-9])[A-Za-z0-9.-]*';
/** `[FE-17]`, `[FE-17, FE-18]`: a bracket that holds nothing but ids. `[a]` in a title is just text. */
const BRACKET = new RegExp(`\\s*\\[(${ID}(?:[,\\s]+${ID})*)\\]`, 'g');

/** The tests of one file that name ids, found without running it. Ids of a `describe` count for what is inside. */
export function tracedTests(file: string, text: string): TracedTest[] {
  const found: TracedTest[] = [];
  const visit = (node: ts.Node): void => {
    const title = ts.isCallExpression(node) ? titleOf(node) : undefined;
    const ids = title === undefined ? [] : idsIn(title);
    if (title !== undefined && ids.length > 0) found.push({ file, title: title.replace(BRACKET, '').trim(), ids });
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  return found;
}

function idsIn(title: string): string[] {
  return [...title.matchAll(BRACKET)].flatMap(([, inner = '']) => inner.split(/[,\s]+/));
}

/** The title of `it('…')`, `test.each(table)('…')`, `describe.concurrent('…')`; placeholders in templates stay out. */
function titleOf(call: ts.CallExpression): string | undefined {
  const [first] = call.arguments;
  if (first === undefined || !TEST_FUNCTIONS.has(rootName(call.expression))) return undefined;
  if (ts.isStringLiteralLike(first)) return first.text;
  if (ts.isTemplateExpression(first)) return first.head.text + first.templateSpans.map((span) => `…${span.literal.text}`).join('');
  return undefined;
}

function rootName(node: ts.Expression): string {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isPropertyAccessExpression(node) || ts.isCallExpression(node)) return rootName(node.expression);
  if (ts.isTaggedTemplateExpression(node)) return rootName(node.tag);
  return '';
}

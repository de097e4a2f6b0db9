import ts from 'typescript';

/** A test that is tagged with requirements. */
export interface TracedTest {
  /** Path from the package root. */
  readonly file: string;
  readonly title: string;
  readonly ids: readonly string[];
}

const TEST_FUNCTIONS: ReadonlySet<string> = new Set(['it', 'test', 'describe']);

/**
 * The tests of one file whose second argument has tags (`it('…', { tags: ['FE-17'] }, …)`), found without running it. Tags of
 * a `describe` count for what is inside.
 */
export function tracedTests(file: string, text: string): TracedTest[] {
  const found: TracedTest[] = [];
  const visit = (node: ts.Node): void => {
    const title = ts.isCallExpression(node) ? titleOf(node) : undefined;
    const ids = ts.isCallExpression(node) && title !== undefined ? tagsOf(node) : [];
    if (title !== undefined && ids.length > 0) found.push({ file, title, ids });
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  return found;
}

/** The words of `tags`, one or a list. A tag that is not written out is not seen. */
function tagsOf({ arguments: [, options] }: ts.CallExpression): string[] {
  if (options === undefined || !ts.isObjectLiteralExpression(options)) return [];
  const tags = options.properties.filter(ts.isPropertyAssignment).find(({ name }) => ts.isIdentifier(name) && name.text === 'tags')?.initializer;
  if (tags === undefined) return [];
  const words = ts.isArrayLiteralExpression(tags) ? [...tags.elements] : [tags];
  return words.filter(ts.isStringLiteralLike).map(({ text }) => text);
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

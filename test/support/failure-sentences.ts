import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { packageRoot } from '../../config/package.ts';

/** A sentence of a FAILURE as the sources have it; `…` stands for what is put in while it runs. */
export interface WrittenSentence {
  readonly code: string;
  readonly sentence: string;
  readonly file: string;
}

/** Where outcomes of tasks are worded. */
const ROOMS = [
  'src/executors/file',
  'src/executors/search',
  'src/executors/tool',
  'src/adapters/duckdb',
  'src/adapters/sqlite/table',
  'processors',
  'src/core',
];
const FILES = ['src/adapters/search-process/pool.ts'];
/** What makes an outcome, or an error that becomes one, of the text that it is given. */
const SPEAKERS = new Set(['failure', 'executionFailed', 'incident', 'no', 'broken', 'bad', 'ScanError', 'BrokenDataSet', 'TooLong', 'TableBroken']);
/** Rules of a path and parts of a sentence: `paths.ts` and the plan executor's words are no whole sentences of a task. */
const LEFT_OUT = /^(src\/executors\/file\/paths\.ts|processors\/plan\/|src\/core\/(i-json|errors)\.ts)/;

/** Every sentence that stands in a place from which a FAILURE takes its words. */
export function writtenSentences(): WrittenSentence[] {
  const root = packageRoot();
  const files = [
    ...ROOMS.flatMap((room) => readdirSync(path.join(root, room), { recursive: true, encoding: 'utf8' }).map((name) => path.join(room, name))),
    ...FILES,
  ];
  return files
    .filter((name) => name.endsWith('.ts') && !LEFT_OUT.test(name))
    .flatMap((file) =>
      sentencesOf(file, readFileSync(path.join(root, file), 'utf8')).filter(
        ({ sentence }) => sentence.includes(' ') && !/^(…|INVALID_MANIFEST: )/.test(sentence),
      ),
    );
}

function sentencesOf(file: string, source: string): WrittenSentence[] {
  const found: WrittenSentence[] = [];
  // A finding of `doctor` is `broken` too, and answers no task.
  const speakers = source.includes("core/findings.ts'") ? new Set([...SPEAKERS].filter((name) => name !== 'broken')) : SPEAKERS;
  const add = (code: string | undefined, texts: readonly string[]): void =>
    void found.push(...texts.map((sentence) => ({ code: code ?? 'EXECUTION_FAILED', sentence, file })));
  const visit = (node: ts.Node): void => {
    if ((ts.isCallExpression(node) || ts.isNewExpression(node)) && speakers.has(node.expression.getText())) {
      const texts = (node.arguments ?? []).flatMap(textsOf);
      const code = texts.find((text) => /^[A-Z_]+$/.test(text));
      const said = texts.filter((text) => text.includes(' '));
      if (node.expression.getText() === 'broken' && file.endsWith('json-record.ts'))
        add(
          code,
          said.map((text) => `line 1 ${text}`),
        );
      else if (file.endsWith('undo.ts'))
        add(
          code,
          said.map((text) => (text.startsWith('undo: ') ? text : `undo: ${text}`)),
        );
      else add(code ?? (node.expression.getText() === 'TooLong' ? 'RESOURCE_EXHAUSTED' : undefined), said);
    }
    if (ts.isPropertyAssignment(node) && ['message', 'doubt'].includes(node.name.getText()) && beside(node, ['kind']) !== 'malformed')
      add(beside(node, ['code', 'error_code']), textsOf(node.initializer));
    if (ts.isVariableDeclaration(node) && node.name.getText() === 'SENTENCES' && node.initializer)
      node.initializer.forEachChild(function each(child) {
        if (ts.isPropertyAssignment(child)) add(undefined, textsOf(child.initializer));
        child.forEachChild(each);
      });
    if (ts.isReturnStatement(node) && file.endsWith('file/attributes.ts') && node.expression) add(undefined, textsOf(node.expression));
    node.forEachChild(visit);
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true));
  return found;
}

/** The text of another property of the same object. */
function beside(node: ts.PropertyAssignment, names: readonly string[]): string | undefined {
  if (!ts.isObjectLiteralExpression(node.parent)) return undefined;
  const found = node.parent.properties.find((one) => ts.isPropertyAssignment(one) && names.includes(one.name.getText()));
  return found !== undefined && ts.isPropertyAssignment(found) ? textsOf(found.initializer)[0] : undefined;
}

function textsOf(node: ts.Node): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node)) return [node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('')];
  if (ts.isConditionalExpression(node)) return [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)];
  return ts.isAsExpression(node) || ts.isParenthesizedExpression(node) || ts.isSatisfiesExpression(node) ? textsOf(node.expression) : [];
}

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const { options } = ts.parseJsonConfigFileContent(ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile).config, ts.sys, root);
const compilerOptions = { ...options, noEmit: false, declaration: true, isolatedDeclarations: true, rewriteRelativeImportExtensions: true };

/**
 * The declarations of one file, which it alone decides, and what it must say for that and does not.
 *
 * @param {string} file from the root
 * @returns {{ text: string, problems: string[] }}
 */
export function declarationsOf(file) {
  const text = readFileSync(path.join(root, file), 'utf8');
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(text, { fileName: path.basename(file), reportDiagnostics: true, compilerOptions });
  const ours = diagnostics.filter(({ code, category }) => code >= 9000 && code < 9100 && category === ts.DiagnosticCategory.Error);
  return { text: outputText, problems: ours.map(({ messageText }) => `${file}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`) };
}

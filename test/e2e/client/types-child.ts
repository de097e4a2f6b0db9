import ts from 'typescript';

/**
 * `types-child <words of tsc>`: what `tsc` says of a project, without judging the compiler's own libraries and Node's types once
 * more, which takes most of its time. Whether what is judged goes together with them is seen where it uses them.
 */
const { options, fileNames, errors } = ts.parseCommandLine(process.argv.slice(2));
const program = ts.createProgram(fileNames, options);
const judged = program.getSourceFiles().filter((file) => !program.isSourceFileDefaultLibrary(file) && !file.fileName.includes('/node_modules/@types/'));
const found = [
  ...errors,
  ...program.getOptionsDiagnostics(),
  ...program.getGlobalDiagnostics(),
  ...judged.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
];
const host = { getCurrentDirectory: () => process.cwd(), getCanonicalFileName: (name: string) => name, getNewLine: () => '\n' };
process.stdout.write(ts.formatDiagnostics(found, host));
process.exitCode = found.length === 0 ? 0 : 2;

import { driftOf, writeGenerated } from './generated.ts';
import { readTraceInput, traceFiles } from './trace/files.ts';
import { traceProblems } from './trace/table.ts';

/** `npm run trace` writes docs/generated/traceability.md and docs/decisions/README.md; `-- --check` writes nothing and fails on any problem. */
const check = process.argv.includes('--check');
const problems = [...(check ? driftOf(traceFiles(), 'npm run trace') : []), ...traceProblems(readTraceInput())];
if (!check) writeGenerated(traceFiles());
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

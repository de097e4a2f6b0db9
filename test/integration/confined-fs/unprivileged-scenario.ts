/** Runs without privileges (see `asUnprivileged`) in a directory that its parent prepared, and prints the answers as JSON. */
import { createConfinedFileSystem, LOCAL_FILESYSTEMS } from '../../../src/adapters/linux/confined-fs/index.ts';
import type { ConfinementLevel, FsResult } from '../../../src/core/ports/confined-fs.ts';

const [level, base] = process.argv.slice(2) as [ConfinementLevel, string];
const answers: Record<string, string> = {};
const note = (question: string, result: FsResult<unknown>): void => {
  answers[question] = result.ok ? 'ok' : `${result.refusal} ${result.errno}`;
};
function must<T>(result: FsResult<T>): T {
  if (!result.ok) throw new Error(result.errno);
  return result.value;
}

const opened = await createConfinedFileSystem({ level, allowedFilesystems: LOCAL_FILESYSTEMS }).openBase('base', base);
note('closed directory', await opened.directory(['closed']));
note('below a closed directory', await opened.directory(['closed', 'inner']));
const [frozen, free] = [must(await opened.directory(['frozen'])), must(await opened.directory(['free']))];
note('entry of a closed file', await frozen.entry('closed'));
note('open a closed file', await frozen.openFile('closed'));
note('create in a frozen directory', await frozen.createFile('x'));
note('make a directory in a frozen one', await frozen.makeDirectory('x', 0o700));
note('rename out of a frozen directory', await frozen.renameNoReplace('open', free, 'x'));
note('unlink in a frozen directory', await frozen.unlink('open'));
note('a file that may leave a frozen directory', await frozen.mayLeave('open'));
note('a file that may leave', await free.mayLeave('given'));
const sticky = must(await opened.directory(['sticky']));
note('a file of others that may leave a sticky directory', await sticky.mayLeave('theirs'));
note('rename out of a sticky directory', await sticky.renameNoReplace('theirs', free, 'x'));
must(await sticky.createFile('own'));
note('an own file that may leave a sticky directory', await sticky.mayLeave('own'));
const file = must(await free.createFile('mine'));
const { uid, gid, atimeNs, mtimeNs } = await file.stat();
note('keep the own owner', await file.setAttributes({ mode: 0o600, uid, gid, atimeNs, mtimeNs }));
note('give a file away', await file.setAttributes({ mode: 0o600, uid: uid + 1, gid, atimeNs, mtimeNs }));
process.stdout.write(JSON.stringify(answers));

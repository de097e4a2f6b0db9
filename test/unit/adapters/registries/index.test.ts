import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../../config/package.ts';
import { readRegistries } from '../../../../src/adapters/registries/index.ts';
import { ToolDefinition } from '../../../../src/contracts/index.ts';
import { isWorkflowName, workflowName } from '../../../../src/core/workflow-name.ts';

const TOOL = { id: 'a.tool', version: '1', categories: ['x'], actions: [{ name: 'go', input: ['x'] }] };
const STEPS = [{ type: 'tool', ref: 'a.tool', operation: 'go', params: {} }];
const CAPABILITY = { id: 'a.cap', version: '1', inputs: [], outputs: [], steps: STEPS };
const USECASE = { id: 'a.use', version: '1', steps: STEPS };

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'writ-registry-'));
  write('registries/tools.json', [{ ...TOOL, path: 'config/tools/a.tool.json' }]);
  write('config/tools/a.tool.json', TOOL);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, content: unknown): void {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), typeof content === 'string' ? content : JSON.stringify(content));
}

const read = () => readRegistries({ shipped: root, own: '' });
const fault = (field: string | undefined, ...words: readonly string[]) =>
  expect.objectContaining({
    code: 'INVALID_CONFIG',
    message: expect.stringMatching(new RegExp(words.map((word) => word.replaceAll(/[.?*+^$[\]\\(){}|]/g, '\\$&')).join('.*'), 's')),
    ...(field === undefined ? {} : { field }),
  });

function thrown(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('the registries', () => {
  it('load tools from registries/tools.json, each from the file that its entry points to', { tags: ['PE-17', 'PE-18'] }, () => {
    const [elsewhere, unlisted] = ['c.tool', 'b.tool'].map((id) => ({ ...TOOL, id }));
    write('registries/tools.json', [
      { ...TOOL, path: 'config/tools/a.tool.json' },
      { ...elsewhere, path: 'config/tools/elsewhere.tool.json' },
    ]);
    write('config/tools/elsewhere.tool.json', elsewhere);
    write('config/tools/c.tool.json', { ...elsewhere, version: '2' });
    write('config/tools/b.tool.json', unlisted);
    const registries = read();
    expect(registries.lookup('tools', 'a.tool')).toEqual(TOOL);
    expect(registries.lookup('tools', 'c.tool')).toEqual(elsewhere);
    expect(registries.lookup('tools', 'b.tool')).toBeUndefined();
    expect(registries.refs('tools')).toEqual(['a.tool', 'c.tool']);
  });

  it('load capabilities and use cases by what they call themselves', () => {
    write('config/capabilities/any.json', CAPABILITY);
    write('config/use-cases/any.json', USECASE);
    const registries = read();
    expect(registries.lookup('capabilities', 'a.cap')).toEqual(CAPABILITY);
    expect(registries.lookup('usecases', 'a.use')).toEqual(USECASE);
    expect(registries.lookup('usecases', 'a.cap')).toBeUndefined();
  });

  it('take a new tool by JSON alone, from a directory of the user', { tags: ['PE-24'] }, () => {
    const shipped = packageRoot();
    const registries = readRegistries({ shipped, own: root });
    expect(registries.lookup('tools', 'a.tool')).toEqual(TOOL);
    expect(registries.lookup('tools', 'writ.file')).toBeDefined();
  });

  it('let a definition of the user replace the shipped one of the same id', () => {
    const mine = { ...TOOL, id: 'writ.file', version: '2.0.0' };
    write('registries/tools.json', [{ id: 'writ.file', path: 'config/tools/mine.tool.json' }]);
    write('config/tools/mine.tool.json', mine);
    expect(readRegistries({ shipped: packageRoot(), own: root }).lookup('tools', 'writ.file')).toEqual(mine);
  });

  it('are empty where there are no files', () => {
    rmSync(root, { recursive: true });
    mkdirSync(root);
    expect(read().refs('tools')).toEqual([]);
  });

  it.each([
    ['/etc/passwd', 'must name a file config/tools/'],
    ['config/tools/../../../secret.tool.json', 'must be a plain path'],
    ['config/tools/./a.tool.json', 'must be a plain path'],
    ['config/tools//a.tool.json', 'must be a plain path'],
    ['config/tools/a\\..\\b.tool.json', 'must be a plain path'],
    ['config/tools/a\u0000.tool.json', 'must be a plain path'],
    ['config/capabilities/a.tool.json', 'must name a file config/tools/'],
    ['config/tools/a.json', 'must name a file config/tools/'],
    ['config/tools/none.tool.json', 'there is no such file'],
  ])('refuse the pointer %j of a tool', { tags: ['PE-18'] }, (pointer, why) => {
    write('registries/tools.json', [{ id: 'a.tool', path: pointer }]);
    expect(thrown(read)).toEqual(fault(undefined, why));
    expect(String(thrown(read))).toContain('registries/tools.json');
  });

  it('refuse a file that a symbolic link takes out of the root, and follow one that stays inside', { tags: ['PE-18'] }, () => {
    const outside = mkdtempSync(path.join(tmpdir(), 'writ-outside-'));
    try {
      writeFileSync(path.join(outside, 'x.json'), JSON.stringify(TOOL));
      rmSync(path.join(root, 'config/tools/a.tool.json'));
      symlinkSync(path.join(outside, 'x.json'), path.join(root, 'config/tools/a.tool.json'));
      expect(thrown(read)).toEqual(fault(undefined, 'leads out of the registry', 'registries/tools.json, 0.path'));
      rmSync(path.join(root, 'config/tools/a.tool.json'));
      write('config/tools/real.json', TOOL);
      symlinkSync('real.json', path.join(root, 'config/tools/a.tool.json'));
      expect(read().lookup('tools', 'a.tool')).toEqual(TOOL);
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  it('refuse a folder that is a symbolic link out of the root', () => {
    const outside = mkdtempSync(path.join(tmpdir(), 'writ-outside-'));
    try {
      writeFileSync(path.join(outside, 'x.json'), JSON.stringify(CAPABILITY));
      symlinkSync(outside, path.join(root, 'config/capabilities'));
      expect(thrown(read)).toEqual(fault(undefined, 'config/capabilities/x.json', 'leads out of the registry'));
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  it.each([
    ['a field that is not known', { ...TOOL, url: 'http://x' }, 'url', 'is not known here'],
    ['no action', { ...TOOL, actions: [] }, 'actions', ''],
    ['an address in an action', { ...TOOL, actions: [{ name: 'go', method: 'GET' }] }, 'actions.0.method', 'is not known here'],
    ['a list', [], undefined, ''],
  ])('name file and field of a definition with %s', (_, content, field, why) => {
    write('config/tools/a.tool.json', content);
    write('registries/tools.json', [{ id: 'a.tool', path: 'config/tools/a.tool.json' }]);
    expect(thrown(read)).toEqual(fault(field, 'config/tools/a.tool.json', why));
  });

  it('name file and field of a capability and a use case that are none', () => {
    write('config/capabilities/x.json', { ...CAPABILITY, steps: [{ type: 'tool', ref: '', params: {} }] });
    expect(thrown(read)).toEqual(fault('steps.0.ref', 'config/capabilities/x.json'));
    rmSync(path.join(root, 'config/capabilities'), { recursive: true });
    write('config/use-cases/x.json', { ...USECASE, jobs: 1 });
    expect(thrown(read)).toEqual(fault('jobs', 'config/use-cases/x.json'));
  });

  it.each([
    ['no JSON', '{"id":'],
    ['a key twice', '{"id":"a","id":"b"}'],
    ['a key that reaches into JavaScript', '{"__proto__":{}}'],
    ['too many bytes', `"${'x'.repeat(1_100_000)}"`],
  ])('refuse a file with %s', (_, text) => {
    write('config/use-cases/x.json', text);
    expect(thrown(read)).toEqual(fault(undefined, 'config/use-cases/x.json'));
  });

  it('refuse a file that is not UTF-8, a directory, and a FIFO, which does not hold the start', () => {
    mkdirSync(path.join(root, 'config/use-cases'));
    writeFileSync(path.join(root, 'config/use-cases/x.json'), Buffer.from([0x22, 0xff, 0x22]));
    expect(thrown(read)).toEqual(fault(undefined, 'config/use-cases/x.json', 'is not UTF-8'));
    rmSync(path.join(root, 'config/use-cases/x.json'));
    mkdirSync(path.join(root, 'config/use-cases/x.json'));
    expect(thrown(read)).toEqual(fault(undefined, 'config/use-cases/x.json'));
    rmSync(path.join(root, 'config/use-cases/x.json'), { recursive: true });
    execFileSync('mkfifo', [path.join(root, 'config/use-cases/x.json')]);
    expect(thrown(read)).toEqual(fault(undefined, 'config/use-cases/x.json', 'is no regular file'));
  });

  it('refuse an id that two files define, and two entries of one tool', () => {
    write('config/use-cases/x.json', USECASE);
    write('config/use-cases/y.json', USECASE);
    expect(thrown(read)).toEqual(fault('id', 'config/use-cases/y.json', 'a.use', 'config/use-cases/x.json'));
    rmSync(path.join(root, 'config/use-cases'), { recursive: true });
    const entry = { id: 'a.tool', path: 'config/tools/a.tool.json' };
    write('registries/tools.json', [entry, entry]);
    expect(thrown(read)).toEqual(fault('id', 'a.tool', 'already'));
  });

  it('refuse an entry that says something else than its file', () => {
    write('registries/tools.json', [{ ...TOOL, version: '2', path: 'config/tools/a.tool.json' }]);
    expect(thrown(read)).toEqual(fault('0.version', 'registries/tools.json', 'differs'));
    write('registries/tools.json', [{ ...TOOL, description: 'x', path: 'config/tools/a.tool.json' }]);
    expect(thrown(read)).toEqual(fault('0.description', 'registries/tools.json', 'differs'));
  });

  it('refuse a directory of the user that is none', () => {
    expect(thrown(() => readRegistries({ shipped: root, own: path.join(root, 'none') }))).toEqual(fault('plan.registry_dir', 'no directory'));
    expect(thrown(() => readRegistries({ shipped: root, own: 'relative' }))).toEqual(fault('plan.registry_dir', 'no directory'));
  });
});

describe('what is shipped', () => {
  const shipped = readRegistries({ shipped: packageRoot(), own: '' });

  it('reads without a fault, and every file is used', () => {
    const files = (folder: string) => readdirSync(path.join(packageRoot(), folder)).filter((name) => name.endsWith('.json'));
    expect(files('config/tools').toSorted()).toEqual(shipped.refs('tools').map((ref) => `${ref}.tool.json`));
    expect(files('config/capabilities').toSorted()).toEqual(shipped.refs('capabilities').map((ref) => `${ref}.json`));
    expect(files('config/use-cases').toSorted()).toEqual(shipped.refs('usecases').map((ref) => `${ref}.json`));
    expect(shipped.refs('tools')).toEqual(['http.webhook', 'search', 'writ.approval', 'writ.file', 'writ.search', 'writ.undo']);
  });

  it('has tools whose operations are the capabilities that Writ serves', () => {
    const actions = (ref: string) => ToolDefinition.parse(shipped.lookup('tools', ref)).actions.map(({ name }) => name);
    expect(actions('writ.file')).toEqual(['FILE_MOVE', 'FILE_COPY', 'FILE_DELETE']);
    expect(actions('writ.search')).toEqual(['SEARCH_FILES', 'SEARCH_EMAILS', 'SEARCH_DATASETS']);
  });

  it('has workflow names so.<layer>.<name> for all of them', { tags: ['PE-61'] }, () => {
    const names = [
      ...shipped.refs('tools').map((ref) => workflowName('tool', ref)),
      ...shipped.refs('capabilities').map((ref) => workflowName('capability', ref)),
      ...shipped.refs('usecases').map((ref) => workflowName('usecase', ref)),
      workflowName('executor', 'core'),
    ];
    expect(names).toContain('so.tool.writ-file');
    expect(names.filter((name) => !isWorkflowName(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(['so.executor.core', 'so.tool.google-drive', 'so.trigger.webhook'])(
    'would accept %s, an example of the specification',
    { tags: ['PE-61'] },
    (name) => {
      expect(isWorkflowName(name)).toBe(true);
    },
  );

  it.each(['executor.core', 'so.executor', 'so.Executor.core', 'so.tool.', 'so..core', 'so.tool.a.b', 'so.tool.a b', 'so.tool.-a'])(
    'would refuse %j',
    { tags: ['PE-61'] },
    (name) => {
      expect(isWorkflowName(name)).toBe(false);
    },
  );
});

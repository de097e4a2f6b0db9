import { describe, expect, it } from 'vitest';
import { nextSteps } from '../../../../../src/surfaces/cli/tour/next-steps.ts';

const INSTALLED = {
  program: 'writ --data-dir data',
  commands: undefined,
  operatorKey: '/data/operator.key',
  configFile: '/data/writ.toml',
  url: 'http://127.0.0.1:8377',
};
const commandsIn = (text: string): string[] => [...text.matchAll(/^ {2}((?:writ|echo) .*?)(?: {3,}.*)?$/gm)].map(([, line]) => line ?? '');

describe('what `writ up` prints when everything runs', () => {
  it('says what is missing when the settings name no directory, and leads to nothing that would be refused', () => {
    const said = nextSteps({ ...INSTALLED, playground: undefined });
    expect(said).toContain('File tasks are refused: no base directory is named. In\n  /data/writ.toml\n');
    expect(commandsIn(said)).toEqual(['writ --data-dir data status', 'writ --data-dir data doctor']);
  });

  it('leads to a first task and to searches in a directory whose name a shell would take apart', () => {
    const said = nextSteps({ ...INSTALLED, playground: { base: "/a user's own", scope: 'workspace' } });
    expect(said).not.toContain('refused');
    expect(commandsIn(said).map((line) => line.split(' ').slice(0, 4).join(' '))).toEqual([
      expect.stringMatching(/^echo '\{"task_id":"first"/),
      "echo hello > '/a",
      'writ --data-dir data push',
      'writ --data-dir data find',
      'writ --data-dir data search',
      'writ --data-dir data status',
      'writ --data-dir data doctor',
    ]);
  });
});
